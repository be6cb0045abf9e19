"""Chi-square and the permutation within images: arithmetic, properties, scipy, error rates and the published values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.stats.independence import (
    NO_MISTAKE,
    PermutationTest,
    chi_square,
    fisher_exact,
    permutation_test_by_image,
)
from regauge.stats.intervals import clopper_pearson

tables = st.integers(2, 5).flatmap(
    lambda n_columns: st.lists(
        st.lists(st.integers(0, 200), min_size=n_columns, max_size=n_columns), min_size=2, max_size=5
    )
)
codes = st.integers(-1, 3)


def count_kinds(first: CountArray, second: CountArray, n_categories: int) -> CountArray:
    return np.stack([np.bincount(column[column >= 0], minlength=n_categories) for column in (first, second)])


def measure(first: CountArray, second: CountArray, axis: int) -> FloatArray:
    """Pearson's statistic of codes along the last axis, by the textbook formula."""
    kinds = np.arange(3)[:, np.newaxis]
    table = np.stack([(first[..., np.newaxis, :] == kinds).sum(-1), (second[..., np.newaxis, :] == kinds).sum(-1)], -2)
    expected = table.sum(-1, keepdims=True) * table.sum(-2, keepdims=True) / table.sum((-2, -1), keepdims=True)
    parts = np.divide((table - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    return np.asarray(parts.sum((-2, -1)))


# Fisher's exact test.


def test_the_lady_who_tastes_tea() -> None:
    # Four cups of each kind, three of four named rightly. Of the 70 ways to name four cups, 1, 16, 36, 16 and 1 get 0 to 4
    # right; no likelier than 3 are 0, 1, 3 and 4: (1 + 16 + 16 + 1)/70.
    assert fisher_exact(3, 4, n_second=1, n_of_second=4) == pytest.approx(34 / 70)


@given(st.integers(0, 80), st.integers(0, 80), st.data())
def test_scipy_gives_the_same_exact_p(n: int, n_other: int, data: st.DataObject) -> None:
    k, k_other = data.draw(st.integers(0, n)), data.draw(st.integers(0, n_other))
    oracle = stats.fisher_exact([[k, n - k], [k_other, n_other - k_other]]).pvalue
    p = fisher_exact(k, n, n_second=k_other, n_of_second=n_other)
    assert p == pytest.approx(oracle, rel=1e-6)
    assert p == pytest.approx(fisher_exact(k_other, n_other, n_second=k, n_of_second=n))


def test_the_numbers_of_large_files_do_not_overflow() -> None:
    p = fisher_exact(20_000, 50_000, n_second=15_100, n_of_second=38_000)
    assert p == pytest.approx(stats.fisher_exact([[20_000, 30_000], [15_100, 22_900]]).pvalue, rel=1e-5)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_equal_shares_are_rejected_at_most_as_often_as_said(share: float) -> None:
    # Exactly, over all tables with 9 and 14: the chance of a p-value of at most 0.05 never exceeds 0.05.
    chances = stats.binom.pmf(np.arange(15), 14, share)[:, np.newaxis] * stats.binom.pmf(np.arange(10), 9, share)
    p = np.array([[fisher_exact(k, 14, n_second=j, n_of_second=9) for j in range(10)] for k in range(15)])
    assert chances[p <= 0.05].sum() <= 0.05


# Chi-square.


def test_a_table_of_four_cells_by_hand() -> None:
    # Rows 30 and 70, columns 40 and 60 of 100: expected 12, 18, 28, 42; every difference is 8, so the statistic is
    # 64·(1/12 + 1/18 + 1/28 + 1/42) = 64·0.198413 = 12.698413.
    test = chi_square([[20, 10], [20, 50]])
    np.testing.assert_allclose(test.expected, [[12, 18], [28, 42]], rtol=1e-15)
    assert (test.dof, test.n) == (1, 100)
    assert test.statistic == pytest.approx(12.698413, abs=1e-6)
    # With one degree of freedom the statistic is the square of a normal deviate.
    assert test.p == pytest.approx(2 * stats.norm.sf(12.698413**0.5), rel=1e-5)


@given(tables)
def test_scipy_gives_the_same(table: list[list[int]]) -> None:
    counts = np.array(table)
    kept = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    test = chi_square(table)
    assert test.n == counts.sum()
    if min(kept.shape) < 2:
        assert (test.dof, np.isnan(test.p), np.isnan(test.statistic)) == (0, True, True)
        return
    oracle = stats.chi2_contingency(kept, correction=False)
    assert test.dof == oracle.dof
    assert test.statistic == pytest.approx(oracle.statistic, rel=1e-9, abs=1e-9)
    assert test.p == pytest.approx(oracle.pvalue, rel=1e-9)
    rows, columns = np.flatnonzero(counts.sum(axis=1)), np.flatnonzero(counts.sum(axis=0))
    np.testing.assert_allclose(test.expected[np.ix_(rows, columns)], oracle.expected_freq, rtol=1e-12)


@given(tables, st.integers(0, 2**32))
def test_neither_order_nor_orientation_nor_empty_lines_matter(table: list[list[int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.array(table)
    padded = np.pad(counts, 1)
    shuffled = rng.permutation(rng.permutation(padded, axis=0), axis=1).T
    test, other = chi_square(counts), chi_square(shuffled)
    assert (other.dof, other.n) == (test.dof, test.n)
    assert other.statistic == pytest.approx(test.statistic, rel=1e-9, abs=1e-12, nan_ok=True)
    assert other.p == pytest.approx(test.p, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[3, 4]], [[3], [4]], [[3, 4], [0, 0]], [[3, 0], [4, 0]]])
def test_a_table_with_one_row_or_column_has_no_test(table: list[list[int]]) -> None:
    test = chi_square(table)
    assert test.dof == 0
    assert np.isnan([test.statistic, test.p]).all()
    assert test.n == np.sum(table)
    assert np.isnan(test.expected).all() == (test.n == 0)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ([1, 2], "rows and columns"),
        ([[1, -2], [3, 4]], "item 1 has count = -2"),
        ([[1, 0.5]], "item 1 has count = 0.5"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(table: ArrayLike, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        chi_square(table)


def test_large_counts_do_not_overflow() -> None:
    table = np.array([[2_000_000_000, 1_000_000_000], [1_000_000_000, 2_000_000_000]])
    assert chi_square(table).statistic == pytest.approx(stats.chi2_contingency(table, correction=False).statistic)


def test_independent_rows_are_rejected_about_as_often_as_alpha(rng: np.random.Generator) -> None:
    shares = [0.6, 0.15, 0.15, 0.1]
    drawn = np.stack([rng.multinomial(400, shares, 4_000), rng.multinomial(300, shares, 4_000)], axis=1)
    n_rejected = sum(chi_square(table).p <= 0.05 for table in drawn)
    low, high = clopper_pearson(n_rejected, 4_000, level=0.999)
    assert low <= 0.05 <= high


# Published values: Vasudevan et al. (2022), When does dough become a bagel?


def test_the_share_of_apparent_mistakes_is_as_published() -> None:
    # 296 of 676 mistakes on ImageNet and 47 of 100 on ImageNetV2 were none: χ²(1, N = 776) = 0.36, p = .55.
    test = chi_square([[296, 676 - 296], [47, 100 - 47]])
    assert (test.dof, test.n) == (1, 776)
    # The value is 0.365; the paper cuts it off.
    assert int(100 * test.statistic) / 100 == 0.36
    assert round(test.p, 2) == 0.55


def test_categories_and_severities_of_two_sets_are_as_published(published: Path) -> None:
    # χ²(3, N = 434) = 0.97, p = .80 and χ²(1, N = 434) = 0.01, p = .92. The released file has 378 mistakes, as the printed
    # percentages do, where N = 434 would need 381; hence 1.017 instead of 0.97, and the same p to two digits.
    figures = json.loads((published / "published_figures.json").read_text(encoding="utf-8"))
    recomputed = {figure["figure"]: figure["recomputed"] for figure in figures}
    category = chi_square([[242, 54, 52, 30], [35, 5, 8, 5]])
    severity = chi_square([[154, 224], [22, 31]])
    assert (category.dof, category.n, round(category.p, 2)) == (3, 431, 0.80)
    assert (severity.dof, severity.n, round(severity.statistic, 2), round(severity.p, 2)) == (1, 431, 0.01, 0.92)
    assert f"{category.statistic:.3f}, p={category.p:.3f}" in recomputed["chi2(3, N=434) category V1 vs V2"]
    assert f"{severity.statistic:.3f}, p={severity.p:.3f}" in recomputed["chi2(1, N=434) severity V1 vs V2"]


# The permutation within images.


def test_two_images_by_hand(rng: np.random.Generator) -> None:
    # The first model makes mistakes 0, 0, the second 1, 1: statistic 4. Of the four ways to swap two images, two give the
    # same table up to the models' names; the other two put one of each kind in both rows, statistic 0. So p is near ½.
    test = permutation_test_by_image([0, 0], [1, 1], n_categories=2, rng=rng, n_resamples=20_000)
    assert test.statistic == pytest.approx(4)
    assert test.p == pytest.approx(0.5, abs=0.02)
    assert (test.n_images, test.n_resamples) == (2, 20_000)


def test_swaps_that_give_as_much_count_and_p_is_never_zero(rng: np.random.Generator) -> None:
    # On images that both code alike nothing can be swapped: all 99 tables are the observed one, p = (1 + 99)/(1 + 99).
    alike = permutation_test_by_image([0, 1, 1], [0, 1, 1], n_categories=2, rng=rng, n_resamples=99)
    assert (alike.statistic, alike.p) == (0, 1)
    # Forty images all one way round come up again with chance 2·2^−40.
    apart = permutation_test_by_image([0] * 40, [1] * 40, n_categories=2, rng=rng, n_resamples=99)
    assert apart.p == 1 / 100


@pytest.mark.parametrize("seed", range(6))
def test_scipy_gives_the_same_p_over_all_swaps(seed: int, rng: np.random.Generator) -> None:
    drawn = np.random.default_rng(seed)
    first, second = drawn.choice(3, 11, p=[0.7, 0.2, 0.1]), drawn.choice([-1, 0, 1, 2], 11, p=[0.2, 0.2, 0.2, 0.4])
    exact = stats.permutation_test(
        (first, second), measure, permutation_type="samples", alternative="greater", vectorized=True, n_resamples=np.inf
    )
    test = permutation_test_by_image(first, second, n_categories=3, rng=rng, n_resamples=40_000)
    assert test.statistic == pytest.approx(exact.statistic, rel=1e-12)
    assert test.statistic == pytest.approx(chi_square(count_kinds(first, second, 3)).statistic, rel=1e-12)
    assert test.p == pytest.approx(exact.pvalue, abs=5 * (0.25 / 40_000) ** 0.5)


def test_shared_mistakes_make_plain_chi_square_too_cautious(rng: np.random.Generator) -> None:
    # Nine in ten mistakes are shared, so the tables of the two models can hardly differ by chance; ten that all lean one
    # way are then much, and a test for independent mistakes does not see it.
    shared = np.repeat([0, 1, 2], 30)
    first, second = np.append(shared, [0] * 10), np.append(shared, [1] * 10)
    test = permutation_test_by_image(first, second, n_categories=3, rng=rng)
    assert test.p < 0.01
    assert chi_square(count_kinds(first, second, 3)).p > 0.05


@given(st.lists(st.tuples(codes, codes), max_size=40), st.integers(0, 2**32))
def test_p_is_a_probability_and_images_without_mistakes_do_not_count(pairs: list[tuple[int, int]], seed: int) -> None:
    first, second = np.array([pair[0] for pair in pairs], int), np.array([pair[1] for pair in pairs], int)

    def run(*more: int) -> PermutationTest:
        return permutation_test_by_image(
            np.append(first, more).astype(int),
            np.append(second, more).astype(int),
            n_categories=4,
            rng=np.random.default_rng(seed),
            n_resamples=50,
        )

    test, other = run(), run(NO_MISTAKE, NO_MISTAKE)
    assert other.p == pytest.approx(test.p, nan_ok=True)
    assert test.n_images == other.n_images == np.count_nonzero((first >= 0) | (second >= 0))
    assert np.isnan(test.p) == np.isnan(chi_square(count_kinds(first, second, 4)).p)
    assert np.isnan(test.p) or 1 / 51 <= test.p <= 1


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        ([0, 1], [0], r"two columns over the same images, not arrays \(2,\) and \(1,\)"),
        ([0, 4], [0, 0], "from 0 to 3, or -1 for no mistake; image 1 has 4"),
        ([0, 0], [0, -2], "image 1 has -2"),
        ([0.5], [1.0], "whole numbers, not values of type float64"),
    ],
)
def test_codes_that_make_no_sense_are_refused(
    first: ArrayLike, second: ArrayLike, problem: str, rng: np.random.Generator
) -> None:
    with pytest.raises(InputError, match=problem):
        permutation_test_by_image(first, second, n_categories=4, rng=rng)


def test_at_least_one_resample_is_asked_for(rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="at least one resample, not 0"):
        permutation_test_by_image([0, 1], [1, 0], n_categories=2, rng=rng, n_resamples=0)


def test_models_that_do_not_differ_are_rejected_no_more_often_than_alpha(rng: np.random.Generator) -> None:
    # Both models draw their mistakes from the kinds that the image invites, and they err on two images in three.
    n_rejected = 0
    for _ in range(2_000):
        likely = rng.integers(0, 3, 60)
        columns = np.where(rng.random((2, 60)) < 0.6, likely, rng.integers(0, 3, (2, 60)))
        columns[rng.random((2, 60)) < 1 / 3] = NO_MISTAKE
        test = permutation_test_by_image(*columns, n_categories=3, rng=rng, n_resamples=199)
        n_rejected += test.p <= 0.05
    low, high = clopper_pearson(n_rejected, 2_000, level=0.999)
    assert low <= 0.05 <= high
