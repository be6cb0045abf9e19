"""Grids of another round."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regauge.campaigns.packing import ControlPool
from regauge.errors import InputError
from regauge.kinds.contains.rounds import OpenPair, RoundGrid, pack_round
from regauge.records.responses.answers import Control, GridShape

SHAPE = GridShape(8, n_positive=1, n_negative=1)
POOL = ControlPool({0: np.array([100, 101]), 1: np.array([100, 101])}, {0: np.array([200]), 1: np.array([201])})


def pack(pairs: list[OpenPair], shape: GridShape = SHAPE) -> list[RoundGrid]:
    return pack_round(pairs, controls=POOL, shape=shape, rng=np.random.default_rng(0))


@given(st.sets(st.tuples(st.integers(0, 40), st.integers(0, 1)), min_size=1))
@settings(max_examples=50, deadline=None)
def test_every_pair_is_in_exactly_one_grid_of_its_class_and_grids_have_the_least_controls(found):
    pairs = [OpenPair(image, index, frozenset({image % 3})) for image, index in sorted(found)]
    made = pack(pairs)
    cells = Counter(
        (image, one.grid.class_index)
        for one in made
        for image, control in zip(one.grid.images, one.grid.controls, strict=True)
        if control is Control.NONE
    )
    assert cells == Counter(found)
    assert all(Counter(one.grid.controls)[Control.POSITIVE] == 1 for one in made)
    assert all(len(one.grid.images) <= SHAPE.n_cells for one in made)
    # The fewest grids: six pairs of a class fill one.
    n_of_class = Counter(index for _, index in found)
    assert len(made) == sum(-(-n // 6) for n in n_of_class.values())


def test_a_grid_names_all_tasks_that_showed_one_of_its_pairs():
    (made,) = pack([OpenPair(1, 0, frozenset({4, 9})), OpenPair(2, 0, frozenset({4}))])
    assert made.after == (4, 9)


def test_pairs_that_were_shown_together_stay_together():
    pairs = [OpenPair(image, 0, frozenset({image % 2})) for image in range(12)]
    assert sorted(one.after for one in pack(pairs)) == [(0,), (1,)]


def test_a_class_without_controls_is_refused():
    with pytest.raises(InputError, match="Class 7 has 0 images for positive controls"):
        pack([OpenPair(1, 7, frozenset())])
