"""Test sets drawn from pools: draw, revise, remove, compare and describe.

A drawn test set never changes, because predictions are bound to it. What a reviewer removes is excluded in the pool, and a
revision, a test set of its own, is drawn without it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from regauge.errors import InputError
from regauge.evaluation.metrics.selection_frequency import name_limits
from regauge.formats.keywords import load_keyword_counts
from regauge.records.arrays import BoolArray, CountArray
from regauge.records.draws import (
    BinCount,
    Change,
    DrawChange,
    DrawDescription,
    DrawDiff,
    MeanFrequency,
    check_complete,
)
from regauge.records.frequencies import AnnotatorSpread
from regauge.records.names import check_name
from regauge.records.pools import Annotators, DrawEntry, DrawSources, Exclusion, ExclusionRule
from regauge.records.sampling import BIN_NAMES, Draw, SamplingPlan, Shortfall, find_bins
from regauge.records.studies import LocatedTestSet, TestSetEntry, TestSetKind
from regauge.records.testsets import TestSet
from regauge.stats.frequency_means import limit_mean_frequency
from regauge.storage.draws import DrawnSet, find_draw, find_pool, insert_draw, list_drawn_exclusions, load_draw
from regauge.storage.events import add_event
from regauge.storage.pools import find_holding, insert_exclusions, list_pools
from regauge.storage.study import Study
from regauge.storage.testsets import find_test_set, get_test_set, list_test_sets, load_places, load_test_set
from regauge.testsets.sampling import sample
from regauge.workflows.decisions import MAX_REASON
from regauge.workflows.draw_inputs import (
    DrawInputs,
    are_settled,
    exclude,
    find_sources_spread,
    load_counts,
    load_inputs,
    look_up,
    name_reason,
)

__all__ = [
    "DrawnTestSet",
    "describe_draw",
    "diff_draws",
    "draw_test_set",
    "get_draw",
    "load_drawn",
    "load_keywords",
    "remove_from_draw",
    "restore_to_draw",
    "revise_test_set",
]

RESTORED = "restored"


@dataclass(frozen=True, slots=True, eq=False)
class DrawnTestSet:
    """A new test set, how it was drawn, and what is to be known of it."""

    entry: TestSetEntry
    draw: Draw
    sources: DrawSources
    notes: tuple[str, ...]


def draw_test_set(
    study: Study, plan: SamplingPlan, *, name: str, sources: DrawSources | None = None, allow_short: bool = False
) -> DrawnTestSet:
    """Draw a test set from the pool, and keep it with how it was drawn.

    Args:
        study: the study, inside a transaction.
        plan: how to draw.
        name: what to call it.
        sources: what to draw from; everything that the study has unless given.
        allow_short: whether a class may have fewer images than asked for.

    Raises:
        InputError: a class falls short, the name is taken, or something that is needed is not there.
    """
    _check_name(study, name)
    inputs = load_inputs(study, plan, sources=sources or DrawSources())
    draw = _sample(study, plan, inputs)
    _check(study, draw, allow_short=allow_short)
    return _store(study, name, inputs, draw, None)


def revise_test_set(
    study: Study,
    name: str,
    *,
    new_name: str = "",
    wish: tuple[SamplingPlan, DrawSources] | None = None,
    allow_short: bool = False,
) -> DrawnTestSet:
    """Draw a test set anew, keeping every image of it that can still be taken.

    Args:
        study: the study, inside a transaction.
        name: the drawn test set.
        new_name: what to call the revision; NAME-2, NAME-3 and so on unless given.
        wish: another plan and other sources; those of the test set unless given.
        allow_short: whether a class may have fewer images than asked for.

    Raises:
        InputError: the test set was not drawn, the revision would be the same, or a class falls short.
    """
    parent = get_test_set(study, name)
    found = get_draw(study, name)
    plan, sources = wish or (found.plan, found.sources)
    chosen = new_name or _find_next_name(study, parent)
    _check_name(study, chosen)
    inputs = load_inputs(study, plan, sources=sources)
    before = load_draw(study, parent)
    draw = _keep_marks(_sample(study, plan, inputs, tuple(before.image_ids.tolist())), before)
    if set(draw.image_ids.tolist()) == set(before.image_ids.tolist()):
        raise InputError(
            f"A revision of {name} would be the same set: none of its images was removed, and nothing new can fill what it lacks."
        )
    _check(study, draw, allow_short=allow_short)
    return _store(study, chosen, inputs, draw, parent)


def remove_from_draw(study: Study, name: str, *, image_id: str, reason: str) -> Exclusion:
    """Remove an image as wrong: revisions of this and of all other sets are drawn without it.

    Raises:
        InputError: the image is not in the test set, was removed already, or no reason is given.
    """
    pool, removed = _find_removed(study, name, image_id)
    if removed is not None:
        raise InputError(f"Image {image_id!r} was removed already by {removed.who}: {removed.reason}.")
    words = _read_reason(reason)
    return _note(study, name, pool, Exclusion(image_id, ExclusionRule.REVIEW, is_excluded=True, reason=words))


def restore_to_draw(study: Study, name: str, *, image_id: str, reason: str = RESTORED) -> Exclusion:
    """Take back that an image was removed.

    Raises:
        InputError: the image is not in the test set, or was not removed.
    """
    pool, removed = _find_removed(study, name, image_id)
    if removed is None:
        raise InputError(f"Image {image_id!r} of {name} was not removed, so it cannot be restored.")
    words = _read_reason(reason)
    return _note(study, name, pool, Exclusion(image_id, ExclusionRule.REVIEW, is_excluded=False, reason=words))


def diff_draws(study: Study, first: str, second: str) -> DrawDiff:
    """What differs between two drawn test sets, class by class: carried over, new, and removed with the reason.

    Raises:
        InputError: a test set was not drawn.
    """
    entries = [get_test_set(study, name) for name in (first, second)]
    one, other = (load_draw(study, entry) for entry in entries)
    # As it was when the second one was drawn: an image that was restored since was removed all the same.
    written = (
        exclusion for exclusion in list_drawn_exclusions(study, entries[0]) if exclusion.at <= entries[1].added_at
    )
    reasons = {image_id: "; ".join(map(name_reason, found)) for image_id, found in find_holding(written).items()}
    changes = sorted(_find_changes(one, other, reasons), key=lambda change: change.class_index)
    return DrawDiff(first, second, tuple(changes))


def describe_draw(study: Study, name: str) -> DrawDescription:
    """A drawn test set at a glance.

    Raises:
        InputError: the test set was not drawn.
    """
    entry = get_test_set(study, name)
    drawn, draw = get_draw(study, name), load_draw(study, entry)
    bins = find_bins(draw.n_shown, draw.n_selected)
    return DrawDescription(
        entry=entry,
        drawn=drawn,
        n_classes=len(np.unique(draw.classes)),
        n_carried=int(draw.is_carried.sum()),
        bins=tuple(_count_bin(number, bins == number, draw) for number in range(len(BIN_NAMES))),
        frequency=measure_frequency(draw, find_sources_spread(study, drawn.sources)),
        removed=keep_removed(find_barred(study, entry)),
        revisions=tuple(one.name for one in list_test_sets(study) if one.parent_id == entry.id),
        reported=_measure_reported(study, draw, drawn.sources),
        is_settled=are_settled(study, drawn),
    )


def get_draw(study: Study, name: str) -> DrawEntry:
    """How a test set was drawn.

    Raises:
        InputError: the test set was not drawn.
    """
    found = find_draw(study, get_test_set(study, name))
    if found is None:
        raise InputError(f"Test set {name!r} was added as it is, not drawn from a pool.")
    return found


def load_drawn(study: Study, name: str) -> Draw:
    """How each image of a test set was drawn, in row order.

    Raises:
        InputError: the test set was not drawn.
    """
    return load_draw(study, get_test_set(study, name))


def load_keywords(study: Study, path: Path, *, original: str) -> tuple[tuple[int, str, int], ...]:
    """How many original images of a class each keyword has, from a table.

    Raises:
        FormatError: the file is no such table, or lists images that are not in the original test set.
    """
    test_set = load_test_set(study, get_test_set(study, original)) if original else None
    return load_keyword_counts(path, taxonomy=study.taxonomy, original=test_set)


def find_barred(study: Study, entry: TestSetEntry) -> dict[str, tuple[Exclusion, ...]]:
    """The images of a drawn test set that could not be taken any more, by a review or any other rule, with what holds."""
    return find_holding(list_drawn_exclusions(study, entry))


def keep_removed(barred: Mapping[str, tuple[Exclusion, ...]]) -> dict[str, Exclusion]:
    """Those of the images that reviewers have removed, with the reason."""
    found = {image_id: [one for one in held if one.rule is ExclusionRule.REVIEW] for image_id, held in barred.items()}
    return {image_id: held[0] for image_id, held in found.items() if held}


def measure_frequency(draw: Draw, spread: AnnotatorSpread | None) -> MeanFrequency:
    """The mean selection frequency of a draw, with limits for other images, and other annotators where their spread is known."""
    is_seen = draw.n_shown > 0
    selected, shown = draw.n_selected[is_seen], draw.n_shown[is_seen]
    if not shown.size:
        return MeanFrequency(None, None, None, 0)
    mean = float((selected / shown).mean())
    if shown.size < 2:
        return MeanFrequency(mean, None, None, 1)
    limits = limit_mean_frequency(selected, shown, spread=spread)
    return MeanFrequency(mean, float(limits.low), float(limits.high), int(shown.size), name_limits(spread))


def _measure_reported(study: Study, draw: Draw, sources: DrawSources) -> MeanFrequency | None:
    """The mean selection frequency by those who had no part in the choice; None where everybody had."""
    if sources.annotators is Annotators.ALL:
        return None
    counts, _, _ = load_counts(study, draw.plan, sources=replace(sources, annotators=sources.annotators.others))
    n_shown, n_selected = look_up(counts, draw.image_ids, classes=draw.classes)
    told = replace(draw, n_shown=n_shown, n_selected=n_selected)
    return measure_frequency(told, find_sources_spread(study, sources))


def foresee(study: Study, inputs: DrawInputs, draw: Draw, *, class_index: int | None = None) -> Draw:
    """What a revision would be if it were drawn now, of one class or of all."""
    if class_index is not None:
        inputs = inputs.keep_class(class_index)
    return _sample(study, draw.plan, inputs, tuple(draw.image_ids.tolist()))


def _check_name(study: Study, name: str) -> None:
    """Refuse a name that is taken or has no page, before anything is computed."""
    check_name(name, what="A test set")
    if find_test_set(study, name) is not None:
        raise InputError(
            f"The study already has another set of images {name!r}; give the new one another name with --name."
        )


def _sample(study: Study, plan: SamplingPlan, inputs: DrawInputs, previous: tuple[str, ...] = ()) -> Draw:
    draw = sample(exclude(study, inputs), plan, original=inputs.original, previous=previous)
    # A class that nothing was gathered for is one that falls short as well.
    lacking = np.setdiff1d(inputs.original_classes, inputs.candidates.classes).tolist()
    absent = tuple(Shortfall(index, "", plan.per_class, None) for index in lacking)
    return replace(draw, shortfalls=tuple(sorted((*draw.shortfalls, *absent), key=lambda one: one.class_index)))


def _check(study: Study, draw: Draw, *, allow_short: bool) -> None:
    if not len(draw):
        raise InputError(
            f"The strategy {draw.plan.strategy} can take no candidate of the pool; regauge pool status says how many there are."
        )
    if not allow_short:
        check_complete(draw, [one.name for one in study.taxonomy.classes])


def _keep_marks(draw: Draw, before: Draw) -> Draw:
    """What was once taken from a higher bin and is kept, still stands in for a lower one."""
    upward = set(before.image_ids[before.is_upward].tolist())
    was_upward = np.array([one in upward for one in draw.image_ids.tolist()], np.bool_)
    return replace(draw, is_upward=draw.is_upward | was_upward)


def _store(study: Study, name: str, inputs: DrawInputs, draw: Draw, parent: TestSetEntry | None) -> DrawnTestSet:
    place_of = {image_id: place for place, image_id in enumerate(inputs.candidates.image_ids.tolist())}
    rows = np.array([place_of[one] for one in draw.image_ids.tolist()], np.int64)
    pool_ids, pool_rows = inputs.pool_ids[rows], inputs.pool_rows[rows]
    located = _locate(study, TestSet(name, draw.image_ids, draw.classes), inputs, (pool_ids, pool_rows))
    entry = insert_draw(study, DrawnSet(located, draw, inputs.sources, pool_ids, pool_rows), parent=parent)
    parameters = {
        "name": name,
        "strategy": draw.plan.strategy.value,
        "seed": draw.plan.seed,
        "n_images": len(draw),
        "n_missing": sum(one.n_missing for one in draw.shortfalls),
        **({} if parent is None else {"parent": parent.name, "n_carried": int(draw.is_carried.sum())}),
    }
    add_event(study, "testset sample" if parent is None else "testset revise", parameters)
    return DrawnTestSet(entry, draw, inputs.sources, inputs.notes)


def _locate(study: Study, test_set: TestSet, inputs: DrawInputs, rows: tuple[CountArray, CountArray]) -> LocatedTestSet:
    """The images where they lie in their pools, below the one folder that all of these are in."""
    used = [entry for entry in inputs.pools if (rows[0] == entry.id).any()]
    root = os.path.commonpath([entry.root for entry in used])
    tops = {entry.id: Path(entry.root).relative_to(root) for entry in used}
    places = {entry.id: load_places(study, entry) for entry in used}
    found = [(tops[pool], places[pool][row]) for pool, row in zip(rows[0].tolist(), rows[1].tolist(), strict=True)]
    moved = tuple(replace(place, path=(top / place.path).as_posix() if place.path else "") for top, place in found)
    return LocatedTestSet(test_set, TestSetKind.TABLE, root, moved)


def _find_next_name(study: Study, parent: TestSetEntry) -> str:
    """NAME-2 for a revision of NAME, NAME-3 for one of that."""
    found = re.fullmatch(r"(.+)-(\d+)", parent.name) if parent.parent_id is not None else None
    base, number = (found[1], int(found[2])) if found else (parent.name, 1)
    while find_test_set(study, f"{base}-{number + 1}") is not None:
        number += 1
    return f"{base}-{number + 1}"


def _find_removed(study: Study, name: str, image_id: str) -> tuple[TestSetEntry, Exclusion | None]:
    """The batch that an image of a drawn test set is from, and why it was removed, if it was."""
    get_draw(study, name)
    entry = get_test_set(study, name)
    pool_id = find_pool(study, entry, image_id=image_id)
    if pool_id is None:
        raise InputError(f"Image {image_id!r} is not in the test set {name}.")
    pool = next(one for one in list_pools(study) if one.id == pool_id)
    return pool, keep_removed(find_barred(study, entry)).get(image_id)


def _read_reason(reason: str) -> str:
    words = " ".join(reason.split())
    if len(words) > MAX_REASON or not words.isprintable():
        raise InputError(f"A reason is a text of up to {MAX_REASON:,} printable characters, not {reason[:80]!r}.")
    return words


def _note(study: Study, name: str, pool: TestSetEntry, one: Exclusion) -> Exclusion:
    insert_exclusions(study, pool, [one])
    what = "testset remove" if one.is_excluded else "testset restore"
    add_event(study, what, {"name": name, "image": one.image_id, "pool": pool.name, "reason": one.reason})
    return replace(one, who=study.around.who, at=study.around.now())


def _find_changes(one: Draw, other: Draw, reasons: dict[str, str]) -> Iterator[DrawChange]:
    before, after = set(one.image_ids.tolist()), set(other.image_ids.tolist())
    for draw, change, kept in (
        (other, Change.CARRIED_OVER, before & after),
        (other, Change.NEW, after - before),
        (one, Change.REMOVED, before - after),
    ):
        for row, image_id in enumerate(draw.image_ids.tolist()):
            if image_id in kept:
                reason = reasons.get(image_id, "not chosen") if change is Change.REMOVED else ""
                counts = int(draw.n_shown[row]), int(draw.n_selected[row])
                yield DrawChange(image_id, int(draw.classes[row]), change, reason, bool(draw.is_upward[row]), *counts)


def _count_bin(number: int, is_inside: BoolArray, draw: Draw) -> BinCount:
    return BinCount(BIN_NAMES[number], int(is_inside.sum()), int((is_inside & draw.is_upward).sum()))
