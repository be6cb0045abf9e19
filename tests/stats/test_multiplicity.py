"""Holm's and Benjamini and Hochberg's adjustments against arithmetic, properties, statsmodels and their promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from regauge.errors import InputError
from regauge.stats.intervals import clopper_pearson
from regauge.stats.multiplicity import benjamini_hochberg, holm

families = st.lists(st.floats(0, 1), max_size=20)


def test_four_tests_by_hand() -> None:
    # Ascending: 0.005·4 = 0.02, 0.01·3 = 0.03, 0.03·2 = 0.06, 0.04·1 = 0.04, raised to the 0.06 before it.
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02], rtol=1e-14)


def test_missing_values_stay_missing_and_do_not_count() -> None:
    # Two values are left: 0.01·2 = 0.02, and 0.04·1 = 0.04.
    np.testing.assert_array_equal(holm([np.nan, 0.04, np.nan, 0.01]), [np.nan, 0.04, np.nan, 0.02])


def test_no_tests_and_only_missing_ones_give_no_value() -> None:
    assert holm([]).shape == (0,)
    np.testing.assert_array_equal(holm([np.nan, np.nan]), [np.nan, np.nan])


def test_the_given_values_are_left_as_they_were() -> None:
    p = np.array([0.5, 0.1])
    p.flags.writeable = False
    holm(p)
    np.testing.assert_array_equal(p, [0.5, 0.1])


@pytest.mark.parametrize("bad", [-0.01, 1.01, np.inf])
def test_what_is_no_p_value_is_refused(bad: float) -> None:
    with pytest.raises(InputError, match="item 1 is"):
        holm([0.5, bad])


def test_a_table_of_p_values_is_refused() -> None:
    with pytest.raises(InputError, match=r"one column, not an array of shape \(1, 2\)"):
        holm([[0.1, 0.2]])


@given(families)
def test_adjusted_values_keep_the_order_and_are_never_smaller(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


@given(families, st.integers(0, 2**32))
def test_the_order_of_the_rows_does_not_matter(p: list[float], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(p))
    np.testing.assert_array_equal(holm(np.array(p)[order]), holm(p)[order])


@given(families.filter(len))
def test_it_rejects_whatever_bonferroni_rejects_and_one_test_is_left_alone(p: list[float]) -> None:
    assert (holm(p) <= np.minimum(1, len(p) * np.array(p)) + 1e-15).all()
    assert holm(p[:1])[0] == p[0]


@settings(max_examples=30)
@given(families.filter(len))
def test_statsmodels_gives_the_same(p: list[float]) -> None:
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12, atol=0)


def test_a_family_of_true_nulls_errs_no_more_often_than_alpha(rng: np.random.Generator) -> None:
    # Ten tests that share half of their variance, as participants on the same images do, in 4,000 families.
    shared, own = rng.standard_normal((4_000, 1)), rng.standard_normal((4_000, 10))
    independent = rng.random((4_000, 10))
    for p in (stats.norm.sf((shared + own) / np.sqrt(2)), independent):
        n_wrong = sum(bool((holm(family) <= 0.05).any()) for family in p)
        assert clopper_pearson(n_wrong, 4_000, level=0.999).low <= 0.05


# Benjamini and Hochberg


def test_the_false_discovery_rate_of_four_tests_by_hand() -> None:
    # Descending: 0.04·4/4 = 0.04; 0.03·4/3 = 0.04; 0.01·4/2 = 0.02; 0.005·4/1 = 0.02.
    np.testing.assert_allclose(benjamini_hochberg([0.01, 0.04, 0.03, 0.005]), [0.02, 0.04, 0.04, 0.02], rtol=1e-14)
    np.testing.assert_array_equal(benjamini_hochberg([np.nan, 0.04, 0.01]), [np.nan, 0.04, 0.02])
    assert benjamini_hochberg([]).shape == (0,)


@given(families)
def test_discoveries_agree_with_statsmodels_and_never_exceed_holm(p: list[float]) -> None:
    found = benjamini_hochberg(p)
    assert (found <= holm(p) + 1e-12).all()
    if p:
        np.testing.assert_allclose(found, multipletests(p, method="fdr_bh")[1], rtol=1e-12, atol=1e-300)


def test_the_share_of_wrong_discoveries_is_kept(rng: np.random.Generator) -> None:
    # Of 40 independent tests 30 are null: of the rejected at 10%, at most 7.5% are wrong on average.
    z = rng.standard_normal((2_000, 40)) + np.where(np.arange(40) < 30, 0.0, 3.0)
    p = 2 * stats.norm.sf(np.abs(z))
    rejected = np.array([benjamini_hochberg(row) <= 0.1 for row in p])
    shares = rejected[:, :30].sum(axis=1) / np.maximum(rejected.sum(axis=1), 1)
    assert shares.mean() == pytest.approx(0.075, abs=4 * shares.std() / np.sqrt(len(shares)))
