"""Two test sets class by class: the change of every class, with limits, a test, and adjustments for many of them.

The same images are answered by all participants, so the images are what varies: of each image of a class the number of
participants that are right is one score, and the two sets give two independent samples of scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IntArray
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.sides import Side, check_same_models, sort_side
from regauge.records.evaluation.class_changes import EVERYBODY, TILTED_SCORE, ClassChange, ClassChanges
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.taxonomy import Taxonomy
from regauge.stats.multiplicity import benjamini_hochberg, holm
from regauge.stats.two_means import compare_means

_NO_SCORES: CountArray = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """The images of one set that count for all: their classes, and how many of the participants are right on each."""

    labels: IntArray
    n_right: CountArray

    def split(self) -> dict[int, CountArray]:
        """The scores of every class that has any."""
        order = np.argsort(self.labels, kind="stable")
        classes, starts = np.unique(self.labels[order], return_index=True)
        return dict(zip(classes.tolist(), np.split(self.n_right[order], starts[1:]), strict=True)) if len(order) else {}


def find_class_changes(
    original: Side,
    new: Side,
    *,
    settings: ShiftSettings,
    each: Sequence[str] = (),
    taxonomy: Taxonomy | None = None,
) -> ClassChanges:
    """The change new − original of every class that a set has, for the mean over participants and for those asked for.

    Limits and test go over the images of the class, see `stats.two_means`; p-values are adjusted over the classes of one
    participant. A class that one set lacks has a row without a change. Images without a dataset label are left out.

    Args:
        original: everybody on the original set.
        new: the same on the new set.
        settings: metric and level. Nothing is drawn.
        each: globs; the classes of every participant that matches are told as well.
        taxonomy: names the classes.

    Raises:
        InputError: the sides do not have the same participants, a set has no dataset labels, or a glob matches nobody, or a
            participant who is called as the mean over all is.
    """
    check_same_models(original, new)
    new = sort_side(new, original.models)
    chosen = _choose(original.models, each)
    sides = [(side, _find_labels(side)) for side in (original, new)]
    rows = list(_compare((_sum(*sides[0]), _sum(*sides[1])), EVERYBODY, len(original.models), settings))
    for name in chosen:
        place = original.models.index(name)
        alone = tuple(_Scores(labels, side.is_right[place].astype(np.int64)) for side, labels in sides)
        rows += _compare((alone[0], alone[1]), name, 1, settings)
    named = tuple(replace(row, class_id=_find_id(row.class_index, taxonomy)) for row in rows)
    notes = tuple(note for side, labels in sides for note in _note_images(side, labels))
    return ClassChanges(original.name, new.name, settings.metric, named, settings.level, settings.seed, notes)


def _choose(models: Sequence[str], globs: Sequence[str]) -> list[str]:
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in models):
            raise InputError(f"No participant matches {glob!r}, so there are no classes of it to show.")
    chosen = [name for name in models if any(fnmatchcase(name, glob) for glob in globs)]
    if EVERYBODY in chosen:
        raise InputError(
            f"A participant called {EVERYBODY!r} cannot be told from the mean over all of them; rename it."
        )
    return chosen


def _find_labels(side: Side) -> IntArray:
    """The dataset labels of the images that count for everybody."""
    if side.labels is None:
        raise InputError(f"{side.name} has no dataset labels, so its images cannot be told apart by class.")
    return side.labels[side.is_shared]


def _sum(side: Side, labels: IntArray) -> _Scores:
    return _Scores(labels, side.is_right.sum(axis=0, dtype=np.int64))


def _compare(
    scores: tuple[_Scores, _Scores], participant: str, n_participants: int, settings: ShiftSettings
) -> list[ClassChange]:
    """All classes of one participant, or of the mean, by evidence."""
    classes = np.union1d(scores[0].labels, scores[1].labels)
    by_class = [side.split() for side in scores]
    rows = []
    for index in classes[classes != NO_CLASS].tolist():
        first, second = (own.get(index, _NO_SCORES) for own in by_class)
        row = ClassChange(
            participant=participant,
            n_participants=n_participants,
            class_index=index,
            class_id=None,
            n_original=len(first),
            n_new=len(second),
            original=_average(first, n_participants),
            new=_average(second, n_participants),
        )
        rows.append(_judge(row, first, second, settings) if len(first) and len(second) else row)
    return sorted(_adjust(rows), key=_find_place)


def _average(scores: CountArray, top: int) -> float | None:
    return float(scores.mean()) / top if len(scores) else None


def _judge(row: ClassChange, first: CountArray, second: CountArray, settings: ShiftSettings) -> ClassChange:
    found = compare_means(first, second, top=row.n_participants, level=settings.level)
    return replace(
        row,
        change=float(second.mean() - first.mean()) / row.n_participants,
        low=found.low,
        high=found.high,
        interval=TILTED_SCORE,
        p=found.p,
        test=TILTED_SCORE,
    )


def _adjust(rows: Sequence[ClassChange]) -> list[ClassChange]:
    p = np.array([np.nan if row.p is None else row.p for row in rows], np.float64)
    columns = zip(rows, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    return [row if row.p is None else replace(row, p_holm=one, p_bh=other) for row, one, other in columns]


def _find_place(row: ClassChange) -> tuple[float, float, int]:
    """By p-value, then by the size of the change; classes that cannot be compared come last."""
    return (2.0 if row.p is None else row.p, -abs(row.change or 0.0), row.class_index)


def _find_id(class_index: int, taxonomy: Taxonomy | None) -> str | None:
    return None if taxonomy is None or class_index >= len(taxonomy) else taxonomy.classes[class_index].id


def _note_images(side: Side, labels: IntArray) -> Iterator[str]:
    n_left = side.outcomes.shape[1] - len(labels)
    if n_left:
        yield f"{count_things(n_left, 'image')} of {side.name} left out class by class: not counted for every participant."
    n_unlabelled = int((labels == NO_CLASS).sum())
    if n_unlabelled:
        yield f"{count_things(n_unlabelled, 'image')} of {side.name} without a dataset label, and so in no class."
