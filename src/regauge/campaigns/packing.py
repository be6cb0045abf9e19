"""Pack (image, class) pairs into grids, with controls at random places.

Pairs are packed by class into the fewest grids. A grid that they do not fill repeats pairs that other grids of the class hold,
and then takes more controls: grids are of one size as far as there are images, so that a rest looks like any other.

Whoever meets an image again can tell that it is a control, since a pair is asked about once. So controls are taken first from
images that stand in no grid yet, and a grid is filled up with no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from regauge.arrays import IntArray
from regauge.errors import InputError
from regauge.records.responses.answers import Control, GridShape


class Shortage(NamedTuple):
    """That a class has too few images for controls of one kind."""

    class_index: int
    control: Control
    n_images: int
    n_needed: int


class ControlShortageError(InputError):
    """Some classes have too few images for the controls of a grid; knows them all."""

    def __init__(self, shortages: Sequence[Shortage]) -> None:
        first = shortages[0]
        super().__init__(
            f"Class {first.class_index} has {first.n_images} images for {first.control.name.lower()} controls; a grid needs "
            f"{first.n_needed}."
        )
        self.shortages = tuple(shortages)


@dataclass(frozen=True, slots=True)
class Grid:
    """One grid: the class it asks for, and per cell an image and a `Control`."""

    class_index: int
    images: tuple[int, ...]
    controls: tuple[Control, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ControlPool:
    """Images whose answer is known for a class.

    Attributes:
        positive: per class, images with it.
        negative: per class, images without it.
        shown: images that people are shown elsewhere, as often as they are; they are taken last.
    """

    positive: Mapping[int, IntArray]
    negative: Mapping[int, IntArray]
    shown: Counter[int] = field(default_factory=Counter)

    def list_usable(self, control: Control, class_index: int, *, taken: IntArray) -> IntArray:
        """The images that can be controls of one kind in a grid that has some images already."""
        pools = self.positive if control is Control.POSITIVE else self.negative
        pool = pools.get(class_index, np.empty(0, np.int32))
        return pool[~np.isin(pool, taken)]


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
        ControlShortageError: classes lack controls.
        InputError: a pair is listed twice.
    """
    _check_pairs(images, classes)
    shown = controls.shown + Counter(images.tolist())
    packer = _Packer(replace(controls, shown=shown), shape, rng)
    grids = [
        grid
        for class_index in np.unique(classes).tolist()
        for grid in packer.pack(class_index, images[classes == class_index])
    ]
    if packer.shortages:
        raise ControlShortageError(list(packer.shortages.values()))
    return [grids[place] for place in rng.permutation(len(grids))]


def fill_grids(
    grids: Sequence[Grid], *, controls: ControlPool, shape: GridShape, rng: np.random.Generator
) -> list[Grid]:
    """The grids with as many more controls of both kinds as fill them, as far as there are images that stand nowhere else."""
    shown = controls.shown + Counter(image for grid in grids for image in grid.images)
    filler = _Packer(replace(controls, shown=shown), shape, rng)
    return [filler.fill(grid) for grid in grids]


def count_again(grids: Sequence[Grid], *, shown: Collection[int] = ()) -> tuple[int, int]:
    """How many cells of some grids are controls, and how many of these show an image that stands in another grid too.

    Args:
        grids: the grids.
        shown: images that people are shown elsewhere.
    """
    times = Counter(image for grid in grids for image in grid.images)
    known = [
        image
        for grid in grids
        for image, control in zip(grid.images, grid.controls, strict=True)
        if control is not Control.NONE
    ]
    return len(known), sum(times[image] > 1 or image in shown for image in known)


@dataclass(frozen=True, slots=True, eq=False)
class _Packer:
    """Fills the grids of one class at a time; which images stand where is counted while it does."""

    controls: ControlPool
    shape: GridShape
    rng: np.random.Generator
    shortages: dict[tuple[int, Control], Shortage] = field(default_factory=dict)

    def pack(self, class_index: int, images: IntArray) -> list[Grid]:
        """The fewest grids, as evenly filled as can be."""
        shuffled = self.rng.permutation(images)
        n_grids = count_grids(np.zeros(len(images), np.int32), self.shape)
        return [self._make(class_index, part, shuffled) for part in np.array_split(shuffled, n_grids)]

    def fill(self, grid: Grid) -> Grid:
        """The grid with more controls, of the kinds that it has, from images that stand nowhere else."""
        taken = np.array(grid.images, np.int32)
        usable = {one: self.controls.list_usable(one, grid.class_index, taken=taken) for one in self.shape.least}
        fresh = {
            one: [image for image in self._order(pool) if not self.controls.shown[image]]
            for one, pool in usable.items()
        }
        counts = Counter(grid.controls)
        cells = list(zip(grid.images, grid.controls, strict=True))
        while len(cells) < self.shape.n_cells and (spare := [one for one in fresh if fresh[one]]):
            chosen = min(spare, key=lambda one: counts[one])
            cells.append((fresh[chosen].pop(), chosen))
            counts[chosen] += 1
        self.controls.shown.update(image for image, _ in cells[len(grid.images) :])
        return grid if len(cells) == len(grid.images) else self._shuffle(grid.class_index, cells)

    def _make(self, class_index: int, part: IntArray, everyone: IntArray) -> Grid:
        spare = everyone[~np.isin(everyone, part)]
        repeated = self.rng.choice(spare, size=min(self.shape.n_pairs - len(part), len(spare)), replace=False)
        taken = np.concatenate([part, repeated])
        cells = [(int(image), Control.NONE) for image in taken]
        for control, least in self.shape.least.items():
            cells += [(image, control) for image in self._pick(control, least, class_index=class_index, taken=taken)]
        return self._shuffle(class_index, cells)

    def _pick(self, control: Control, least: int, *, class_index: int, taken: IntArray) -> list[int]:
        """The controls of one kind that a grid must have, those first that stand in the fewest others."""
        usable = self.controls.list_usable(control, class_index, taken=taken)
        if len(usable) < least:
            # All classes are looked at before anything is said.
            found = Shortage(class_index, control, len(usable), least)
            key = class_index, control
            self.shortages[key] = min(found, self.shortages.get(key, found), key=lambda one: one.n_images)
        drawn = self._order(usable)[:least]
        self.controls.shown.update(drawn)
        return drawn

    def _order(self, images: IntArray) -> list[int]:
        """Images by how often they are shown elsewhere, equal ones at random."""
        return sorted(self.rng.permutation(images).tolist(), key=lambda image: self.controls.shown[image])

    def _shuffle(self, class_index: int, cells: Sequence[tuple[int, Control]]) -> Grid:
        order = self.rng.permutation(len(cells))
        return Grid(class_index, tuple(cells[at][0] for at in order), tuple(cells[at][1] for at in order))


def _check_pairs(images: IntArray, classes: IntArray) -> None:
    if not len(images):
        raise InputError("There are no pairs to ask about; give images with classes.")
    keys = images.astype(np.int64) * (int(classes.max()) + 1) + classes
    _, counts = np.unique(keys, return_counts=True)
    if (counts > 1).any():
        raise InputError("A pair of image and class is listed twice; each is asked for once.")
