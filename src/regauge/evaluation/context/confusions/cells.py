"""Counting confusion matrices over classes as sorted cells: one with the images behind it, or everybody's at once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IntArray
from regauge.errors import InputError
from regauge.evaluation.context.confusions.answers import GivenAnswers
from regauge.evaluation.context.confusions.levels import ConfusionLevel
from regauge.evaluation.context.confusions.tallies import sum_parts
from regauge.records.evaluation.context.confusion import ConfusionCells

_N_THREADS = 2


@dataclass(frozen=True, slots=True, eq=False)
class CountedConfusions:
    """The confusion matrices of several participants, over classes and over groups.

    The cells of participant p that hold an image are `starts[p]:starts[p + 1]`, by label and then by prediction, those on the
    diagonal among them.

    Attributes:
        starts: where the cells of each participant start [participants + 1].
        labels: per cell, the dataset label.
        predicted: per cell, the class answered.
        counts: per cell, how many images.
        groups: per level, the counts [participants, rows, columns], where an answer that is in a group of the label counts on
            the diagonal of that group alone.
    """

    starts: CountArray
    labels: IntArray
    predicted: IntArray
    counts: IntArray
    groups: tuple[CountArray, ...]


def list_cells(answers: GivenAnswers, *, labels: IntArray, with_right: bool = False) -> ConfusionCells:
    """One participant's or people's confusion matrix as cells with the rows of their images, the fullest first.

    Args:
        answers: what was answered.
        labels: the dataset label of every image.
        with_right: also the cells on the diagonal.
    """
    own = labels[answers.rows]
    n_labelled = np.bincount(labels[answers.is_given], minlength=1)
    kept = np.ones(own.size, np.bool_) if with_right else own != answers.classes
    own, classes, rows = own[kept].astype(np.int64), answers.classes[kept], answers.rows[kept]
    weights = answers.weights[kept]
    stride = int(max(classes.max(initial=0), own.max(initial=0))) + 1
    keys, inverse = np.unique(own * stride + classes, return_inverse=True)
    counts = sum_parts(inverse, weights, size=keys.size)
    order = np.argsort(-counts.round(9), kind="stable")
    place = np.empty(keys.size, np.int64)
    place[order] = np.arange(keys.size)
    starts = np.concatenate(([0], np.cumsum(np.bincount(inverse, minlength=keys.size)[order])))
    found, predicted = keys[order] // stride, keys[order] % stride
    in_order = np.argsort(place[inverse], kind="stable")
    return ConfusionCells(
        name=answers.name,
        labels=found.astype(np.int32),
        predicted=predicted.astype(np.int32),
        counts=counts[order],
        n_labelled=n_labelled[found],
        starts=starts,
        rows=rows[in_order],
        parts=weights[in_order],
    )


def keep_cells(cells: ConfusionCells, is_kept: BoolArray) -> ConfusionCells:
    """Some of the cells, in their order."""
    sizes = np.diff(cells.starts)
    images = np.repeat(is_kept, sizes)
    return replace(
        cells,
        labels=cells.labels[is_kept],
        predicted=cells.predicted[is_kept],
        counts=cells.counts[is_kept],
        n_labelled=cells.n_labelled[is_kept],
        starts=np.concatenate(([0], np.cumsum(sizes[is_kept]))),
        rows=cells.rows[images],
        parts=cells.parts[images],
    )


def count_confusions(
    labels: IntArray, firsts: IntArray, *, n_classes: int, levels: Sequence[ConfusionLevel] = ()
) -> CountedConfusions:
    """Everybody's confusion matrices in one pass over the images, sorted by label.

    Images without a dataset label, and answers that are missing, are left out.

    Args:
        labels: the dataset label of every image.
        firsts: the first answers [participants, images]; `NO_CLASS` where there is none.
        n_classes: how many classes there are.
        levels: groupings to count over as well.

    Raises:
        InputError: an answer or a label is no class.
    """
    highest = int(max(labels.max(initial=NO_CLASS), firsts.max(initial=NO_CLASS)))
    if highest >= n_classes:
        raise InputError(
            f"There are {n_classes:,} classes, with indices from 0 to {n_classes - 1:,}, and class {highest:,} occurs."
        )
    from regauge.evaluation.context.confusions._kernels import add_groups, count_cells

    order, starts = _sort_by_label(labels, n_classes)
    tables = [_make_table(level) for level in levels]

    def count(place: int) -> tuple[IntArray, list[CountArray]]:
        cells = np.empty((3, order.size), np.int32)
        n = count_cells(order, starts, firsts[place], cells)
        matrices = []
        for level, (is_in, first, values) in zip(levels, tables, strict=True):
            matrices.append(np.zeros((level.n_rows, level.n_columns), np.int64))
            add_groups(cells[:, :n], first, values, is_in, matrices[-1])
        return cells[:, :n].copy(), matrices

    with ThreadPoolExecutor(_N_THREADS) as pool:
        found = list(pool.map(count, range(len(firsts))))
    sizes = [cells.shape[1] for cells, _ in found]
    joined = np.concatenate([np.zeros((3, 0), np.int32), *(cells for cells, _ in found)], axis=1)
    groups = tuple(
        np.array([matrices[place] for _, matrices in found], np.int64).reshape(-1, level.n_rows, level.n_columns)
        for place, level in enumerate(levels)
    )
    starts_of = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return CountedConfusions(starts_of, labels=joined[0], predicted=joined[1], counts=joined[2], groups=groups)


def _sort_by_label(labels: IntArray, n_classes: int) -> tuple[CountArray, CountArray]:
    """The rows of images with a label, sorted by it, and where those of each class start."""
    rows = np.flatnonzero(labels != NO_CLASS)
    order = rows[np.argsort(labels[rows], kind="stable")]
    return order, np.concatenate(([0], np.cumsum(np.bincount(labels[rows], minlength=n_classes)))).astype(np.int64)


def _make_table(level: ConfusionLevel) -> tuple[BoolArray, CountArray, CountArray]:
    """Which columns each class is in [classes, columns], and the same as lists: where each class starts, and columns."""
    is_in = level.find_members()
    if level.has_outside:
        is_in = np.concatenate([is_in, ~is_in.any(axis=1, keepdims=True)], axis=1)
    classes, columns = np.nonzero(is_in)
    starts = np.concatenate(([0], np.cumsum(np.bincount(classes, minlength=len(is_in))))).astype(np.int64)
    return is_in, starts, columns.astype(np.int64)
