"""Limits of proportions against arithmetic, properties, independent implementations, exact coverage and the papers."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from regauge.arrays import CountArray
from regauge.errors import InputError
from regauge.stats import intervals
from regauge.stats.intervals import Limits, clopper_pearson, newcombe, wilson

OneSample = Callable[..., Limits]
both_intervals = pytest.mark.parametrize("interval", [clopper_pearson, wilson])
levels = st.floats(0.5, 0.9999)


@st.composite
def pairs(draw: st.DrawFn, max_n: int = 400) -> tuple[int, int]:
    n = draw(st.integers(1, max_n))
    return draw(st.integers(0, n)), n


def make_triangle(max_n: int) -> tuple[CountArray, CountArray]:
    """Every pair 0 ≤ k ≤ n with 1 ≤ n ≤ max_n."""
    n = np.repeat(np.arange(1, max_n + 1), np.arange(2, max_n + 2))
    k = np.concatenate([np.arange(size + 1) for size in range(1, max_n + 1)])
    return k, n


def assert_close(limits: Limits, low: ArrayLike, high: ArrayLike, *, atol: float) -> None:
    np.testing.assert_allclose(limits.low, np.asarray(low, float), rtol=0, atol=atol)
    np.testing.assert_allclose(limits.high, np.asarray(high, float), rtol=0, atol=atol)


# Worked numbers.


def test_clopper_pearson_of_nothing_or_everything_right_has_a_closed_form() -> None:
    # With 0 of 10, (1 − high)^10 = 0.025, so high = 1 − 0.025^(1/10) = 1 − 0.69150 = 0.30850; 10 of 10 mirrors it.
    assert_close(clopper_pearson([0, 10], 10), [0, 0.691502892181], [0.308497107819, 1], atol=1e-11)


def test_clopper_pearson_of_one_in_two_has_a_closed_form() -> None:
    # P(X ≥ 1) = 1 − (1 − p)² = 0.025 gives low = 1 − √0.975; P(X ≤ 1) = 1 − p² = 0.025 gives high = √0.975.
    assert_close(clopper_pearson(1, 2), 1 - 0.975**0.5, 0.975**0.5, atol=1e-15)


def test_wilson_of_half_right_is_symmetric_about_a_half() -> None:
    # z² = 3.8415; the centre is (0.5 + 3.8415/20)/(1 + 3.8415/10) = 0.5; the half-width is
    # 1.95996·√(0.25/10 + 3.8415/400)/1.38415 = 1.95996·0.186021/1.38415 = 0.263407.
    assert_close(wilson(5, 10), 0.236593, 0.763407, atol=1e-6)


def test_newcombe_of_certain_against_impossible() -> None:
    # 10/10 has Wilson low = 10/(10 + z²) = 0.722467, 0/10 has high = z²/(10 + z²) = 0.277533;
    # low = 1 − √(0.277533² + 0.277533²) = 0.607509; the other two distances are 0, so high = 1.
    assert_close(newcombe(10, 10, n_correct_b=0, n_b=10), 0.607509, 1, atol=1e-6)


# Conventions.


@both_intervals
def test_no_observation_gives_no_limits(interval: OneSample) -> None:
    low, high = interval([0, 0, 3], [0, 5, 3])
    np.testing.assert_array_equal(np.isnan([low, high]), [[True, False, False]] * 2)
    assert (low[1], high[2]) == (0, 1)


def test_a_difference_from_nothing_gives_no_limits() -> None:
    limits = newcombe([1, 0, 1], [2, 0, 2], n_correct_b=[0, 1, 1], n_b=[0, 2, 2])
    np.testing.assert_array_equal(np.isnan(limits.low), [True, True, False])
    np.testing.assert_array_equal(np.isnan(limits.high), [True, True, False])


@both_intervals
@pytest.mark.parametrize(
    ("k", "n", "shape"), [(3, 9, ()), ([], [], (0,)), ([[1], [2]], [4, 5, 6], (2, 3)), ([0], 0, (1,))]
)
def test_limits_have_the_broadcast_shape_of_the_counts(
    interval: OneSample, k: ArrayLike, n: ArrayLike, shape: tuple[int, ...]
) -> None:
    low, high = interval(k, n)
    assert (low.shape, high.shape) == (shape, shape)
    assert (low.dtype.name, high.dtype.name) == ("float64", "float64")


@both_intervals
def test_the_counts_are_left_as_they_were(interval: OneSample) -> None:
    k, n = np.array([0, 3, 7]), np.array([0, 5, 7])
    k.flags.writeable = n.flags.writeable = False
    interval(k, n)
    np.testing.assert_array_equal([k, n], [[0, 3, 7], [0, 5, 7]])


@both_intervals
def test_counts_that_make_no_sense_are_refused(interval: OneSample) -> None:
    with pytest.raises(InputError, match="item 1 has n_correct = 6, n = 5"):
        interval([5, 6], [5, 5])


def test_newcombe_refuses_counts_that_make_no_sense_in_either_sample() -> None:
    with pytest.raises(InputError, match="item 0 has n_correct = 3, n = 2"):
        newcombe(1, 2, n_correct_b=3, n_b=2)


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, np.nan])
def test_a_level_that_is_no_coverage_is_refused(level: float) -> None:
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        clopper_pearson(1, 2, level=level)
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        wilson(1, 2, level=level)
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        newcombe(1, 2, n_correct_b=1, n_b=2, level=level)


# Properties.


@both_intervals
@given(pair=pairs(), level=levels)
def test_limits_hold_the_observed_share(interval: OneSample, pair: tuple[int, int], level: float) -> None:
    low, high = interval(*pair, level=level)
    assert 0 <= low <= pair[0] / pair[1] <= high <= 1
    assert low < high


@both_intervals
@given(pair=pairs(), level=levels)
def test_right_and_wrong_mirror_each_other(interval: OneSample, pair: tuple[int, int], level: float) -> None:
    k, n = pair
    limits, mirrored = interval(k, n, level=level), interval(n - k, n, level=level)
    assert_close(limits, 1 - mirrored.high, 1 - mirrored.low, atol=1e-14)


@both_intervals
@given(n=st.integers(1, 300), level=levels)
def test_limits_rise_with_the_number_right(interval: OneSample, n: int, level: float) -> None:
    low, high = interval(np.arange(n + 1), n, level=level)
    assert (np.diff(low) > 0).all()
    assert (np.diff(high) > 0).all()


@both_intervals
@given(pair=pairs(), level=levels)
def test_a_lower_level_lies_inside_a_higher_one(interval: OneSample, pair: tuple[int, int], level: float) -> None:
    inner, outer = interval(*pair, level=level - 0.1), interval(*pair, level=level)
    assert outer.low <= inner.low
    assert inner.high <= outer.high
    assert inner.high - inner.low < outer.high - outer.low


@both_intervals
@given(pair=pairs(), factor=st.integers(2, 9))
def test_more_images_with_the_same_share_narrow_the_interval(
    interval: OneSample, pair: tuple[int, int], factor: int
) -> None:
    few, many = interval(*pair), interval(factor * pair[0], factor * pair[1])
    assert many.high - many.low < few.high - few.low


@given(a=pairs(), b=pairs(), level=levels)
def test_newcombe_turns_round_with_its_samples_and_holds_the_difference(
    a: tuple[int, int], b: tuple[int, int], level: float
) -> None:
    limits = newcombe(*a, n_correct_b=b[0], n_b=b[1], level=level)
    turned = newcombe(*b, n_correct_b=a[0], n_b=a[1], level=level)
    assert_close(limits, -turned.high, -turned.low, atol=1e-15)
    assert -1 - 1e-15 <= limits.low <= a[0] / a[1] - b[0] / b[1] <= limits.high <= 1 + 1e-15


# Every way through the table, the sort and the threads gives the same bits as one pair at a time.


@given(st.lists(pairs(max_n=30) | st.just((0, 0)) | pairs(max_n=60_000), min_size=1, max_size=30))
def test_a_pair_has_the_same_limits_alone_and_in_any_company(some: list[tuple[int, int]]) -> None:
    together = clopper_pearson(*np.array(some).T)
    for position, (k, n) in enumerate(some):
        alone = clopper_pearson(k, n)
        np.testing.assert_array_equal([together.low[position], together.high[position]], [alone.low, alone.high])


@pytest.mark.parametrize("n_range", [(300, 301), (5, 11), (50_000, 50_001), (40_000, 60_000)])
def test_threads_and_tables_do_not_change_a_bit(
    n_range: tuple[int, int], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = rng.integers(*n_range, size=20_000)
    k = rng.integers(0, n + 1)
    monkeypatch.setattr(intervals, "_MIN_PAIRS_FOR_THREADS", 1)
    threaded = clopper_pearson(k, n)
    monkeypatch.setattr(intervals, "_MIN_PAIRS_FOR_THREADS", k.size * 2 + 1)
    monkeypatch.setattr(intervals, "_MAX_CODES_PER_PAIR", 0)
    sorted_alone = clopper_pearson(k, n)
    np.testing.assert_array_equal(threaded, sorted_alone)


# Independent oracles.


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_clopper_pearson_is_the_beta_quantile_on_the_full_grid(level: float) -> None:
    k, n = make_triangle(60)
    low = np.where(k == 0, 0, stats.beta.ppf((1 - level) / 2, np.maximum(k, 1), n - k + 1))
    high = np.where(k == n, 1, stats.beta.ppf((1 + level) / 2, k + 1, np.maximum(n - k, 1)))
    assert_close(clopper_pearson(k, n, level=level), low, high, atol=1e-13)


@pytest.mark.parametrize("n", [137, 10_000, 50_000, 1_281_167])
def test_clopper_pearson_limits_leave_the_tail_probability_outside(n: int) -> None:
    # The definition itself, by sums of the binomial distribution rather than by quantiles of the beta.
    k = np.unique(np.linspace(1, n - 1, 200).astype(int))
    low, high = clopper_pearson(k, n)
    np.testing.assert_allclose(stats.binom.sf(k - 1, n, low), 0.025, rtol=1e-7)
    np.testing.assert_allclose(stats.binom.cdf(k, n, high), 0.025, rtol=1e-7)


@pytest.mark.parametrize(("interval", "method"), [(clopper_pearson, "beta"), (wilson, "wilson")])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_statsmodels_gives_the_same_limits(interval: OneSample, method: str, level: float) -> None:
    k, n = make_triangle(40)
    low, high = proportion_confint(k, n, alpha=1 - level, method=method)
    assert_close(interval(k, n, level=level), low, high, atol=1e-12)


@given(a=pairs(), b=pairs())
def test_statsmodels_gives_the_same_newcombe_limits(a: tuple[int, int], b: tuple[int, int]) -> None:
    low, high = confint_proportions_2indep(*a, *b, method="newcomb", compare="diff")
    assert_close(newcombe(*a, n_correct_b=b[0], n_b=b[1]), low, high, atol=1e-12)


# Coverage, summed exactly over all outcomes instead of simulated.


def cover(limits: Limits, share: float, n: int) -> float:
    """The probability that the limits, one entry per number right, hold the share they estimate."""
    covered = (limits.low <= share) & (share <= limits.high)
    return float(stats.binom.pmf(np.arange(n + 1), n, share)[covered].sum())


@pytest.mark.parametrize("n", [1, 2, 5, 10, 48, 100, 1_000])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_clopper_pearson_never_covers_less_than_its_level(n: int, level: float) -> None:
    limits = clopper_pearson(np.arange(n + 1), n, level=level)
    # Coverage is lowest where p meets a limit from outside, so the points just beside the limits join the grid.
    beside = np.concatenate([limits.low[1:] - 1e-9, limits.high[:-1] + 1e-9])
    shares = np.concatenate([np.linspace(0, 1, 201), beside[(beside > 0) & (beside < 1)]])
    assert min(cover(limits, share, n) for share in shares) >= level - 1e-7


@pytest.mark.parametrize("n", [10, 50, 200])
def test_wilson_covers_its_level_on_average(n: int) -> None:
    limits = wilson(np.arange(n + 1), n)
    coverage = np.mean([cover(limits, share, n) for share in np.linspace(0.005, 0.995, 199)])
    assert 0.945 < coverage < 0.965


@pytest.mark.parametrize(("n_a", "n_b"), [(10, 10), (30, 20), (100, 40)])
def test_newcombe_covers_its_level_on_average(n_a: int, n_b: int) -> None:
    k_a, k_b = np.arange(n_a + 1)[:, np.newaxis], np.arange(n_b + 1)
    limits = newcombe(k_a, n_a, n_correct_b=k_b, n_b=n_b)
    shares = np.linspace(0.025, 0.975, 20)
    coverage = [
        (stats.binom.pmf(k_a, n_a, a) * stats.binom.pmf(k_b, n_b, b))[
            (limits.low <= a - b) & (a - b <= limits.high)
        ].sum()
        for a in shares
        for b in shares
    ]
    assert 0.945 < np.mean(coverage) < 0.97
    assert min(coverage) > 0.86


# Published values.


def test_newcombe_1998_single_proportions() -> None:
    # Newcombe (1998), Two-sided confidence intervals for the single proportion, Table I, methods 5 and 3.
    k, n = [81, 15, 0, 1], [263, 148, 20, 29]
    assert_close(clopper_pearson(k, n), [0.2527, 0.0578, 0.0000, 0.0009], [0.3676, 0.1617, 0.1684, 0.1776], atol=5.1e-5)
    assert_close(wilson(k, n), [0.2553, 0.0624, 0.0000, 0.0061], [0.3662, 0.1605, 0.1611, 0.1718], atol=5.1e-5)


def test_newcombe_1998_differences() -> None:
    # Newcombe (1998), Interval estimation for the difference between independent proportions, Table II, method 10.
    limits = newcombe(
        [56, 9, 6, 5, 0, 0, 10, 10],
        [70, 10, 7, 56, 10, 10, 10, 10],
        n_correct_b=[48, 3, 2, 0, 0, 0, 0, 0],
        n_b=[80, 10, 7, 29, 20, 10, 20, 10],
    )
    low = [0.0524, 0.1705, 0.0582, -0.0381, -0.1611, -0.2775, 0.6791, 0.6075]
    high = [0.3339, 0.8090, 0.8062, 0.1926, 0.2775, 0.2775, 1.0000, 1.0000]
    assert_close(limits, low, high, atol=5.1e-5)


def test_ten_thousand_images_suffice_for_one_point_at_95_percent_and_two_at_99_99() -> None:
    # Recht et al. (2019) choose 10,000 images by this; the widest interval is the one at half of the images right.
    for level, promised, half_width in [(0.95, 0.01, 0.00985), (0.9999, 0.02, 0.01950)]:
        low, high = clopper_pearson(np.arange(10_001), 10_000, level=level)
        reach = np.maximum(high - np.arange(10_001) / 10_000, np.arange(10_001) / 10_000 - low)
        assert reach.max() <= promised
        assert (high[5_000] - low[5_000]) / 2 == pytest.approx(half_width, abs=5e-6)


def test_the_printed_accuracies_of_recht_2019_come_out(published: Path) -> None:
    with (published / "recht2019_accuracy_counts.csv").open(newline="") as file:
        counts = {row["model"]: row for row in csv.DictReader(file)}
    best = counts["pnasnet_large_tf"]
    low, high = clopper_pearson([int(best["val_top1"]), int(best["matched_frequency_top1"])], [50_000, 10_000])
    # The paper prints 82.9 [82.5, 83.2] on the original and 72.2 [71.3, 73.1] on the new test set.
    np.testing.assert_array_equal((100 * low).round(2), [82.52, 71.30])
    np.testing.assert_array_equal((100 * high).round(2), [83.19, 73.07])
