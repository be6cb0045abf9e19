"""What a draw from the pool is, what differs between two of them, and what reviews removed from one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from regauge.arrays import BoolArray, IntArray
from regauge.records.testsets.draws import BinCount, DrawChange, ImageChange
from regauge.records.testsets.pool import Exclusion, ExclusionRule
from regauge.records.testsets.sampling import BIN_NAMES, Draw, PoolCandidates, SamplingPlan, Shortfall, find_bins
from regauge.testsets.sampling import Original, sample


def draw_images(
    candidates: PoolCandidates,
    plan: SamplingPlan,
    *,
    original: Original,
    classes: IntArray,
    previous: Sequence[str] = (),
) -> Draw:
    """As `sample`, where a class of the original that nothing was gathered for is one that falls short as well.

    Args:
        candidates: the pool.
        plan: how to draw.
        original: what to imitate.
        classes: the classes of the original test set.
        previous: ids of the set that this draw revises; those that can still be taken are kept.
    """
    draw = sample(candidates, plan, original=original, previous=previous)
    lacking = np.setdiff1d(classes, candidates.classes).tolist()
    absent = tuple(Shortfall(index, "", plan.per_class, None) for index in lacking)
    return replace(draw, shortfalls=tuple(sorted((*draw.shortfalls, *absent), key=lambda one: one.class_index)))


def keep_marks(draw: Draw, before: Draw) -> Draw:
    """What was once taken from a higher bin and is kept, still stands in for a lower one."""
    upward = set(before.image_ids[before.is_upward].tolist())
    was_upward = np.array([one in upward for one in draw.image_ids.tolist()], np.bool_)
    return replace(draw, is_upward=draw.is_upward | was_upward)


def name_reason(one: Exclusion) -> str:
    """A reason by which exclusions are counted: the rule, and in a review what the reviewer said."""
    return f"{one.rule}: {one.reason}" if one.rule is ExclusionRule.REVIEW else one.rule.value


def keep_removed(barred: Mapping[str, tuple[Exclusion, ...]]) -> dict[str, Exclusion]:
    """Those of the images that reviewers have removed, with the reason."""
    found = {image_id: [one for one in held if one.rule is ExclusionRule.REVIEW] for image_id, held in barred.items()}
    return {image_id: held[0] for image_id, held in found.items() if held}


def list_bins(draw: Draw) -> tuple[BinCount, ...]:
    """The images of a draw in every bin of the selection frequency."""
    bins = find_bins(draw.n_shown, draw.n_selected)
    return tuple(_count_bin(number, bins == number, draw) for number in range(len(BIN_NAMES)))


def find_changes(one: Draw, other: Draw, *, barred: Mapping[str, Iterable[Exclusion]]) -> tuple[DrawChange, ...]:
    """What became of every image between two draws, class by class; what was barred says why one was removed."""
    reasons = {image_id: "; ".join(map(name_reason, found)) for image_id, found in barred.items()}
    return tuple(sorted(_find_changes(one, other, reasons), key=lambda change: change.class_index))


def _find_changes(one: Draw, other: Draw, reasons: dict[str, str]) -> Iterator[DrawChange]:
    before, after = set(one.image_ids.tolist()), set(other.image_ids.tolist())
    for draw, change, kept in (
        (other, ImageChange.CARRIED_OVER, before & after),
        (other, ImageChange.NEW, after - before),
        (one, ImageChange.REMOVED, before - after),
    ):
        for row, image_id in enumerate(draw.image_ids.tolist()):
            if image_id in kept:
                reason = reasons.get(image_id, "not chosen") if change is ImageChange.REMOVED else ""
                counts = int(draw.n_shown[row]), int(draw.n_selected[row])
                yield DrawChange(image_id, int(draw.classes[row]), change, reason, bool(draw.is_upward[row]), *counts)


def _count_bin(number: int, is_inside: BoolArray, draw: Draw) -> BinCount:
    return BinCount(BIN_NAMES[number], int(is_inside.sum()), int((is_inside & draw.is_upward).sum()))
