"""Confusion matrices over all classes and over the groups of a grouping, as cells that pairs of label and answer fall into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.evaluation.context.confusions.answers import GivenAnswers
from regauge.records.taxonomy import Taxonomy
from regauge.taxonomy.groups import find_groups

CLASSES, GROUPS = "classes", "groups"
OUTSIDE = "(no group)"
"""The column of answers that no group holds."""


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionLevel:
    """Rows and columns of a confusion matrix.

    An answer is in the cell (A, B) of an image in row A if it is in column B and not in column A: groups may overlap, and who
    stays within a group has not left it. So the cells beside the diagonal count what leaves its row.

    Attributes:
        scope: `CLASSES` or `GROUPS`.
        grouping: which grouping; empty for classes.
        names: the rows; the columns are the same, and a last one for what is in no group where some class is in none.
        starts: where the groups of each class start [classes + 1].
        groups: the groups of the classes, class after class.
        has_outside: whether some class is in no group.
    """

    scope: str
    grouping: str
    names: tuple[str, ...]
    starts: CountArray
    groups: CountArray
    has_outside: bool

    @property
    def n_rows(self) -> int:
        """How many rows the matrix has."""
        return len(self.names)

    @property
    def n_columns(self) -> int:
        """How many columns it has."""
        return self.n_rows + self.has_outside

    @property
    def columns(self) -> tuple[str, ...]:
        """What the columns are called."""
        return (*self.names, OUTSIDE) if self.has_outside else self.names

    @property
    def n_beside(self) -> int:
        """Cells beside the diagonal in one row."""
        return self.n_columns - 1

    def find_members(self) -> BoolArray:
        """Which groups each class is in [classes, rows]."""
        n_groups = np.diff(self.starts)
        is_in = np.zeros((n_groups.size, self.n_rows), np.bool_)
        is_in[np.repeat(np.arange(n_groups.size), n_groups), self.groups] = True
        return is_in

    def find_rows(self, labels: IntArray | CountArray) -> tuple[CountArray, CountArray]:
        """Per image in turn the rows that its label is in: positions in `labels`, and rows."""
        return _expand(self.starts, self.groups, labels)


@dataclass(frozen=True, slots=True, eq=False)
class CellPairs:
    """Pairs of an image and a cell.

    Attributes:
        rows: per pair, the row of its image among all images.
        cells: per pair, row · n_columns + column of its cell.
        weights: per pair, its part of the image.
    """

    rows: CountArray
    cells: CountArray
    weights: FloatArray


def make_class_level(n_classes: int) -> ConfusionLevel:
    """The matrix over all classes."""
    each = np.arange(n_classes, dtype=np.int64)
    names = tuple(map(str, range(n_classes)))
    return ConfusionLevel(CLASSES, "", names, np.arange(n_classes + 1, dtype=np.int64), each, has_outside=False)


def make_group_levels(taxonomy: Taxonomy | None) -> list[ConfusionLevel]:
    """The matrix over the groups of every grouping; none without a taxonomy or groupings."""
    if taxonomy is None:
        return []
    return [
        make_group_level(one.name, find_groups(taxonomy, one.name), n_classes=len(taxonomy))
        for one in taxonomy.groupings
    ]


def make_group_level(name: str, members: Mapping[str, IntArray], *, n_classes: int) -> ConfusionLevel:
    """The matrix over groups that are given by their classes."""
    groups = np.repeat(np.arange(len(members)), [len(one) for one in members.values()])
    classes = np.concatenate([*members.values(), np.zeros(0, np.int32)]).astype(np.int64)
    order = np.lexsort((groups, classes))
    n_groups = np.bincount(classes, minlength=n_classes)
    starts = np.concatenate(([0], np.cumsum(n_groups))).astype(np.int64)
    return ConfusionLevel(GROUPS, name, tuple(members), starts, groups[order], has_outside=bool((n_groups == 0).any()))


def find_cells(level: ConfusionLevel, answers: GivenAnswers, *, labels: IntArray) -> CellPairs:
    """The cells beside the diagonal that answers fall into; an image falls into each of them once at most.

    Several classes that share an image add up where they are in one group.
    """
    at, cells = expand_cells(level, answers.classes, labels=labels[answers.rows])
    return _merge(CellPairs(answers.rows[at], cells, answers.weights[at]), level)


def expand_cells(
    level: ConfusionLevel, classes: IntArray | CountArray, *, labels: IntArray
) -> tuple[CountArray, CountArray]:
    """Per pair of a label and an answer its cells beside the diagonal, pair after pair: positions of pairs, and cells."""
    pairs = np.flatnonzero(classes != labels)
    if level.scope == CLASSES:
        return pairs, labels[pairs].astype(np.int64) * level.n_columns + classes[pairs]
    at, row = level.find_rows(labels[pairs])
    pairs = pairs[at]
    at, column = _expand_columns(level, classes[pairs])
    stays = np.zeros(pairs.size, np.bool_)
    stays[at[column == row[at]]] = True
    leaves = ~stays[at]
    at, column = at[leaves], column[leaves]
    return pairs[at], row[at] * level.n_columns + column


def _expand_columns(level: ConfusionLevel, classes: IntArray | CountArray) -> tuple[CountArray, CountArray]:
    at, column = _expand(level.starts, level.groups, classes)
    if not level.has_outside:
        return at, column
    outside = np.flatnonzero(np.diff(level.starts)[classes] == 0)
    return np.concatenate([at, outside]), np.concatenate([column, np.full(outside.size, level.n_rows)])


def _expand(starts: CountArray, values: CountArray, classes: IntArray | CountArray) -> tuple[CountArray, CountArray]:
    """Each class replaced by its values: positions in `classes`, and values."""
    lengths = np.diff(starts)[classes]
    at = np.repeat(np.arange(len(classes)), lengths)
    inside = np.arange(at.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return at, values[starts[classes][at] + inside]


def _merge(pairs: CellPairs, level: ConfusionLevel) -> CellPairs:
    """Pairs of one image and one cell put together: parts of an image add up, and a whole image is there once."""
    n_cells = level.n_rows * level.n_columns
    keys, inverse = np.unique(pairs.rows * n_cells + pairs.cells, return_inverse=True)
    weights = np.minimum(np.bincount(inverse, pairs.weights, keys.size), 1.0)
    return CellPairs(keys // n_cells, keys % n_cells, weights)
