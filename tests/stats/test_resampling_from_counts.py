"""Replicates drawn from counts have the distribution of resampled images, and limits that cover."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from regauge.errors import InputError
from regauge.records.arrays import CountArray, FloatArray
from regauge.stats.intervals import clopper_pearson
from regauge.stats.resampling import (
    bootstrap,
    bootstrap_paired_difference,
    percentile_limits,
)

Draw = Callable[[np.random.Generator], FloatArray]


def expand(n_by_class: CountArray, *parts: CountArray) -> tuple[FloatArray, CountArray]:
    """One value per image, 1 for the first part, −1 for the second and 0 for the rest, and the images' classes."""
    values = [np.repeat([1.0, -1.0][: len(counts)], counts) for counts in zip(*parts, strict=True)]
    padded = [np.append(row, np.zeros(n - row.size)) for row, n in zip(values, n_by_class, strict=True)]
    return np.concatenate(padded), np.repeat(np.arange(n_by_class.size), n_by_class)


def draw_paired_difference(rng: np.random.Generator) -> FloatArray:
    return bootstrap_paired_difference(9, 4, n=60, rng=rng, n_resamples=20_000)


def resample_paired_images(rng: np.random.Generator) -> FloatArray:
    values, _ = expand(np.array([60]), np.array([9]), np.array([4]))
    return bootstrap(values, lambda samples: samples.mean(axis=1), rng=rng, n_resamples=20_000)


shortcuts = pytest.mark.parametrize(
    ("shortcut", "plain", "mean", "variance"),
    [
        # (13/60 − (5/60)²)/60 = 0.0034954.
        (draw_paired_difference, resample_paired_images, 5 / 60, (13 / 60 - (5 / 60) ** 2) / 60),
    ],
    ids=["paired difference"],
)


@shortcuts
def test_a_shortcut_has_the_distribution_of_resampled_images(
    shortcut: Draw, plain: Draw, mean: float, variance: float, rng: np.random.Generator
) -> None:
    ours, theirs = shortcut(rng), plain(rng)
    for replicates in (ours, theirs):
        assert replicates.mean() == pytest.approx(mean, abs=4 * (variance / 20_000) ** 0.5)
        assert replicates.var() == pytest.approx(variance, rel=0.05)
    # Sums in another order differ in the last bits; rounding lets equal replicates tie.
    assert stats.ks_2samp(ours.round(9), theirs.round(9)).pvalue > 0.001


@shortcuts
def test_a_shortcut_gives_the_same_bits_from_the_same_seed(
    shortcut: Draw, plain: Draw, mean: float, variance: float
) -> None:
    first, second, other = (shortcut(np.random.default_rng(seed)) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_many_comparisons_are_drawn_at_once_and_an_empty_one_is_missing(rng: np.random.Generator) -> None:
    replicates = bootstrap_paired_difference([300, 0, 5, 0], [100, 0, 0, 4], n=[1_000, 0, 5, 8], rng=rng)
    assert replicates.shape == (10_000, 4)
    # (300 − 100)/1000 = 0.2; all images differ in favour of the first; (0 − 4)/8 = −0.5.
    np.testing.assert_allclose(replicates.mean(axis=0), [0.2, np.nan, 1, -0.5], atol=0.01)
    np.testing.assert_allclose(replicates.var(axis=0), [0.36 / 1_000, np.nan, 0, 0.25 / 8], rtol=0.06)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_differences_are_whole_images_between_all_and_none(first: int, second: int, both: int, seed: int) -> None:
    n = first + second + both
    images = n * bootstrap_paired_difference(first, second, n=n, rng=np.random.default_rng(seed), n_resamples=50)
    np.testing.assert_allclose(images, images.round(), atol=1e-9)
    assert (np.abs(images) <= n + 1e-9).all()
    assert first or (images <= 1e-9).all()
    assert second or (images >= -1e-9).all()


def test_counts_that_make_no_sense_are_refused(rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="n_only_first = 3, n_only_second = 3, n = 5"):
        bootstrap_paired_difference(3, 3, n=5, rng=rng)


@pytest.mark.parametrize("n_resamples", [0, -5])
def test_at_least_one_resample_is_asked_for(n_resamples: int, rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="at least one resample"):
        bootstrap_paired_difference(1, 2, n=3, rng=rng, n_resamples=n_resamples)


# Coverage in simulations: the interval of the coverage must not lie below the nominal level.

N_SIMULATIONS = 2_000


def assert_covers(covered: NDArray[np.bool_]) -> None:
    assert covered.size >= N_SIMULATIONS
    low, high = clopper_pearson(covered.sum(), covered.size, level=0.999)
    assert high >= 0.95
    # Nor may the interval be so wide that it always covers.
    assert low < 0.98


def test_percentile_limits_of_a_paired_difference_cover_it(rng: np.random.Generator) -> None:
    first, second, _ = rng.multinomial(1_000, [0.08, 0.05, 0.87], size=N_SIMULATIONS).T
    low, high = percentile_limits(bootstrap_paired_difference(first, second, n=1_000, rng=rng, n_resamples=1_000))
    assert_covers((low <= 0.03) & (high >= 0.03))
