"""Limits of a count in a finite whole: by hand, against SciPy's hypergeometric, their properties, and how often they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from regauge.errors import InputError
from regauge.stats.finite import limit_whole_count
from regauge.stats.intervals import clopper_pearson


def find_limits(n_found: int, n_sampled: int, n_whole: int, level: float) -> tuple[int, int]:
    """Every count in turn: those that neither tail of SciPy's distribution rejects."""
    tail = (1 - level) / 2 * (1 + 1e-9)
    kept = [
        count
        for count in range(n_found, n_whole - (n_sampled - n_found) + 1)
        if hypergeom(n_whole, count, n_sampled).sf(n_found - 1) > tail
        and hypergeom(n_whole, count, n_sampled).cdf(n_found) > tail
    ]
    return min(kept), max(kept)


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, int, int]:
    n_whole = draw(st.integers(1, 60))
    n_sampled = draw(st.integers(0, n_whole))
    return draw(st.integers(0, n_sampled)), n_sampled, n_whole


def test_one_of_two_from_four_by_hand() -> None:
    # Of 4 things, 2 are drawn (6 ways) and 1 has it, so 1 to 3 of all have it. Under 1, it is drawn in 3 of 6 ways: not rare.
    assert limit_whole_count(1, 2, n_whole=4) == (1, 3)


def test_none_of_ten_from_twenty_by_hand() -> None:
    # Under 4 of 20, none is drawn with probability C(16, 10) / C(20, 10) = 8,008 / 184,756 = 0.0433 > 0.025; under 5 with
    # C(15, 10) / C(20, 10) = 3,003 / 184,756 = 0.0163.
    assert limit_whole_count(0, 10, n_whole=20) == (0, 4)


def test_a_sample_of_everything_is_certain() -> None:
    assert limit_whole_count(3, 8, n_whole=8) == (3, 3)


def test_an_empty_sample_says_nothing() -> None:
    assert limit_whole_count(0, 0, n_whole=7) == (0, 7)


@given(samples(), st.floats(0.5, 0.999))
def test_the_limits_are_those_that_scipy_does_not_reject(sample: tuple[int, int, int], level: float) -> None:
    assert limit_whole_count(*sample[:2], n_whole=sample[2], level=level) == find_limits(*sample, level)


@given(samples())
def test_they_hold_what_was_found_and_mirror_what_was_not(sample: tuple[int, int, int]) -> None:
    n_found, n_sampled, n_whole = sample
    low, high = limit_whole_count(n_found, n_sampled, n_whole=n_whole)
    assert n_found <= low <= high <= n_whole - (n_sampled - n_found)
    mirrored = limit_whole_count(n_sampled - n_found, n_sampled, n_whole=n_whole)
    assert mirrored == (n_whole - high, n_whole - low)


def test_of_a_huge_whole_they_are_those_of_the_binomial() -> None:
    low, high = limit_whole_count(47, 100, n_whole=2_000_000)
    expected = clopper_pearson(47, 100)
    assert low / 2_000_000 == pytest.approx(float(expected.low), abs=2e-5)
    assert high / 2_000_000 == pytest.approx(float(expected.high), abs=2e-5)


@pytest.mark.parametrize(("n_with", "n_whole", "n_sampled"), [(0, 50, 10), (3, 50, 10), (25, 60, 40), (430, 900, 100)])
def test_they_cover_whatever_the_whole_is(n_with: int, n_whole: int, n_sampled: int) -> None:
    drawn = np.random.default_rng(5).hypergeometric(n_with, n_whole - n_with, n_sampled, size=2_000)
    limits = {k: limit_whole_count(k, n_sampled, n_whole=n_whole) for k in set(drawn.tolist())}
    n_covered = sum(limits[k].low <= n_with <= limits[k].high for k in drawn.tolist())
    assert clopper_pearson(n_covered, len(drawn)).high >= 0.95


@pytest.mark.parametrize(("n_found", "n_sampled", "n_whole"), [(3, 2, 9), (1, 5, 4), (-1, 5, 9)])
def test_counts_that_make_no_sense_are_refused(n_found: int, n_sampled: int, n_whole: int) -> None:
    with pytest.raises(InputError):
        limit_whole_count(n_found, n_sampled, n_whole=n_whole)
