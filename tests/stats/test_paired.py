"""Two participants on the same images: McNemar's test and the limits of the difference, against arithmetic and oracles."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import mcnemar

from regauge.errors import InputError
from regauge.stats import paired
from regauge.stats.intervals import clopper_pearson
from regauge.stats.paired import count_discordant_pairs, exact_mcnemar, tango

counts = st.integers(0, 3_000)


def test_two_against_nine_as_published() -> None:
    # 2·(C(11,0) + C(11,1) + C(11,2))/2^11 = 2·(1 + 11 + 55)/2048 = 134/2048 = 0.0654297; Fay, Exact McNemar's test and
    # matching confidence intervals (vignette of the R package exact2x2), prints 0.06543 for this example.
    assert exact_mcnemar(2, 9) == pytest.approx(134 / 2048, rel=1e-14)


def test_participants_who_never_differ_have_p_one() -> None:
    np.testing.assert_array_equal(exact_mcnemar([0, 0], [0, 1]), [1, 1])


def test_equal_counts_have_p_one() -> None:
    np.testing.assert_array_equal(exact_mcnemar(np.arange(200), np.arange(200)), np.ones(200))


def test_shapes_broadcast_and_nothing_gives_nothing() -> None:
    assert exact_mcnemar([[1], [2]], [3, 4, 5]).shape == (2, 3)
    assert exact_mcnemar(1, 2).shape == ()
    assert exact_mcnemar([], []).shape == (0,)


@pytest.mark.parametrize(("first", "second"), [(-1, 3), (2, -3), (0.5, 3), (1, np.nan)])
def test_counts_that_make_no_sense_are_refused(first: float, second: float) -> None:
    with pytest.raises(InputError, match=r"item 1 has n_only_first = .*, n_only_second = "):
        exact_mcnemar([1, first], [1, second])


@given(counts, counts)
def test_the_participants_may_be_swapped(first: int, second: int) -> None:
    assert exact_mcnemar(first, second) == exact_mcnemar(second, first)


@given(st.integers(1, 2_000))
def test_a_lopsided_split_of_the_same_images_is_less_likely(n_discordant: int) -> None:
    fewer = np.arange(n_discordant // 2 + 1)
    p = exact_mcnemar(fewer, n_discordant - fewer)
    assert (np.diff(p) >= 0).all()
    assert ((p >= 0) & (p <= 1)).all()


@given(counts, counts)
def test_integer_arithmetic_gives_the_same(first: int, second: int) -> None:
    n = first + second
    exact = Fraction(2 * sum(comb(n, k) for k in range(min(first, second) + 1)), 2**n)
    assert exact_mcnemar(first, second) == pytest.approx(min(1.0, float(exact)), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize(
    ("first", "second"), [(49_000, 51_000), (49_900, 50_100), (50_000, 50_000), (2_300, 2_654), (1, 40)]
)
def test_scipy_gives_the_same_up_to_a_hundred_thousand_images(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue
    assert exact_mcnemar(first, second) == pytest.approx(expected, rel=1e-11)


@given(st.integers(0, 100), st.integers(0, 100))
def test_statsmodels_gives_the_same(first: int, second: int) -> None:
    expected = mcnemar([[5, first], [second, 7]], exact=True).pvalue
    assert exact_mcnemar(first, second) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_equal_participants_are_told_apart_no_more_often_than_alpha(alpha: float) -> None:
    # All outcomes are enumerated, given the number of images on which the two differ.
    for n_discordant in range(301):
        first = np.arange(n_discordant + 1)
        rejected = exact_mcnemar(first, n_discordant - first) <= alpha
        assert stats.binom.pmf(first, n_discordant, 0.5)[rejected].sum() <= alpha * (1 + 1e-9)


# Limits of the difference.

Z = float(stats.norm.ppf(0.975))


@st.composite
def pairings(draw: st.DrawFn, max_n: int = 500) -> tuple[int, int, int]:
    """Images that only the first and only the second gets right, and all."""
    n = draw(st.integers(1, max_n))
    first = draw(st.integers(0, n))
    return first, draw(st.integers(0, n - first)), n


def test_two_who_never_differ_have_limits_that_know_how_many_images_there_are() -> None:
    # With no image on which they differ the likeliest shares with the difference d < 0 have a variance of −d(1 + d), so
    # n·d² = −z²·d·(1 + d) and d = −z²/(n + z²): with z² = 3.8415, ±3.8415/23.8415 = ±0.16113 at 20 images and ±0.00383 at 1,000.
    low, high = tango(0, 0, n=[20, 1_000])
    np.testing.assert_allclose(high, [3.841459 / 23.841459, 3.841459 / 1_003.841459], rtol=1e-6)
    np.testing.assert_allclose(low, -high, rtol=1e-12)


def test_limits_of_the_difference_are_where_the_score_is_z() -> None:
    # 9 and 9 of 32 images: at the limit d the score is −32·d/√(32·(2q + d − d²)), q the share only the second gets right.
    low, high = tango(9, 9, n=32)
    assert high == pytest.approx(-float(low), rel=1e-12)
    d = float(high)
    linear = 64 * d - 18
    q = (np.sqrt(linear**2 + 4 * 64 * 9 * d * (1 - d)) - linear) / 128
    assert 32 * d / np.sqrt(32 * (2 * q + d - d**2)) == pytest.approx(Z, rel=1e-9)
    assert d == pytest.approx(0.2556, abs=1e-4)


def test_no_image_gives_no_limits_and_shapes_broadcast() -> None:
    low, high = tango([[0], [1]], [0, 0, 1], n=[0, 5, 9] * np.array([[1], [1]]) + [[0, 0, 0], [5, 0, 0]])
    assert low.shape == high.shape == (2, 3)
    assert np.isnan(low[0, 0])
    assert np.isnan(high[0, 0])
    assert not np.isnan(low.ravel()[1:]).any()
    assert tango([], [], n=[]).low.shape == (0,)


def test_pairs_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="n_only_first = 3, n_only_second = 3, n = 5"):
        tango(3, 3, n=5)


@given(pairings(), st.floats(0.5, 0.999))
def test_limits_hold_the_difference_and_mirror_it(pairing: tuple[int, int, int], level: float) -> None:
    first, second, n = pairing
    low, high = tango(first, second, n=n, level=level)
    assert -1 <= low <= (first - second) / n + 1e-12
    assert (first - second) / n - 1e-12 <= high <= 1
    assert high - low > 0
    mirror = tango(second, first, n=n, level=level)
    np.testing.assert_allclose([low, high], [-mirror.high, -mirror.low], atol=1e-12)


@given(pairings(max_n=3_000))
def test_zero_lies_outside_exactly_where_the_score_test_of_equality_rejects(pairing: tuple[int, int, int]) -> None:
    first, second, n = pairing
    low, high = tango(first, second, n=n)
    score = abs(first - second) / max(first + second, 1) ** 0.5
    if abs(score - Z) > 1e-6:
        assert (low > 0 or high < 0) == (score > Z)


def find_score(difference: float, first: int, second: int, n: int) -> float:
    """The z score of a difference, with the likeliest share found by search instead of the quadratic."""

    def lose(share: float) -> float:
        shares = np.array([share + difference, share, 1 - 2 * share - difference])
        observed = np.array([first, second, n - first - second])
        seen = observed > 0
        return float(-(observed[seen] * np.log(np.maximum(shares[seen], 1e-300))).sum())

    span = max(0.0, -difference), (1 - difference) / 2
    share = optimize.minimize_scalar(lose, bounds=span, method="bounded", options={"xatol": 1e-12}).x
    return float((first - second - n * difference) / np.sqrt(n * (2 * share + difference - difference**2)))


@pytest.mark.parametrize(
    ("first", "second", "n"), [(1, 3, 10), (12, 2, 50), (5, 1, 20), (40, 15, 200), (3, 0, 8), (9, 4, 13)]
)
def test_a_search_for_the_likeliest_shares_gives_the_same_limits(first: int, second: int, n: int) -> None:
    low, high = tango(first, second, n=n)
    observed = (first - second) / n
    lowest = optimize.brentq(lambda d: find_score(d, first, second, n) - Z, -1 + 1e-9, observed - 1e-9)
    highest = optimize.brentq(lambda d: find_score(d, first, second, n) + Z, observed + 1e-9, 1 - 1e-9)
    np.testing.assert_allclose([low, high], [lowest, highest], atol=1e-6)


N_SIMULATIONS = 20_000
MEAN_DISCORDANT = (0.5, 1, 2, 4, 8)


@pytest.mark.parametrize("n", [10, 20, 50, 200, 1_000])
def test_limits_cover_the_difference_of_two_who_seldom_and_often_differ(n: int, rng: np.random.Generator) -> None:
    sums = [k / n for k in MEAN_DISCORDANT if k <= 0.6 * n] + [0.2, 0.5]
    coverages = []
    for total in sums:
        for part in (0.5, 0.7, 1):
            first, second, _ = rng.multinomial(n, [total * part, total * (1 - part), 1 - total], size=N_SIMULATIONS).T
            low, high = tango(first, second, n=n)
            difference = total * (2 * part - 1)
            n_covered = ((low <= difference + 1e-12) & (difference <= high + 1e-12)).sum()
            coverages.append(n_covered / N_SIMULATIONS)
            # Whole images make the coverage of any such interval go up and down with the shares; 92% is the least here.
            assert clopper_pearson(n_covered, N_SIMULATIONS, level=0.999).high >= 0.92
    assert 0.95 <= np.mean(coverages) <= 0.99


def test_three_participants_by_hand() -> None:
    # a is right on images 0, 1, 2; b on 1, 3; c on none. a without b: 0, 2; b without a: 3.
    right = np.array([[1, 1, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0]], bool)
    pairs = count_discordant_pairs(right)
    np.testing.assert_array_equal(pairs.n_only_first, [[0, 2, 3], [1, 0, 2], [0, 0, 0]])
    np.testing.assert_array_equal(pairs.n_only_second, pairs.n_only_first.T)
    assert pairs.n_only_first.dtype == np.int64


@given(st.integers(0, 2**32), st.integers(0, 8), st.integers(0, 300), st.floats(0, 1))
def test_a_loop_over_pairs_gives_the_same(seed: int, n_participants: int, n_images: int, share: float) -> None:
    right = np.random.default_rng(seed).random((n_participants, n_images)) < share
    pairs = count_discordant_pairs(right)
    assert pairs.n_only_first.shape == (n_participants, n_participants)
    for i, first in enumerate(right):
        for j, second in enumerate(right):
            assert pairs.n_only_first[i, j] == np.sum(first & ~second)
            assert pairs.n_only_second[i, j] == np.sum(second & ~first)


def test_counts_stay_exact_where_floats_of_32_bits_would_not(monkeypatch: pytest.MonkeyPatch) -> None:
    right = np.ones((2, 2**24 + 3), bool)
    right[1, ::2] = False
    np.testing.assert_array_equal(count_discordant_pairs(right).n_only_first, [[0, 2**23 + 2], [0, 0]])
    monkeypatch.setattr(paired, "_MAX_EXACT", 2)
    small = right[:, :101]
    np.testing.assert_array_equal(count_discordant_pairs(small).n_only_first, [[0, 51], [0, 0]])


def test_with_mcnemar_all_pairs_have_the_p_of_statsmodels(rng: np.random.Generator) -> None:
    right = rng.random((6, 400)) < rng.uniform(0.6, 0.8, (6, 1))
    p = exact_mcnemar(*count_discordant_pairs(right))
    np.testing.assert_array_equal(p, p.T)
    for i in range(6):
        for j in range(6):
            table = [[np.sum(right[i] & right[j]), np.sum(right[i] & ~right[j])], [np.sum(~right[i] & right[j]), 0]]
            assert p[i, j] == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-10)


@pytest.mark.parametrize("right", [[True, False], [[1, 0], [0, 1]], [[0.5]]])
def test_what_is_not_right_or_wrong_is_refused(right: ArrayLike) -> None:
    with pytest.raises(InputError, match=r"bool \[participants, images\], not"):
        count_discordant_pairs(right)
