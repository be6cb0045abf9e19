"""Limits of a median: order statistics, and Woodruff's for clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from regauge.errors import InputError
from regauge.stats.intervals import clopper_pearson
from regauge.stats.quantiles import find_clustered_median_limits, find_median_limits


def test_ten_values_by_hand():
    # P(at most 1 of 10 below the median) = 11/1024 = .0107, P(at most 2) = .0547: the second and the ninth value hold the
    # median with probability 1 − 2 · .0107.
    low, high = find_median_limits([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    assert [float(low), float(high)] == [2, 9]


@given(st.integers(1, 300), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_pair_is_the_closest_that_holds_the_level(n: int, level: float):
    low, high = find_median_limits(np.arange(n), level=level)
    ranks = [r for r in range(n) if binom.cdf(r, n, 0.5) <= (1 - level) / 2 * (1 + 1e-9)]
    if ranks:
        assert [float(low), float(high)] == [ranks[-1], n - 1 - ranks[-1]]
    else:
        assert np.isnan(low)
        assert np.isnan(high)


def test_too_few_values_and_none_have_no_limits():
    for values in ([], [1.0], [1.0, 2.0, 3.0, 4.0, 5.0]):
        assert np.isnan(find_median_limits(values)).all()
    assert not np.isnan(find_median_limits([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).any()


def test_clustered_limits_cover_where_plain_ones_do_not():
    rng, n_covered, n_plain = np.random.default_rng(8), 0, 0
    clusters = np.repeat(np.arange(60), 5)
    for _ in range(2_000):
        # Five people on each image, whose seconds go up and down together; the median is 20.
        seconds = 20 * np.exp(np.repeat(rng.normal(0, 1, 60), 5) + rng.normal(0, 0.3, 300))
        low, high = find_clustered_median_limits(seconds, clusters)
        n_covered += bool(low <= 20 <= high)
        low, high = find_median_limits(seconds)
        n_plain += bool(low <= 20 <= high)
    low, high = clopper_pearson(n_covered, 2_000, level=0.999)
    assert low <= 0.95
    assert high >= 0.935
    assert n_plain < 0.8 * 2_000


def test_clusters_of_one_are_close_to_order_statistics():
    values = np.random.default_rng(1).exponential(size=2_000)
    np.testing.assert_allclose(
        find_clustered_median_limits(values, np.arange(2_000)), find_median_limits(values), atol=0.01
    )


def test_one_cluster_has_no_limits():
    assert np.isnan(find_clustered_median_limits([1.0, 2.0], [0, 0])).all()


def test_gaps_and_other_clusters_are_refused():
    with pytest.raises(InputError, match="without gaps"):
        find_median_limits([1.0, np.nan])
    with pytest.raises(InputError, match="whole numbers"):
        find_clustered_median_limits([1.0, 2.0], [0.5, 1])
