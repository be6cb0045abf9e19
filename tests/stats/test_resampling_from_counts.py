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
    bootstrap_balanced_difference,
    bootstrap_balanced_mean,
    bootstrap_paired_difference,
    percentile_limits,
)

Draw = Callable[[np.random.Generator], FloatArray]

CORRECT = np.array([3, 3, 0, 8, 5, 1, 3, 10, 0])
IMAGES = np.array([5, 5, 4, 10, 10, 1, 7, 10, 1])
ONLY_FIRST = np.array([2, 2, 0, 3, 1, 1, 0, 4, 0])
ONLY_SECOND = np.array([1, 1, 2, 0, 1, 0, 0, 4, 0])


def expand(n_by_class: CountArray, *parts: CountArray) -> tuple[FloatArray, CountArray]:
    """One value per image, 1 for the first part, −1 for the second and 0 for the rest, and the images' classes."""
    values = [np.repeat([1.0, -1.0][: len(counts)], counts) for counts in zip(*parts, strict=True)]
    padded = [np.append(row, np.zeros(n - row.size)) for row, n in zip(values, n_by_class, strict=True)]
    return np.concatenate(padded), np.repeat(np.arange(n_by_class.size), n_by_class)


def resample_images(*parts: CountArray) -> Draw:
    """Plain resampling: from the n images of a class n − 1, then the mean over classes of their means.

    The two classes with one image are resampled together: one of their two images stands for both.
    """

    def draw(rng: np.random.Generator) -> FloatArray:
        values, classes = expand(IMAGES, *parts)
        single = IMAGES[classes] == 1
        total = 2 * rng.choice(values[single], size=20_000)
        for index in np.flatnonzero(IMAGES > 1):
            own = values[classes == index]
            total = total + rng.choice(own, size=(20_000, own.size - 1)).mean(axis=1)
        return total / IMAGES.size

    return draw


def resample_across_classes(rng: np.random.Generator) -> FloatArray:
    """Resampling that does not keep the classes in place."""
    values, classes = expand(IMAGES, CORRECT)
    weights = 1 / (IMAGES.size * IMAGES[classes])
    return bootstrap(values, lambda samples: samples @ weights, rng=rng, n_resamples=20_000)


def expected_variance(*, of_one: FloatArray, pooled: float) -> float:
    """The variance of the mean of 9 classes: v/(n − 1) for each larger class, and of the pair with one image each.

    From the pair one image is drawn and counts twice, so it adds 2²·v with v the variance between the two.
    """
    larger = IMAGES > 1
    return float((np.sum(of_one[larger] / (IMAGES[larger] - 1)) + 4 * pooled) / 81)


def draw_balanced_mean(rng: np.random.Generator) -> FloatArray:
    return bootstrap_balanced_mean(CORRECT, IMAGES, rng=rng, n_resamples=20_000)


def draw_balanced_difference(rng: np.random.Generator) -> FloatArray:
    return bootstrap_balanced_difference(ONLY_FIRST, ONLY_SECOND, n_by_class=IMAGES, rng=rng, n_resamples=20_000)


def draw_paired_difference(rng: np.random.Generator) -> FloatArray:
    return bootstrap_paired_difference(9, 4, n=60, rng=rng, n_resamples=20_000)


def resample_paired_images(rng: np.random.Generator) -> FloatArray:
    values, _ = expand(np.array([60]), np.array([9]), np.array([4]))
    return bootstrap(values, lambda samples: samples.mean(axis=1), rng=rng, n_resamples=20_000)


