"""Replicates drawn from counts have the distribution of resampled images, and limits that cover."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from regauge.errors import InputError
from regauge.records.arrays import CountArray, FloatArray
from regauge.stats.intervals import clopper_pearson
from regauge.stats.resampling import (
    bootstrap,
    bootstrap_balanced_difference,
    bootstrap_balanced_mean,
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
    ],
    ids=["balanced mean", "balanced difference"],
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


def test_counts_that_make_no_sense_are_refused(rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="item 1 has n_correct_by_class = 6, n = 5"):
        bootstrap_balanced_mean([5, 6], [5, 5], rng=rng)
    with pytest.raises(InputError, match="item 0 has n_only_first_by_class = 3, n_only_second_by_class = 3, n = 5"):
        bootstrap_balanced_difference([3], [3], n_by_class=[5], rng=rng)
    with pytest.raises(InputError, match="one column"):
        bootstrap_balanced_mean(3, 5, rng=rng)


@pytest.mark.parametrize("n_resamples", [0, -5])
def test_at_least_one_resample_is_asked_for(n_resamples: int, rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="at least one resample"):
        bootstrap_balanced_mean([1], [2], rng=rng, n_resamples=n_resamples)
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
