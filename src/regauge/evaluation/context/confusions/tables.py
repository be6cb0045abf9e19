"""Tables of what is taken for what: how many images leave their class or group, and the fullest cells over classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.evaluation.context.basis.tables import put_class
from regauge.evaluation.context.confusions.answers import GivenAnswers
from regauge.evaluation.context.confusions.cells import CountedConfusions
from regauge.evaluation.context.confusions.levels import CLASSES, ConfusionLevel
from regauge.evaluation.context.confusions.tallies import ImageTally, add_parts, tally, tell_shares
from regauge.evaluation.context.contract import ContextMaterial
from regauge.records.evaluation.context.confusion import ConfusionCells
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.listings import ListFirmness, measure_firmness
from regauge.stats.redraws import draw_some

Rows: TypeAlias = Iterator[dict[str, Any]]

MAX_RANKED = 4_000
"""Cells that may enter the list when images are redrawn: those that are fullest as it is."""
_BATCH_NUMBERS = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class RankedCells:
    """The fullest cells of one matrix, how many of them are listed, and how firmly they stand there."""

    cells: ConfusionCells
    firmness: ListFirmness

    @property
    def n_listed(self) -> int:
        """How many cells are listed."""
        return len(self.firmness.stays)


def rank_cells(cells: ConfusionCells, *, n_images: int, settings: ContextSettings) -> RankedCells:
    """The cells, tried by redrawing the images."""
    replicates = redraw_cells(cells, n_images=n_images, settings=settings)
    return RankedCells(cells, measure_firmness(replicates, settings.n_listed, level=settings.level))


def redraw_cells(cells: ConfusionCells, *, n_images: int, settings: ContextSettings) -> FloatArray:
    """Images in the fullest cells when all images are drawn again [redraws, cells]; NaN for a cell that comes out empty."""
    n_cells = min(len(cells), MAX_RANKED)
    if not n_cells:
        return np.zeros((settings.n_bootstrap, 0))
    used = slice(0, cells.starts[n_cells])
    images, image = np.unique(cells.rows[used], return_inverse=True)
    parts, starts = cells.parts[used].astype(np.float32), cells.starts[:n_cells]
    replicates = np.empty((settings.n_bootstrap, n_cells))
    rng = np.random.default_rng(settings.seed)
    step = max(1, _BATCH_NUMBERS // len(image))
    for first in range(0, len(replicates), step):
        rows = slice(first, min(first + step, len(replicates)))
        drawn = draw_some(images.size, n_images, rng=rng, n_resamples=rows.stop - rows.start)
        replicates[rows] = np.add.reduceat(drawn[:, image] * parts, starts, axis=1)
    replicates[replicates <= 0] = np.nan
    return replicates


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
    classes = put_class(cells.labels[:n], material.taxonomy, name="label")
    classes |= put_class(cells.predicted[:n], material.taxonomy, name="predicted")
    for place, share in enumerate(shares):
        yield {
            "predictor": cells.name,
            "rank": place + 1,
            **{name: column[place] for name, column in classes.items()},
            **share,
            "stays": float(ranked.firmness.stays[place]),
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