shortcuts = pytest.mark.parametrize(
    ("shortcut", "plain", "mean", "variance"),
    [
        # An image is right with share p, so its variance is p(1 − p).
        (
            draw_balanced_mean,
            resample_images(CORRECT),
            np.mean(CORRECT / IMAGES),
            expected_variance(of_one=CORRECT / IMAGES * (1 - CORRECT / IMAGES), pooled=0.5 * 0.5),
        ),
        # A step is 1 with share b/n, −1 with c/n, so its variance is (b + c)/n − ((b − c)/n)².
        (
            draw_balanced_difference,
            resample_images(ONLY_FIRST, ONLY_SECOND),
            np.mean((ONLY_FIRST - ONLY_SECOND) / IMAGES),
            expected_variance(
                of_one=(ONLY_FIRST + ONLY_SECOND) / IMAGES - ((ONLY_FIRST - ONLY_SECOND) / IMAGES) ** 2,
                pooled=0.5 - 0.5**2,
            ),
        ),
        # (13/60 − (5/60)²)/60 = 0.0034954.
        (draw_paired_difference, resample_paired_images, 5 / 60, (13 / 60 - (5 / 60) ** 2) / 60),
    ],
    ids=["balanced mean", "balanced difference", "paired difference"],
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


def test_that_comparison_notices_resampling_across_classes(rng: np.random.Generator) -> None:
    across = resample_across_classes(rng)
    assert stats.ks_2samp(draw_balanced_mean(rng).round(9), across.round(9)).pvalue < 1e-9


@shortcuts
def test_a_shortcut_gives_the_same_bits_from_the_same_seed(
    shortcut: Draw, plain: Draw, mean: float, variance: float
) -> None:
    first, second, other = (shortcut(np.random.default_rng(seed)) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_all_or_nothing_right_in_every_class_does_not_vary(rng: np.random.Generator) -> None:
    # (1 + 0 + 1)/3 in every replicate: the only class with one image, or one with all its images alike, adds no variance.
    replicates = bootstrap_balanced_mean([1, 0, 7], [1, 5, 7], rng=rng, n_resamples=100)
    np.testing.assert_allclose(replicates, np.full(100, 2 / 3), rtol=1e-15)


def test_classes_without_images_are_left_out(rng: np.random.Generator) -> None:
    replicates = bootstrap_balanced_mean([4, 0], [4, 0], rng=rng, n_resamples=10)
    np.testing.assert_array_equal(replicates, np.ones(10))
    replicates = bootstrap_balanced_difference([4, 0], [0, 0], n_by_class=[4, 0], rng=rng, n_resamples=10)
    np.testing.assert_array_equal(replicates, np.ones(10))


@pytest.mark.parametrize("nothing", [[], [0, 0]])
def test_no_class_gives_no_replicate(nothing: list[int], rng: np.random.Generator) -> None:
    mean = bootstrap_balanced_mean(nothing, nothing, rng=rng, n_resamples=4)
    difference = bootstrap_balanced_difference(nothing, nothing, n_by_class=nothing, rng=rng, n_resamples=4)
    np.testing.assert_array_equal([mean, difference], np.full((2, 4), np.nan))


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
    with pytest.raises(InputError, match="item 1 has n_correct_by_class = 6, n = 5"):
        bootstrap_balanced_mean([5, 6], [5, 5], rng=rng)
    with pytest.raises(InputError, match="n_only_first = 3, n_only_second = 3, n = 5"):
        bootstrap_paired_difference(3, 3, n=5, rng=rng)
    with pytest.raises(InputError, match="item 0 has n_only_first_by_class = 3, n_only_second_by_class = 3, n = 5"):
        bootstrap_balanced_difference([3], [3], n_by_class=[5], rng=rng)
    with pytest.raises(InputError, match="one column"):
        bootstrap_balanced_mean(3, 5, rng=rng)


@pytest.mark.parametrize("n_resamples", [0, -5])
def test_at_least_one_resample_is_asked_for(n_resamples: int, rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="at least one resample"):
        bootstrap_balanced_mean([1], [2], rng=rng, n_resamples=n_resamples)
    with pytest.raises(InputError, match="at least one resample"):
        bootstrap_paired_difference(1, 2, n=3, rng=rng, n_resamples=n_resamples)
    with pytest.raises(InputError, match="at least one resample"):
        bootstrap_balanced_difference([1], [0], n_by_class=[2], rng=rng, n_resamples=n_resamples)


# Coverage in simulations: the interval of the coverage must not lie below the nominal level.

N_SIMULATIONS = 2_000


def assert_covers(covered: NDArray[np.bool_]) -> None:
    assert covered.size >= N_SIMULATIONS
    low, high = clopper_pearson(covered.sum(), covered.size, level=0.999)
    assert high >= 0.95
    # Nor may the interval be so wide that it always covers.
    assert low < 0.98


@pytest.mark.parametrize("n_images", [2, 5, 10, 50])
def test_percentile_limits_of_a_balanced_mean_cover_it(n_images: int, rng: np.random.Generator) -> None:
    n = np.full(100, n_images)
    shares = rng.beta(4, 2, size=100)
    limits = [
        percentile_limits(bootstrap_balanced_mean(rng.binomial(n, shares), n, rng=rng, n_resamples=400))
        for _ in range(N_SIMULATIONS)
    ]
    assert_covers(np.array([low <= shares.mean() <= high for low, high in limits]))


def test_with_one_image_per_class_the_limits_of_a_balanced_mean_are_wide_rather_than_short(
    rng: np.random.Generator,
) -> None:
    n = np.ones(100, np.int64)
    shares = rng.beta(4, 2, size=100)
    limits = [
        percentile_limits(bootstrap_balanced_mean(rng.binomial(n, shares), n, rng=rng, n_resamples=400))
        for _ in range(N_SIMULATIONS)
    ]
    covered = np.array([low <= shares.mean() <= high for low, high in limits])
    assert clopper_pearson(covered.sum(), covered.size, level=0.999).high >= 0.95


def test_percentile_limits_of_a_paired_difference_cover_it(rng: np.random.Generator) -> None:
    first, second, _ = rng.multinomial(1_000, [0.08, 0.05, 0.87], size=N_SIMULATIONS).T
    low, high = percentile_limits(bootstrap_paired_difference(first, second, n=1_000, rng=rng, n_resamples=1_000))
    assert_covers((low <= 0.03) & (high >= 0.03))


@pytest.mark.parametrize("n_images", [5, 50])
def test_percentile_limits_of_a_balanced_difference_cover_it(n_images: int, rng: np.random.Generator) -> None:
    n = np.full(30, n_images)
    shares = rng.dirichlet([2, 1, 6], size=30)
    truth = float((shares[:, 0] - shares[:, 1]).mean())
    covered = []
    for _ in range(N_SIMULATIONS):
        first, second, _ = rng.multinomial(n, shares).T
        replicates = bootstrap_balanced_difference(first, second, n_by_class=n, rng=rng, n_resamples=400)
        low, high = percentile_limits(replicates)
        covered.append(low <= truth <= high)
    assert_covers(np.array(covered))
