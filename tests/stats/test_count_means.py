"""Means of small counts against worked numbers and by coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from regauge.errors import InputError
from regauge.stats.count_means import estimate_count_mean


def estimate(counts: Any, **options: Any) -> Any:
    return estimate_count_mean(counts, least=2, rng=np.random.default_rng(0), **options)


def test_equal_counts_have_the_limits_of_garwood():
    mean = estimate([2] * 10)
    assert (mean.value, mean.low, mean.n) == (2.0, 2.0, 10)
    assert mean.high == pytest.approx(2 + chi2.ppf(0.975, 2) / 2 / 10)


def test_wide_counts_have_those_of_the_bootstrap():
    counts = [2] * 50 + [12] * 50
    mean, spread = estimate(counts), 1.96 * np.std(counts) / 10
    assert mean.value == 7.0
    assert (mean.low, mean.high) == pytest.approx((7 - spread, 7 + spread), abs=0.1)


def test_without_counts_there_is_no_value():
    mean = estimate([])
    assert (mean.value, mean.low, mean.n) == (None, None, 0)


def test_a_level_is_checked():
    with pytest.raises(InputError, match="confidence level"):
        estimate([2], level=1.0)


@pytest.mark.parametrize(("n", "p"), [(12, 0.8), (60, 0.75), (200, 0.9)])
def test_the_limits_cover_what_they_say(n, p):
    """Counts of 2 and a geometric tail, as labels of images are."""
    rng, n_covered = np.random.default_rng(5), 0
    for _ in range(300):
        mean = estimate(1 + rng.geometric(p, n))
        n_covered += mean.low <= 1 + 1 / p <= mean.high
    assert n_covered >= 0.92 * 300
