"""Grids: every pair once, controls hidden among them, and as few grids as can be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from regauge.arrays import IntArray
from regauge.campaigns.packing import ControlPool, Grid, count_again, count_grids, fill_grids, pack_grids
from regauge.errors import InputError
from regauge.records.responses.answers import Control, GridShape

N_POOL = 60
AUTHORS_GRIDS = 6_298
OUR_GRIDS = 5_147


def make_pool(classes: IntArray, *, n_positive: int = N_POOL, n_negative: int = N_POOL) -> ControlPool:
    """Controls of every class, with numbers that no pair has."""
    names = np.unique(classes).tolist()
    starts = {index: 1_000_000 + 1_000 * place for place, index in enumerate(names)}
    return ControlPool(
        {index: np.arange(start, start + n_positive, dtype=np.int32) for index, start in starts.items()},
        {index: np.arange(start + 500, start + 500 + n_negative, dtype=np.int32) for index, start in starts.items()},
    )


def pack(images: IntArray, classes: IntArray, shape: GridShape, *, seed: int = 0) -> list[Grid]:
    return pack_full(images, classes, make_pool(classes), shape, seed=seed)


def pack_full(images: IntArray, classes: IntArray, pool: ControlPool, shape: GridShape, *, seed: int = 0) -> list[Grid]:
    rng = np.random.default_rng(seed)
    grids = pack_grids(images, classes, controls=pool, shape=shape, rng=rng)
    return fill_grids(grids, controls=pool, shape=shape, rng=rng)


def find_controls(grid: Grid) -> list[int]:
    cells = zip(grid.images, grid.controls, strict=True)
    return [image for image, control in cells if control is not Control.NONE]


def find_pairs(grid: Grid) -> list[tuple[int, int]]:
    cells = zip(grid.images, grid.controls, strict=True)
    return [(image, grid.class_index) for image, control in cells if control is Control.NONE]


@st.composite
def draw_shapes(draw: st.DrawFn) -> GridShape:
    n_positive, n_negative = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    return GridShape(n_positive + n_negative + draw(st.integers(1, 20)), n_positive, n_negative)


@st.composite
def draw_pairs(draw: st.DrawFn) -> tuple[IntArray, IntArray]:
    pairs = draw(st.sets(st.tuples(st.integers(0, 30), st.integers(0, 3)), min_size=1, max_size=80))
    images, classes = zip(*sorted(pairs), strict=True)
    return np.array(images, np.int32), np.array(classes, np.int32)


@given(draw_pairs(), draw_shapes(), st.integers(0, 5))
def test_every_pair_is_in_one_grid_and_again_only_to_fill_a_rest(pairs, shape, seed):
    images, classes = pairs
    grids = pack(images, classes, shape, seed=seed)
    shown = Counter(pair for grid in grids for pair in find_pairs(grid))
    asked = list(zip(images.tolist(), classes.tolist(), strict=True))
    assert set(shown) == set(asked)
    n_of_class = Counter(classes.tolist())
    for index, n_pairs in n_of_class.items():
        mine = [grid for grid in grids if grid.class_index == index]
        # As many cells as the grids have room for, and no more: n grids of n_pairs cells, unless one grid holds all there is.
        room = len(mine) * shape.n_pairs if len(mine) > 1 else n_pairs
        assert sum(len(find_pairs(grid)) for grid in mine) == room


@given(draw_pairs(), draw_shapes())
def test_a_grid_shows_an_image_once(pairs, shape):
    images, classes = pairs
    for grid in pack(images, classes, shape):
        assert len(set(grid.images)) == len(grid.images) <= shape.n_cells


@given(draw_pairs(), draw_shapes())
def test_a_grid_has_at_least_the_controls_asked_for_and_is_full(pairs, shape):
    images, classes = pairs
    for grid in pack(images, classes, shape):
        kinds = Counter(grid.controls)
        assert kinds[Control.POSITIVE] >= shape.n_positive
        assert kinds[Control.NEGATIVE] >= shape.n_negative
        if shape.n_positive or shape.n_negative:
            assert len(grid.images) == shape.n_cells


@given(draw_pairs(), draw_shapes())
def test_there_are_as_few_grids_as_can_be(pairs, shape):
    images, classes = pairs
    fewest = sum(-(-n // shape.n_pairs) for n in Counter(classes.tolist()).values())
    assert len(pack(images, classes, shape)) == fewest == count_grids(classes, shape)


def test_controls_come_from_the_pool_of_their_kind():
    classes = np.zeros(30, np.int32)
    pool = make_pool(classes)
    for grid in pack(np.arange(30, dtype=np.int32), classes, GridShape(12, 2, 3)):
        for image, control in zip(grid.images, grid.controls, strict=True):
            if control is not Control.NONE:
                kind = pool.positive if control is Control.POSITIVE else pool.negative
                assert image in kind[0]


def test_controls_stand_at_random_places():
    # 400 grids of 12 cells with 3 positive controls: each cell should have 100 of the 1,200, by chance.
    classes = np.repeat(np.arange(4, dtype=np.int32), 700)
    images = np.tile(np.arange(700, dtype=np.int32), 4)
    grids = pack(images, classes, GridShape(12, 3, 2))
    assert len(grids) == 400
    places = np.zeros(12)
    for grid in grids:
        places += np.array(grid.controls) == Control.POSITIVE
    # Exact counts are fixed per grid, so cells vary less than a multinomial: 3/12 · 9/12 instead of 3/12 each.
    statistic = (((places - 100) ** 2) / (400 * (3 / 12) * (9 / 12))).sum() * 11 / 12
    assert statistic < chi2.ppf(0.999, 11)


def test_pairs_are_mixed_not_taken_in_order():
    images = np.arange(200, dtype=np.int32)
    grids = pack(images, np.zeros(200, np.int32), GridShape(12, 1, 1))
    # Taken in order, the images of a grid would lie within 10 of each other.
    assert all(np.ptp([image for image, _ in find_pairs(grid)]) > 20 for grid in grids)


def test_the_same_generator_makes_the_same_grids():
    images, classes = np.arange(40, dtype=np.int32), np.arange(40, dtype=np.int32) % 3
    assert pack(images, classes, GridShape(12, 2, 2), seed=4) == pack(images, classes, GridShape(12, 2, 2), seed=4)
    assert pack(images, classes, GridShape(12, 2, 2), seed=4) != pack(images, classes, GridShape(12, 2, 2), seed=5)


def test_a_rest_is_filled_by_the_other_kind_where_one_runs_out():
    classes = np.zeros(2, np.int32)
    pool = make_pool(classes, n_positive=3)
    (grid,) = pack_full(np.arange(2, dtype=np.int32), classes, pool, GridShape(20, 1, 1))
    assert Counter(grid.controls) == {Control.NONE: 2, Control.POSITIVE: 3, Control.NEGATIVE: 15}


def test_a_kind_of_control_that_was_not_asked_for_does_not_come_in():
    (grid,) = pack(np.arange(2, dtype=np.int32), np.zeros(2, np.int32), GridShape(20, 5, 0))
    assert Counter(grid.controls) == {Control.NONE: 2, Control.POSITIVE: 18}


def make_shared(n_classes: int, n_images: int) -> ControlPool:
    """Images with a class are those without the next one, as in a campaign; their numbers are no pair's."""
    of_class = [np.arange(n_images, dtype=np.int32) + 1_000 * (1 + index) for index in range(n_classes)]
    return ControlPool(dict(enumerate(of_class)), dict(enumerate(of_class[1:] + of_class[:1])))


