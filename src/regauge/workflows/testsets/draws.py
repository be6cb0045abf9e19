"""Test sets drawn from pools: draw and revise.

A drawn test set never changes, because predictions are bound to it. What a reviewer removes is excluded in the pool, and a
revision, a test set of its own, is drawn without it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from regauge.arrays import CountArray
from regauge.errors import InputError
from regauge.records.names import check_name
from regauge.records.studies import LocatedTestSet, TestSetEntry, TestSetKind
from regauge.records.testsets.draws import check_complete
from regauge.records.testsets.pool import DrawSources
from regauge.records.testsets.sampling import Draw, SamplingPlan
from regauge.records.testsets.test_set import TestSet
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets.draws import DrawnSet, get_draw, insert_draw, load_draw
from regauge.storage.testsets.test_set import find_test_set, get_test_set, load_places
from regauge.testsets.draws import keep_marks
from regauge.workflows.testsets.draw_inputs import DrawInputs, draw_from_pool, load_inputs


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
        sources: what to draw from; everything that the study has by default.
        allow_short: whether a class may have fewer images than asked for.

    Raises:
        InputError: a class falls short, the name is taken, or something that is needed is not there.
    """
    _check_name(study, name)
    inputs = load_inputs(study, plan, sources=sources or DrawSources())
    draw = draw_from_pool(study, plan, inputs)
    _check(study, draw, allow_short=allow_short)
    return _store(study, name, inputs, draw, None)


def revise_test_set(
    study: Study,
    name: str,
    *,
    new_name: str = "",
    request: tuple[SamplingPlan, DrawSources] | None = None,
    allow_short: bool = False,
) -> DrawnTestSet:
    """Draw a test set anew, keeping every image of it that can still be taken.

    Args:
        study: the study, inside a transaction.
        name: the drawn test set.
        new_name: what to call the revision; NAME-2, NAME-3 and so on by default.
        request: another plan and other sources; those of the test set by default.
        allow_short: whether a class may have fewer images than asked for.

    Raises:
        InputError: the test set was not drawn, the revision would be the same, or a class falls short.
    """
    parent = get_test_set(study, name)
    found = get_draw(study, parent)
    plan, sources = request or (found.plan, found.sources)
    chosen = new_name or _find_next_name(study, parent)
    _check_name(study, chosen)
    inputs = load_inputs(study, plan, sources=sources)
    before = load_draw(study, parent)
    draw = keep_marks(draw_from_pool(study, plan, inputs, previous=before.image_ids.tolist()), before)
    if set(draw.image_ids.tolist()) == set(before.image_ids.tolist()):
        raise InputError(
            f"A revision of {name} would be the same set: none of its images was removed, and nothing new can fill what it lacks."
        )
    _check(study, draw, allow_short=allow_short)
    return _store(study, chosen, inputs, draw, parent)


def _check_name(study: Study, name: str) -> None:
    """Refuse a name that is taken or has no page, before anything is computed."""
    check_name(name, what="A test set")
    if find_test_set(study, name) is not None:
        raise InputError(
            f"The study already has another set of images {name!r}; give the new one another name with `name=…`."
        )


def _check(study: Study, draw: Draw, *, allow_short: bool) -> None:
    if not len(draw):
        raise InputError(
            f"The strategy {draw.plan.strategy} can take no candidate of the pool; regauge pool status says how many there are."
        )
    if not allow_short:
        check_complete(draw, [one.name for one in study.taxonomy.classes])


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
