"""Another round of grids for pairs that are still open: smaller ones, with controls of their own and nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.campaigns.packing import ControlPool, Grid, GridShape, pack_grids


@dataclass(frozen=True, slots=True)
class OpenPair:
    """A pair that is asked about once more: its image and class by number, and the positions of the tasks that showed it."""

    image: int
    class_index: int
    shown_at: frozenset[int]


@dataclass(frozen=True, slots=True)
class RoundGrid:
    """A grid of the next round, and the positions of the tasks that showed one of its pairs before."""

    grid: Grid
    after: tuple[int, ...]


def pack_round(
    pairs: Sequence[OpenPair], *, controls: ControlPool, shape: GridShape, rng: np.random.Generator
) -> list[RoundGrid]:
    """Every pair in exactly one grid of its class.

    Unlike the first round no pair is repeated to fill a grid, for that would ask more people about it than is wanted, and none is
    filled up with controls: a grid is as large as its pairs and the least controls. Pairs that were shown together stay together
    as far as possible, so that few people are kept from a grid because they have judged one of its pairs.

    Args:
        pairs: what is open.
        controls: images with known answers.
        shape: size and controls of a grid at most.
        rng: decides the controls and where everything stands.

    Raises:
        InputError: a class lacks controls.
    """
    shown = controls.shown + Counter(pair.image for pair in pairs)
    grids = []
    for class_index in sorted({pair.class_index for pair in pairs}):
        for part in _split([pair for pair in pairs if pair.class_index == class_index], shape.n_pairs):
            grids.append(_pack(part, replace(controls, shown=shown), shape, rng))
            shown.update(grids[-1].grid.images)
    return [grids[place] for place in rng.permutation(len(grids))]


def _split(pairs: list[OpenPair], n_pairs: int) -> Iterator[list[OpenPair]]:
    """The fewest parts, as even as can be, of pairs that were shown together."""
    ordered = sorted(pairs, key=lambda pair: (sorted(pair.shown_at), pair.image))
    n_parts = -(-len(ordered) // n_pairs)
    for places in np.array_split(np.arange(len(ordered)), n_parts):
        yield [ordered[place] for place in places]


def _pack(part: list[OpenPair], controls: ControlPool, shape: GridShape, rng: np.random.Generator) -> RoundGrid:
    images = np.array([pair.image for pair in part], np.int32)
    classes = np.array([pair.class_index for pair in part], np.int32)
    least = GridShape(len(part) + shape.n_positive + shape.n_negative, shape.n_positive, shape.n_negative)
    (grid,) = pack_grids(images, classes, controls=controls, shape=least, rng=rng)
    return RoundGrid(grid, tuple(sorted(frozenset().union(*(pair.shown_at for pair in part)))))
