"""Means of two small samples: all ways of dealing out, SciPy, properties, the level, power and coverage."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from regauge.errors import InputError
from regauge.stats import two_means
from regauge.stats.intervals import clopper_pearson, newcombe
from regauge.stats.two_means import find_difference_limits, permute_means

scores = st.lists(st.integers(0, 6), min_size=1, max_size=7)


def find_p(first: list[int], second: list[int]) -> float:
    return permute_means(first, second, rng=np.random.default_rng(0)).p


def count_all_ways(first: list[int], second: list[int]) -> float:
    """The share of all ways of dealing the scores out whose means lie at least as far apart, in whole numbers."""
    everything, n, m = [*first, *second], len(first), len(second)
    total, observed = sum(everything), abs(m * sum(first) - n * sum(second))
    sums = [sum(everything[place] for place in chosen) for chosen in combinations(range(n + m), n)]
    return sum(abs(m * one - n * (total - one)) >= observed for one in sums) / len(sums)


def test_three_against_three_by_hand() -> None:
    # Of the 20 ways to choose three of 0 … 5, only {0, 1, 2} and {3, 4, 5} are as far apart: 2/20.
    assert find_p([0, 1, 2], [3, 4, 5]) == pytest.approx(0.1, rel=1e-12)


@given(scores, scores)
def test_p_is_the_share_of_all_ways_of_dealing_the_scores_out(first: list[int], second: list[int]) -> None:
    assert find_p(first, second) == pytest.approx(count_all_ways(first, second), rel=1e-10)


@given(scores, scores, st.integers(0, 9), st.integers(1, 5))
def test_neither_the_order_nor_the_unit_of_the_scores_matters(
    first: list[int], second: list[int], shift: int, unit: int
) -> None:
    moved = [[shift + unit * one for one in sample] for sample in (second[::-1], first)]
    assert find_p(*moved) == pytest.approx(find_p(first, second), rel=1e-10)


def test_shares_agree_with_the_hypergeometric_distribution_of_scipy() -> None:
    first, second = [1] * 41 + [0] * 9, [1] * 4 + [0] * 6
    # Of 10 drawn from 60 with 45 ones, 7.5 are expected; 4 is 3.5 away, and so is 11, which cannot be.
    expected = stats.hypergeom(60, 45, 10).cdf(4)
    assert find_p(first, second) == pytest.approx(expected, rel=1e-9)


def test_small_p_values_keep_their_digits() -> None:
    # One way of C(60, 10) has the ten lowest scores in the second sample; on the other side there is none as far.
    first, second = list(range(10, 60)), list(range(10))
    assert find_p(first, second) == pytest.approx(2 / 75_394_027_566, rel=1e-9)


def test_drawn_permutations_agree_with_counted_ones(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = rng.integers(0, 9, 30), rng.integers(1, 10, 12)
    exact = permute_means(first, second, rng=rng)
    monkeypatch.setattr(two_means, "MAX_EXACT_STEPS", 0)
    drawn = permute_means(first, second, rng=rng)
    assert (exact.n_drawn, drawn.n_drawn) == (0, two_means.N_PERMUTATIONS)
    # Four standard errors of a share of 20,000.
    assert drawn.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p / two_means.N_PERMUTATIONS))


def test_equal_scores_give_one_and_no_scores_give_no_value() -> None:
    assert find_p([3, 3], [3]) == 1
    assert np.isnan(find_p([], [1, 2]))
    assert np.isnan(find_difference_limits([1], [], top=2, rng=np.random.default_rng(0)).low)


def test_what_is_no_column_of_scores_is_refused() -> None:
    with pytest.raises(InputError, match="one column"):
        permute_means([[1]], [1], rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="whole numbers"):
        permute_means([0.5], [1], rng=np.random.default_rng(0))


def test_the_level_holds_for_a_dozen_heaped_scores_and_a_plain_change_is_found(rng: np.random.Generator) -> None:
    n = 2_000
    values, shares = np.arange(5), [0.5, 0.05, 0.05, 0.1, 0.3]
    same = [
        permute_means(rng.choice(values, 9, p=shares), rng.choice(values, 5, p=shares), rng=rng).p for _ in range(n)
    ]
    n_low = int((np.array(same) <= 0.05).sum())
    # The test is exact, so the true level is at most 5%, and little below it: p-values of 2,002 ways are hardly coarse.
    assert clopper_pearson(n_low, n).low <= 0.05
    assert n_low >= 0.02 * n
    apart = [permute_means(rng.choice(values, 12, p=shares), rng.choice([3, 4], 12), rng=rng).p for _ in range(200)]
    assert (np.array(apart) <= 0.05).mean() > 0.8


@pytest.mark.parametrize("spread", [0.6, 4.0])
def test_limits_cover_what_they_say(spread: float, rng: np.random.Generator) -> None:
    # Classes of ImageNet: 50 old and 10 new images, 20 models, easy images with 0.8 on average and hard ones with 0.65.
    n, n_covered = 2_000, 0
    for _ in range(n):
        first, second = (
            rng.binomial(20, rng.beta(mean * spread, (1 - mean) * spread, size))
            for mean, size in ((0.8, 50), (0.65, 10))
        )
        limits = find_difference_limits(first, second, top=20, rng=rng)
        n_covered += limits.low <= -0.15 <= limits.high
    # Percentiles of ten skewed scores are not exact: measured 94 to 95%; without the corrections 89 to 90%.
    assert clopper_pearson(n_covered, n).high >= 0.95


def test_one_model_has_newcombes_limits(rng: np.random.Generator) -> None:
    limits = find_difference_limits([1, 1, 1, 0], [0, 1, 0, 0, 0], top=1, rng=rng)
    low, high = newcombe(1, 5, n_correct_b=3, n_b=4)
    assert (limits.low, limits.high) == pytest.approx((float(low), float(high)))
    assert not limits.is_bootstrap


def test_scores_without_spread_still_have_limits_with_a_width(rng: np.random.Generator) -> None:
    limits = find_difference_limits([7] * 50, [7] * 10, top=7, rng=rng)
    low, high = newcombe(10, 10, n_correct_b=50, n_b=50)
    assert (limits.low, limits.high) == pytest.approx((float(low), float(high)))
    assert not limits.is_bootstrap


def test_many_scores_agree_with_the_normal_limits(rng: np.random.Generator) -> None:
    first, second = rng.integers(0, 11, 4_000), rng.integers(2, 11, 3_000)
    limits = find_difference_limits(first, second, top=10, rng=rng)
    spread = np.sqrt(first.var() / 4_000 + second.var() / 3_000) / 10
    middle = (second.mean() - first.mean()) / 10
    assert limits.is_bootstrap
    # A percentile of 2,000 replicates wanders by about 0.06 standard deviations.
    assert (limits.low, limits.high) == pytest.approx(
        (middle - 1.96 * spread, middle + 1.96 * spread), abs=0.25 * spread
    )
