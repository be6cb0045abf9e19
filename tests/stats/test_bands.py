"""Quantiles of the heights of many lines are those of np.quantile, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.stats import bands
from regauge.stats.bands import find_height_limits


def assert_numpy_agrees(slopes: FloatArray, offsets: FloatArray, at: FloatArray, level: float = 0.95) -> None:
    tail = (1 - level) / 2
    heights = np.multiply.outer(at, slopes) + offsets
    expected = np.quantile(heights, [tail, 1 - tail], axis=1).T
    np.testing.assert_array_equal(find_height_limits(slopes, offsets, at=at, level=level), expected)


def test_five_flat_lines_by_hand() -> None:
    # Place 0.1·4 = 0.4 between 0 and 10 gives 4; place 0.9·4 = 3.6 between 30 and 40 gives 36.
    limits = find_height_limits(np.zeros(5), np.array([30.0, 0, 40, 10, 20]), at=np.array([7.0, -1]), level=0.8)
    np.testing.assert_allclose(limits, [[4, 36], [4, 36]], rtol=1e-12)


def test_three_lines_that_cross_by_hand() -> None:
    # At x = 0 the lines x, −x and 1 have heights 0, 0, 1; at x = 2 they have 2, −2, 1. The quarters of three values lie half
    # way between neighbours: 0 and 0.5, then (−2 + 1)/2 = −0.5 and (1 + 2)/2 = 1.5.
    limits = find_height_limits(np.array([1.0, -1, 0]), np.array([0.0, 0, 1]), at=np.array([0.0, 2]), level=0.5)
    np.testing.assert_allclose(limits, [[0, 0.5], [-0.5, 1.5]], rtol=1e-12)


def test_no_lines_have_no_limits_and_no_places_give_none() -> None:
    assert np.isnan(find_height_limits(np.zeros(0), np.zeros(0), at=np.arange(3.0), level=0.9)).all()
    assert find_height_limits(np.zeros(4), np.zeros(4), at=np.zeros(0), level=0.9).shape == (0, 2)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 5_000),
    n_places=st.integers(1, 30),
    level=st.floats(0.01, 0.9999),
    kind=st.sampled_from(["normal", "cauchy", "ties", "parallel", "equal", "through a point"]),
)
def test_numpy_gives_the_same_bits(seed: int, n: int, n_places: int, level: float, kind: str) -> None:
    rng = np.random.default_rng(seed)
    slopes, offsets = {
        "normal": (rng.standard_normal(n), rng.standard_normal(n)),
        "cauchy": (rng.standard_cauchy(n), rng.standard_cauchy(n)),
        "ties": (rng.integers(0, 3, n).astype(float), rng.integers(0, 3, n).astype(float)),
        "parallel": (np.full(n, 0.1), rng.standard_normal(n)),
        "equal": (np.full(n, 0.1), np.full(n, 0.3)),
        "through a point": (rng.standard_normal(n), 1e6 + np.zeros(n)),
    }[kind]
    assert_numpy_agrees(slopes, offsets, rng.uniform(-2, 2, n_places), level)


def test_equal_places_and_lines_that_hardly_differ_are_no_trouble() -> None:
    rng = np.random.default_rng(1)
    slopes, offsets = 1 + 1e-15 * rng.standard_normal(20_000), 1e3 + 1e-12 * rng.standard_normal(20_000)
    assert_numpy_agrees(slopes, offsets, np.full(20, 0.7))
    assert_numpy_agrees(slopes, offsets, np.linspace(0, 1, 20))


@pytest.mark.parametrize("misleading", [-50.0, 50.0])
def test_a_sample_that_misleads_costs_time_and_not_the_result(misleading: float) -> None:
    rng = np.random.default_rng(2)
    slopes, offsets = rng.standard_normal((2, 20_000))
    offsets[:: bands._STRIDE] = misleading
    assert_numpy_agrees(slopes, offsets, np.linspace(0, 1, 15))


def test_few_lines_are_searched_for_most_places(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    slopes = 1 + 0.03 * rng.standard_normal(100_000)
    offsets = -0.7 * slopes + 0.005 * rng.standard_normal(100_000)
    searched: list[int] = []
    select = bands._select

    def record(lines: bands._Lines, place: float, *, below: int, above: int) -> tuple[float, float]:
        searched.append(lines.slopes.size)
        return select(lines, place, below=below, above=above)

    monkeypatch.setattr(bands, "_select", record)
    find_height_limits(slopes, offsets, at=np.linspace(0.5, 0.85, 100), level=0.95)
    assert len(searched) == 200
    assert max(searched) < 12_000


def test_the_lines_are_left_as_they_were() -> None:
    columns = np.random.default_rng(4).standard_normal((3, 6_000))
    kept = columns.copy()
    columns.flags.writeable = False
    find_height_limits(columns[0], columns[1], at=columns[2, :5], level=0.9)
    np.testing.assert_array_equal(columns, kept)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_that_is_no_coverage_is_refused(level: float) -> None:
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        find_height_limits(np.ones(3), np.ones(3), at=np.ones(1), level=level)
