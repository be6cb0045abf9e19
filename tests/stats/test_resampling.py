"""The generic bootstrap, the jackknife and the limits: arithmetic, properties, scipy, coverage, a published example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from regauge.errors import InputError
from regauge.records.arrays import FloatArray
from regauge.stats import resampling
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.stats.resampling import (
    bca_limits,
    bootstrap,
    jackknife,
    percentile_limits,
)

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
    jackknife(sample, mean_of_rows)
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


# The jackknife.


def test_the_jackknife_leaves_out_each_observation_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without 1: (2 + 6)/2 = 4; without 2: (1 + 6)/2 = 3.5; without 6: (1 + 2)/2 = 1.5.
    np.testing.assert_array_equal(jackknife([1, 2, 6], mean_of_rows), [4, 3.5, 1.5])
    monkeypatch.setattr(resampling, "_BATCH_ELEMENTS", 3)
    np.testing.assert_array_equal(jackknife([1, 2, 6], mean_of_rows), [4, 3.5, 1.5])


def test_the_jackknife_of_one_or_no_observation_has_no_value() -> None:
    np.testing.assert_array_equal(jackknife([4], mean_of_rows), [np.nan])
    assert jackknife([], mean_of_rows).shape == (0,)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_jackknife_means_average_to_the_mean(sample: list[float]) -> None:
    assert jackknife(sample, mean_of_rows).mean() == pytest.approx(np.mean(sample), abs=1e-8)


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


# BCa limits.


def measure_spatial(rng: np.random.Generator) -> tuple[FloatArray, float, FloatArray]:
    replicates = bootstrap(SPATIAL, variance_of_rows, rng=rng, n_resamples=20_000)
    return replicates, float(np.var(SPATIAL)), jackknife(SPATIAL, variance_of_rows)


def test_the_published_variance_of_the_spatial_test_comes_out(rng: np.random.Generator) -> None:
    # Efron and Tibshirani (1993), Table 14.2: 171.5, percentile [100.8, 233.9], BCa [115.8, 259.6] at 90% from 2,000
    # replicates, whose limits move by 2 to 4 from one run to the next.
    replicates, estimate, jackknife_values = measure_spatial(rng)
    assert estimate == pytest.approx(171.5, abs=0.05)
    assert_limits(percentile_limits(replicates, level=0.9), 100.8, 233.9, atol=5)
    limits = bca_limits(replicates, estimate=estimate, jackknife_values=jackknife_values, level=0.9)
    assert_limits(limits, 115.8, 259.6, atol=5)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_scipy_gives_the_same_bca_limits_of_the_same_replicates(level: float, rng: np.random.Generator) -> None:
    sample = rng.exponential(size=40)
    theirs = stats.bootstrap(
        (sample,), np.var, n_resamples=3_000, rng=rng, method="BCa", confidence_level=level, vectorized=True
    )
    ours = bca_limits(
        theirs.bootstrap_distribution,
        estimate=float(np.var(sample)),
        jackknife_values=jackknife(sample, variance_of_rows),
        level=level,
    )
    assert_limits(ours, *theirs.confidence_interval, atol=1e-10)


def test_without_bias_and_skew_bca_limits_are_the_percentiles() -> None:
    replicates = np.arange(-500, 501)
    limits = bca_limits(replicates, estimate=0, jackknife_values=[-1, 0, 1])
    assert_limits(limits, *map(float, percentile_limits(replicates)), atol=1e-9)


@given(scale=st.floats(1e-150, 1e150), shift=st.integers(-100, 100))
def test_the_unit_does_not_matter(scale: float, shift: int) -> None:
    replicates, jackknife_values = np.arange(101.0), np.array([3, 5, 6, 7, 7.5])
    plain = bca_limits(replicates, estimate=45, jackknife_values=jackknife_values)
    scaled = bca_limits(replicates * scale, estimate=45 * scale, jackknife_values=(jackknife_values + shift) * scale)
    assert_limits(Limits(scaled.low / scale, scaled.high / scale), float(plain.low), float(plain.high), atol=1e-6)


def test_replicates_that_all_equal_the_estimate_give_that_point() -> None:
    assert_limits(bca_limits([0.1] * 9, estimate=0.1, jackknife_values=[0.1] * 3), 0.1, 0.1, atol=0)


@pytest.mark.parametrize(
    ("replicates", "estimate", "jackknife_values"),
    [
        ([1, 2, 3], 0.5, [1, 2, 3]),
        ([1, 2, 3], 3.5, [1, 2, 3]),
        ([2, 2, 2], 1, [1, 1, 1]),
        ([1, np.nan, 3], 2, [1, 2, 3]),
        ([1, 2, 3], np.nan, [1, 2, 3]),
        ([1, 2, 3], 2, [1, np.nan, 3]),
        ([], 2, [1, 2, 3]),
    ],
)
def test_bca_limits_that_are_not_defined_are_missing(
    replicates: list[float], estimate: float, jackknife_values: list[float]
) -> None:
    assert_limits(bca_limits(replicates, estimate=estimate, jackknife_values=jackknife_values), np.nan, np.nan)


def test_an_acceleration_that_turns_the_percentiles_around_gives_no_limits() -> None:
    # One jackknife value apart from 10,000 equal ones makes the acceleration nearly −1/6 or 1/6; a bias of 3.7 normal
    # units and a level of 1 − 1e-6 then push 1 − a·(bias + z) = 1 − (3.7 + 4.9)/6 below 0.
    replicates = np.append(np.zeros(9_999), 2.0)
    skewed = np.append(np.ones(10_000), 0.0)
    limits = bca_limits(replicates, estimate=1, jackknife_values=skewed, level=1 - 1e-6)
    assert_limits(limits, np.nan, np.nan)


def test_bca_limits_of_a_skewed_mean_cover_it(rng: np.random.Generator) -> None:
    covered: list[bool] = []
    for _ in range(2_000):
        sample = rng.gamma(4, size=100)
        replicates = bootstrap(sample, mean_of_rows, rng=rng, n_resamples=500)
        low, high = bca_limits(
            replicates, estimate=float(sample.mean()), jackknife_values=jackknife(sample, mean_of_rows)
        )
        covered.append(bool(low <= 4 <= high))
    # The interval of the coverage must reach the nominal level, and the limits may not be so wide that they always cover.
    low, high = clopper_pearson(sum(covered), len(covered), level=0.999)
    assert high >= 0.95
    assert low < 0.98
