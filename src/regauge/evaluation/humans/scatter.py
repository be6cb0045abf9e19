"""What a figure of both sets needs: everybody as a shift between them, with a line through the models alone (Figure 1)."""

from __future__ import annotations

import numpy as np

from regauge.arrays import CountArray, IntArray
from regauge.evaluation.humans.gaps import TwoSets
from regauge.evaluation.humans.judged import AnsweredSet
from regauge.evaluation.humans.parts import OBJECTS
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import Side, score_images
from regauge.records.evaluation.humans.report import HumanSettings
from regauge.records.evaluation.scores import WHOLE
from regauge.records.evaluation.shifts import Shift, ShiftSettings


def make_shifts(sets: TwoSets, objects: IntArray | None, *, settings: HumanSettings) -> dict[str, Shift]:
    """The shift of everybody who answered both sets, on all images and, where it is known which these are, on objects alone.

    Whoever has no image of a subset on a set is not in it; a subset for which nobody is left is absent.
    """
    groups = {WHOLE: None} if objects is None else {WHOLE: None, OBJECTS: objects}
    found = {name: _make_shift(sets, classes, settings) for name, classes in groups.items()}
    return {name: shift for name, shift in found.items() if shift is not None}


def _make_shift(sets: TwoSets, classes: IntArray | None, settings: HumanSettings) -> Shift | None:
    metric = next(iter(sets.original.measures))
    chosen = [np.ones(len(side), np.bool_) if classes is None else np.isin(side.labels, classes) for side in sets.sides]
    sides = [side.keep(images) for side, images in zip(sets.sides, chosen, strict=True)]
    answered = [
        {name for name, counted in zip(side.names, side.is_counted(metric), strict=True) if counted.any()}
        for side in sides
    ]
    both = [name for name in sets.original.names if name in answered[0] & answered[1]]
    if not both:
        return None
    numbers = [None if own is None else own[images] for own, images in zip(_number(sets), chosen, strict=True)]
    made = [_make_side(side.sort(both), metric, own) for side, own in zip(sides, numbers, strict=True)]
    how = ShiftSettings(
        metric=metric, baseline=("*",), seed=settings.seed, level=settings.level, shared=settings.shared
    )
    return compare_sides(made[0], made[1], settings=how)


def _number(sets: TwoSets) -> list[CountArray | None]:
    """A number for every image of either set, equal for those that are the same; none where nothing is shared."""
    if not len(sets.shared):
        return [None, None]
    original = np.arange(len(sets.original), dtype=np.int64)
    new = np.arange(len(sets.new), dtype=np.int64) + len(original)
    new[sets.shared.rows_new] = sets.shared.rows_original
    return [original, new]


def _make_side(judged: AnsweredSet, metric: str, numbers: CountArray | None) -> Side:
    outcomes = judged.outcomes[metric]
    counts = np.stack([(outcomes == Outcome.RIGHT).sum(axis=1), (outcomes != Outcome.NOT_COUNTED).sum(axis=1)], axis=1)
    return Side(
        name=judged.name,
        models=judged.names,
        outcomes=outcomes,
        counts={metric: counts.astype(np.int64)},
        warnings=(),
        labels=judged.labels,
        image_scores={metric: score_images(outcomes)},
        numbers=numbers,
        people=frozenset(one.name for one in judged.who if one.is_person),
    )
