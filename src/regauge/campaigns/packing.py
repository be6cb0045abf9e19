"""Pack (image, class) pairs into grids, with controls at random places.

Pairs are packed by class into the fewest grids. A grid that they do not fill repeats pairs that other grids of the class hold,
and then takes more controls: grids are of one size as far as there are images, so that a rest looks like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from regauge.errors import InputError
from regauge.records.arrays import IntArray
from regauge.records.responses import MAX_CELLS, Control


@dataclass(frozen=True, slots=True)
class GridShape:
    """How large a grid is, and how many of its cells are controls at least."""

    n_cells: int = 48
    n_positive: int = 3
    n_negative: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.n_cells <= MAX_CELLS:
            raise InputError(f"A grid has 1 to {MAX_CELLS} cells, not {self.n_cells}.")
        if min(self.n_positive, self.n_negative) < 0 or self.n_pairs < 1:
            raise InputError(
                f"A grid of {self.n_cells} cells with {self.n_positive} positive and {self.n_negative} negative controls has no "
                "room for a pair; take fewer controls or more cells."
            )

    @property
    def n_pairs(self) -> int:
        """Cells that are no controls, at most."""
        return self.n_cells - self.n_positive - self.n_negative

    @property
    def least(self) -> dict[Control, int]:
        """The kinds of control that a grid has, and how many of each at least."""
        both = {Control.POSITIVE: self.n_positive, Control.NEGATIVE: self.n_negative}
        return {control: n for control, n in both.items() if n}


@dataclass(frozen=True, slots=True)
class Grid:
    """One grid: the class it asks for, and per cell an image and a `Control`."""

    class_index: int
    images: tuple[int, ...]
    controls: tuple[Control, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ControlPool:
    """Images whose answer is known for a class: with it, and without it."""

    positive: Mapping[int, IntArray]
    negative: Mapping[int, IntArray]


def count_grids(classes: IntArray, shape: GridShape) -> int:
    """The fewest grids that hold the pairs: per class, as many as its pairs fill.

    >>> count_grids(np.array([0] * 42 + [1] * 43, np.int32), GridShape())
    3
    """
    return int(np.ceil(np.bincount(classes) / shape.n_pairs).sum()) if len(classes) else 0


def pack_grids(
    images: IntArray, classes: IntArray, *, controls: ControlPool, shape: GridShape, rng: np.random.Generator
) -> list[Grid]:
    """Every (image, class) pair in exactly one grid, or once more where a rest is filled up.

    Args:
        images: per pair, an image.
        classes: per pair, the class that is sought in it.
        controls: images with known answers.
        shape: size and controls of a grid.
        rng: decides which pairs and controls meet, and where they stand.

    Raises:
        InputError: a pair is listed twice, or a class lacks controls.
    """
    _check_pairs(images, classes)
    packer = _Packer(controls, shape, rng)
    grids = [
        grid
        for class_index in np.unique(classes).tolist()
        for grid in packer.pack(class_index, images[classes == class_index])
    ]
    return [grids[place] for place in rng.permutation(len(grids))]


@dataclass(frozen=True, slots=True, eq=False)
class _Packer:
    """Fills the grids of one class at a time."""

    controls: ControlPool
    shape: GridShape
    rng: np.random.Generator

    def pack(self, class_index: int, images: IntArray) -> list[Grid]:
        """The fewest grids, as evenly filled as can be."""
        shuffled = self.rng.permutation(images)
        n_grids = count_grids(np.zeros(len(images), np.int32), self.shape)
        return [self._fill(class_index, part, shuffled) for part in np.array_split(shuffled, n_grids)]

    def _fill(self, class_index: int, part: IntArray, everyone: IntArray) -> Grid:
        spare = everyone[~np.isin(everyone, part)]
        repeated = self.rng.choice(spare, size=min(self.shape.n_pairs - len(part), len(spare)), replace=False)
        taken = np.concatenate([part, repeated])
        cells = [(int(image), Control.NONE) for image in taken]
        cells += self._draw_controls(class_index, taken)
        order = self.rng.permutation(len(cells))
        return Grid(class_index, tuple(cells[at][0] for at in order), tuple(cells[at][1] for at in order))

    def _draw_controls(self, class_index: int, taken: IntArray) -> list[tuple[int, Control]]:
        """The controls that a grid must have, and as many more of both kinds as fill it, as far as there are images."""
        pools = {control: self._find_pool(control, class_index, taken) for control in self.shape.least}
        counts = {control: self.shape.least[control] for control in pools}
        n_rest = self.shape.n_pairs - len(taken)
        while n_rest and (spare := [one for one in pools if counts[one] < len(pools[one])]):
            counts[min(spare, key=lambda one: counts[one])] += 1
            n_rest -= 1
        return [
            (int(image), control)
            for control, pool in pools.items()
            for image in self.rng.choice(pool, size=counts[control], replace=False)
        ]

    def _find_pool(self, control: Control, class_index: int, taken: IntArray) -> IntArray:
        """Images that can be controls of one kind."""
        pools = self.controls.positive if control is Control.POSITIVE else self.controls.negative
        pool = pools.get(class_index, np.empty(0, np.int32))
        usable = pool[~np.isin(pool, taken)]
        least = self.shape.least[control]
        if len(usable) < least:
            raise InputError(
                f"Class {class_index} has {len(usable)} images for {control.name.lower()} controls; a grid needs {least}. What "
                "a grid asks about cannot be its control: leave some images out with --pairs, take controls from a test set "
                "with more images, or take fewer controls."
            )
        return usable


def _check_pairs(images: IntArray, classes: IntArray) -> None:
    if not len(images):
        raise InputError("There are no pairs to ask about; give images with classes.")
    keys = images.astype(np.int64) * (int(classes.max()) + 1) + classes
    _, counts = np.unique(keys, return_counts=True)
    if (counts > 1).any():
        raise InputError("A pair of image and class is listed twice; each is asked for once.")
