"""Limits around a correlation, and rank correlations against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from regauge.arrays import FloatArray
from regauge.stats.correlations import correlate_ranks, limit_correlation, limit_rank_correlation
from regauge.stats.redraws import draw_images


def test_limits_lie_around_the_value_and_not_around_the_replicates() -> None:
    # Replicates at 0.2 and 0.4 spread by (artanh 0.4 − artanh 0.2)/2 = 0.1105 around whatever they are around.
    low, high = limit_correlation(0.5, [0.2, 0.4] * 50)
    width = 1.959964 * (np.arctanh(0.4) - np.arctanh(0.2)) / 2
    assert (low, high) == pytest.approx((np.tanh(np.arctanh(0.5) - width), np.tanh(np.arctanh(0.5) + width)))
    assert np.isnan(limit_correlation(np.nan, [0.2, 0.4])).all()
    assert np.isnan(limit_correlation(0.5, [0.2, np.nan])).all()
    low, high = limit_correlation(1.0, [1.0, 1.0])
    assert (low, high) == pytest.approx((1, 1))


def test_limits_of_a_rank_correlation_end_at_one_and_its_spread_is_taken_as_it_is() -> None:
    # Replicates at 1 and 0.8 spread by 0.1.
    low, high = limit_rank_correlation(0.9, [0.8, 1.0] * 50)
    assert (low, high) == pytest.approx((0.9 - 0.1959964, 1))
    assert np.isnan(limit_rank_correlation(np.nan, [0.8, 1.0])).all()


def test_rank_correlations_are_those_of_scipy_with_ties() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 5, (2, 30, 12)).astype(np.float64)
    expected = [spearmanr(a, b).statistic for a, b in zip(x, y, strict=True)]
    assert correlate_ranks(x, y) == pytest.approx(expected)


def test_equal_and_missing_values_have_no_rank_correlation() -> None:
    found = correlate_ranks([[1.0, 1.0, 1.0], [1.0, np.nan, 2.0], [3.0, 2.0, 1.0]], [[1.0, 2.0, 3.0]] * 3)
    assert np.isnan(found[:2]).all()
    assert found[2] == pytest.approx(-1)
    assert np.isnan(correlate_ranks(np.zeros((2, 0)), np.zeros((2, 0)))).tolist() == [True, True]


def correlate(points: FloatArray) -> float:
    return float(np.asarray(np.corrcoef(points.T))[0, 1])


def test_limits_of_simulated_correlations_hold_what_such_samples_give_on_average() -> None:
    rng = np.random.default_rng(6)
    samples = [rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 60) for _ in range(150)]
    values = [correlate(one) for one in samples]
    n_held = 0
    for sample, value in zip(samples, values, strict=True):
        drawn = draw_images(60, rng=rng, n_resamples=150)
        replicates = [correlate(np.repeat(sample, one, axis=0)) for one in drawn]
        low, high = limit_correlation(value, replicates)
        n_held += bool(low <= np.mean(values) <= high)
    assert n_held / 150 >= 0.9
