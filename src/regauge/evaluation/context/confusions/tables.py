"""Tables of what is taken for what: how many images leave their class or group, and the fullest cells over classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.evaluation.context.confusions.answers import GivenAnswers
from regauge.evaluation.context.confusions.cells import CountedConfusions
from regauge.evaluation.context.confusions.levels import CLASSES, ConfusionLevel
from regauge.evaluation.context.confusions.ranking import ListPlan, ListStability, try_list
from regauge.evaluation.context.confusions.tallies import ImageTally, add_parts, tally, tell_shares
from regauge.evaluation.context.contract import ContextMaterial
from regauge.records.evaluation.context.confusion import ConfusionCells
from regauge.records.evaluation.context.report import ContextSettings

Rows: TypeAlias = Iterator[dict[str, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class RankedCells:
    """The fullest cells of one matrix, how many of them are listed, and how firmly they stand there."""

    cells: ConfusionCells
    stability: ListStability

    @property
    def n_listed(self) -> int:
        """How many cells are listed."""
        return len(self.stability.stays)


def rank_cells(cells: ConfusionCells, *, n_images: int, settings: ContextSettings) -> RankedCells:
    """The cells, tried by redrawing the images."""
    plan = ListPlan(settings.n_listed, n_images, settings.n_bootstrap, settings.seed, settings.level)
    return RankedCells(cells, try_list(cells, plan))


def tell_cells(ranked: RankedCells, material: ContextMaterial, *, level: float) -> Rows:
    """The listed cells of one matrix, one row each."""
    cells, n = ranked.cells, ranked.n_listed
    counted = tally(np.repeat(np.arange(len(cells)), np.diff(cells.starts)), cells.parts, size=len(cells))
    shares = tell_shares(
        "confused",
        ImageTally(counted.counts[:n], counted.n_whole[:n], counted.n_tied[:n]),
        n=cells.n_labelled[:n],
        level=level,
    )
    for place, share in enumerate(shares):
        yield {
            "predictor": cells.name,
            "rank": place + 1,
            **name_class(material, int(cells.labels[place]), column="label"),
            **name_class(material, int(cells.predicted[place]), column="predicted"),
            **share,
            "stays": float(ranked.stability.stays[place]),
        }


def name_class(material: ContextMaterial, index: int, *, column: str) -> dict[str, Any]:
    """A class by its index, id and name; None where there is no taxonomy."""
    known = None if material.taxonomy is None else material.taxonomy.classes[index]
    return {
        column: index,
        f"{column}_id": None if known is None else str(known.id),
        f"{column}_name": None if known is None else known.name,
    }


def tell_confused(
    people: Sequence[GivenAnswers],
    confusions: CountedConfusions | None,
    *,
    material: ContextMaterial,
    levels: Sequence[ConfusionLevel],
    confidence: float,
) -> Rows:
    """Per level and predictor how many images are predicted as another class, or as one in none of the groups of theirs."""
    for level in levels:
        apart = find_apart(level)
        names = [one.name for one in people]
        parts = [_count_left(one, apart, material.labels) for one in people]
        if confusions is not None:
            names += material.participants
            n, left = _count_all_left(confusions, apart, len(material.participants))
            parts += [
                (ImageTally(k.astype(np.float64), k, np.zeros(1, np.int64)), m) for k, m in zip(left, n, strict=True)
            ]
        for place, (name, (found, n)) in enumerate(zip(names, parts, strict=True)):
            (share,) = tell_shares("confused", found, n=n, level=confidence)
            yield {
                "predictor": name,
                "is_people": place < len(people),
                "scope": level.scope,
                "grouping": level.grouping or None,
                **share,
            }


@dataclass(frozen=True, slots=True, eq=False)
class _Apart:
    """Which classes count, and which two of them are apart [labels, answers]; None where all that differ are."""

    is_counted: BoolArray
    pairs: BoolArray | None

    def find(self, labels: IntArray, classes: IntArray) -> BoolArray:
        """Whether each answer is apart from the label."""
        return np.asarray(labels != classes if self.pairs is None else self.pairs[labels, classes])


def find_apart(level: ConfusionLevel) -> _Apart:
    """Two classes are apart at a level if the first has a group, and the second is in none of its groups."""
    n_groups = np.diff(level.starts)
    if level.scope == CLASSES:
        return _Apart(n_groups > 0, None)
    is_in = level.find_members().astype(np.float32)
    return _Apart(n_groups > 0, ((is_in @ is_in.T) == 0) & (n_groups > 0)[:, np.newaxis])


def _count_left(answers: GivenAnswers, apart: _Apart, labels: IntArray) -> tuple[ImageTally, CountArray]:
    left = apart.find(labels[answers.rows], answers.classes)
    _, parts = add_parts(answers.rows[left], answers.weights[left])
    n = np.count_nonzero(apart.is_counted[labels[answers.is_given]])
    return tally(np.zeros(parts.size, np.int64), parts, size=1), np.array([n])


def _count_all_left(confusions: CountedConfusions, apart: _Apart, n_participants: int) -> tuple[CountArray, CountArray]:
    owner = np.repeat(np.arange(n_participants), np.diff(confusions.starts))
    left = apart.find(confusions.labels, confusions.predicted)
    counted = apart.is_counted[confusions.labels]
    found = [np.bincount(owner[kept], confusions.counts[kept], n_participants) for kept in (counted, left)]
    n, n_left = (one.astype(np.int64)[:, np.newaxis] for one in found)
    return n, n_left