def measure_attack(grids: list[Grid]) -> tuple[int, int]:
    """How many cells show an image of an earlier grid to somebody who works through all, and how many of these are controls."""
    seen: set[int] = set()
    found = []
    for grid in grids:
        found += [control for image, control in zip(grid.images, grid.controls, strict=True) if image in seen]
        seen.update(grid.images)
    return len(found), sum(control is not Control.NONE for control in found)


def test_whoever_takes_what_comes_again_for_a_control_finds_none():
    # 32 grids of 31 pairs and 17 controls. Drawn for each grid by itself, as before, dozens of the 544 controls come again, and
    # everything that comes again is a control: precision 100%. Now nothing comes again.
    images = np.arange(32 * 31, dtype=np.int32)
    pool = make_shared(32, 50)
    rng = np.random.default_rng(0)
    before = [
        Grid(
            index,
            (
                *range(31 * index, 31 * index + 31),
                *rng.choice(pool.positive[index], 9, replace=False).tolist(),
                *rng.choice(pool.negative[index], 8, replace=False).tolist(),
            ),
            (Control.NONE,) * 31 + (Control.POSITIVE,) * 9 + (Control.NEGATIVE,) * 8,
        )
        for index in range(32)
    ]
    n_found, n_right = measure_attack(before)
    assert n_found == n_right > 30
    after = pack_full(images, images // 31, pool, GridShape())
    assert {len(grid.images) for grid in after} == {48}
    assert measure_attack(after) == (0, 0)


def test_a_control_stands_in_one_grid_where_there_are_images_enough():
    # 32 classes with 31 pairs each make 32 grids of 48; each needs 6 controls and has room for 11 more. There are 12 images of
    # each class, which are also those without the one before: 384 for 192 cells that must be controls, and the rest fill up.
    images = np.arange(32 * 31, dtype=np.int32)
    grids = pack_full(images, images // 31, make_shared(32, 12), GridShape())
    placed = Counter(image for grid in grids for image in find_controls(grid))
    assert set(placed.values()) == {1}
    assert count_again(grids) == (sum(placed.values()), 0)
    assert sum(placed.values()) == 384
    assert all(len(find_controls(grid)) >= 6 for grid in grids)


def test_where_images_are_scarce_controls_come_again_as_seldom_as_can_be_and_are_counted():
    # 6 controls for each of 10 grids, but 4 images per class: 40 for 60 cells, so that 20 stand in a second grid.
    images = np.arange(10 * 42, dtype=np.int32)
    grids = pack_full(images, images // 42, make_shared(10, 4), GridShape())
    placed = Counter(image for grid in grids for image in find_controls(grid))
    assert max(placed.values()) == 2
    assert count_again(grids) == (60, 40)
    assert count_again(grids, shown=set(placed)) == (60, 60)


def test_images_that_are_asked_about_or_shown_elsewhere_are_controls_last():
    images = np.arange(84, dtype=np.int32)
    pool = {0: np.arange(100, dtype=np.int32)}
    spare = set(range(84, 96))
    grids = pack_full(
        images, np.zeros(84, np.int32), ControlPool(pool, {}, Counter(range(96, 100))), GridShape(48, 6, 0)
    )
    assert {image for grid in grids for image in find_controls(grid)} == spare


def test_a_pair_that_is_listed_twice_is_refused():
    with pytest.raises(InputError, match="listed twice"):
        pack(np.array([1, 1], np.int32), np.array([0, 0], np.int32), GridShape(4, 1, 1))


def test_no_pairs_are_refused():
    with pytest.raises(InputError, match="no pairs"):
        pack(np.empty(0, np.int32), np.empty(0, np.int32), GridShape(4, 1, 1))


def test_a_class_without_enough_controls_is_refused():
    pool = make_pool(np.zeros(1, np.int32), n_negative=1)
    with pytest.raises(InputError, match="Class 0 has 1 images for negative controls; a grid needs 2"):
        pack_grids(
            np.arange(3, dtype=np.int32),
            np.zeros(3, np.int32),
            controls=pool,
            shape=GridShape(8, 1, 2),
            rng=np.random.default_rng(0),
        )


@pytest.mark.parametrize("numbers", [(0, 0, 0), (65, 3, 3), (6, 3, 3), (8, -1, 3)])
def test_a_shape_without_room_for_pairs_is_refused(numbers):
    with pytest.raises(InputError, match="grid"):
        GridShape(*numbers)


def test_the_pairs_of_imagenet_v2_need_fewer_grids_than_the_authors_took(published: Path):
    with np.load(published / "recht2019_mturk_grids.npz", allow_pickle=False) as file:
        grid_class, images, roles = file["grid_class"], file["image"], file["role"]
    is_pair = roles == Control.NONE
    classes = np.broadcast_to(grid_class[:, None], images.shape)[is_pair]
    pairs = np.unique(np.stack([images[is_pair], classes]).T, axis=0).astype(np.int32)
    grids = pack(pairs[:, 0].copy(), pairs[:, 1].copy(), GridShape())
    assert len(grid_class) == AUTHORS_GRIDS
    assert len(grids) == OUR_GRIDS
    assert {pair for grid in grids for pair in find_pairs(grid)} == {(int(i), int(c)) for i, c in pairs}
