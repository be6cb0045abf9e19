"""The exact McNemar test against integers, properties, two libraries and its promised error rate."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from regauge.errors import InputError
from regauge.stats.paired import exact_mcnemar

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
