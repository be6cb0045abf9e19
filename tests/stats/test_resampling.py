"""The generic bootstrap and percentile limits: arithmetic, properties, scipy, a published example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.stats import resampling
from regauge.stats.intervals import Limits
from regauge.stats.resampling import bootstrap, percentile_limits

# Efron and Tibshirani (1993), An Introduction to the Bootstrap, Table 14.1: spatial test of 26 children.
SPATIAL = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41]


def mean_of_rows(samples: NDArray[Any]) -> FloatArray:
    return np.asarray(samples.mean(axis=1), float)


def variance_of_rows(samples: NDArray[Any]) -> FloatArray:
    return np.asarray(samples.var(axis=1), float)


def record_samples(seen: list[NDArray[Any]]) -> Callable[[NDArray[Any]], FloatArray]:
    """A mean that keeps the samples it was given."""

    def statistic(samples: NDArray[Any]) -> FloatArray:
        seen.append(samples)
        return mean_of_rows(samples)

    return statistic


def assert_limits(limits: Limits, low: float, high: float, *, atol: float = 1e-12) -> None:
    np.testing.assert_allclose(np.array(limits), np.array([low, high]), rtol=0, atol=atol)


# The generic bootstrap.


def test_replicates_of_a_mean_have_its_mean_and_variance(rng: np.random.Generator) -> None:
    # The variance of a resampled mean is the sample's variance (divisor n) over n: here 14/3/3 = 1.5556.
    replicates = bootstrap([1, 2, 6], mean_of_rows, rng=rng, n_resamples=100_000)
    assert replicates.mean() == pytest.approx(3, abs=5 * (14 / 9 / 100_000) ** 0.5)
    assert replicates.var() == pytest.approx(14 / 9, rel=0.02)


def test_all_27_samples_of_three_are_equally_likely(rng: np.random.Generator) -> None:
    codes = bootstrap([0, 1, 2], lambda samples: samples @ [9, 3, 1], rng=rng, n_resamples=27_000)
    assert stats.chisquare(np.bincount(codes.astype(int), minlength=27)).pvalue > 0.001


def test_a_sample_keeps_the_columns_of_an_observation_together(rng: np.random.Generator) -> None:
    pairs = np.arange(40).reshape(20, 2)
    replicates = bootstrap(
        pairs, lambda samples: (samples[:, :, 1] - samples[:, :, 0]).sum(axis=1), rng=rng, n_resamples=50
    )
    np.testing.assert_array_equal(replicates, np.full(50, 20))


def test_draws_stay_within_their_stratum_and_at_its_positions(rng: np.random.Generator) -> None:
    strata = np.array([7, -1, 7, 3, -1, 7])
    seen: list[NDArray[Any]] = []
    bootstrap(np.arange(6), record_samples(seen), rng=rng, strata=strata)
    samples = np.concatenate(seen)
    np.testing.assert_array_equal(strata[samples], np.broadcast_to(strata, samples.shape))
    for position, stratum in enumerate(strata):
        members = np.flatnonzero(strata == stratum)
        counts = np.bincount(samples[:, position], minlength=6)[members]
        assert members.size == 1 or stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("strata", [None, [0, 0, 1, 1, 1]])
def test_the_same_seed_gives_the_same_bits_in_batches_of_any_size(
    strata: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw() -> FloatArray:
        return bootstrap(np.arange(5) ** 2, mean_of_rows, rng=np.random.default_rng(1), n_resamples=101, strata=strata)

    whole = draw()
    monkeypatch.setattr(resampling, "_BATCH_ELEMENTS", 13)
    np.testing.assert_array_equal(draw(), whole)
    assert np.unique(whole).size > 10


def test_batches_are_bounded(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "_BATCH_ELEMENTS", 1_000)
    seen: list[NDArray[Any]] = []
    bootstrap(np.zeros(90), record_samples(seen), rng=rng, n_resamples=64)
    assert max(samples.size for samples in seen) <= 1_000
    assert sum(samples.size for samples in seen) == 64 * 90


def test_no_observation_gives_no_replicate(rng: np.random.Generator) -> None:
    np.testing.assert_array_equal(bootstrap([], mean_of_rows, rng=rng, n_resamples=3), np.full(3, np.nan))


def test_the_sample_is_left_as_it_was(rng: np.random.Generator) -> None:
    sample = np.arange(4.0)
    sample.flags.writeable = False
    bootstrap(sample, mean_of_rows, rng=rng, n_resamples=3)
    np.testing.assert_array_equal(sample, [0, 1, 2, 3])


def test_a_statistic_that_reduces_the_batch_too_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="one number per sample"):
        bootstrap([1, 2], np.mean, rng=rng)


@pytest.mark.parametrize("strata", [[0], [0.5, 1, 1], [[0, 1, 2]]])
def test_strata_that_do_not_fit_are_refused(strata: ArrayLike, rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="Strata are 3 whole numbers"):
        bootstrap([1, 2, 3], mean_of_rows, rng=rng, strata=strata)


@pytest.mark.parametrize("n_resamples", [0, -5])
def test_at_least_one_resample_is_asked_for(n_resamples: int, rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="at least one resample"):
        bootstrap([1, 2], mean_of_rows, rng=rng, n_resamples=n_resamples)


def test_scipy_draws_from_the_same_distribution(rng: np.random.Generator) -> None:
    sample = rng.exponential(size=30)
    theirs = stats.bootstrap((sample,), np.mean, n_resamples=5_000, rng=rng, method="percentile").bootstrap_distribution
    assert stats.ks_2samp(bootstrap(sample, mean_of_rows, rng=rng, n_resamples=5_000), theirs).pvalue > 0.001


# Percentile limits.


def test_percentile_limits_interpolate_between_replicates() -> None:
    # Of 0, 10, 20, 30 the 10% quantile is at 0.1·3 = 0.3 steps, so 3; the 90% quantile at 2.7 steps, so 27.
    assert_limits(percentile_limits([20, 0, 30, 10], level=0.8), 3, 27)


def test_a_missing_replicate_or_none_gives_no_limits() -> None:
    low, high = percentile_limits(np.array([[1, 2], [np.nan, 3]]))
    np.testing.assert_array_equal(np.isnan([low, high]), [[True, False], [True, False]])
    np.testing.assert_array_equal(percentile_limits(np.zeros((0, 2))).low, [np.nan, np.nan])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(0.05, 0.99))
def test_percentile_limits_lie_among_the_replicates_and_narrow_with_the_level(
    replicates: list[float], level: float
) -> None:
    outer, inner = percentile_limits(replicates, level=level), percentile_limits(replicates, level=level / 2)
    assert min(replicates) <= outer.low <= inner.low <= inner.high <= outer.high <= max(replicates)


def test_the_published_percentiles_of_the_spatial_test_come_out(rng: np.random.Generator) -> None:
    # Efron and Tibshirani (1993), Table 14.2: 171.5, percentile [100.8, 233.9] at 90% from 2,000 replicates, whose limits move by
    # 2 to 4 from one run to the next.
    assert np.var(SPATIAL) == pytest.approx(171.5, abs=0.05)
    replicates = bootstrap(SPATIAL, variance_of_rows, rng=rng, n_resamples=20_000)
    assert_limits(percentile_limits(replicates, level=0.9), 100.8, 233.9, atol=5)
