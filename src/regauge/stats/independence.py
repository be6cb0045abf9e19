"""Whether kinds of mistakes differ between test sets or models: chi-square, Fisher's exact test, permutation within images."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.stats.counts import check_counts
from regauge.stats.finite import count_log_ways

DEFAULT_PERMUTATIONS = 10_000

NO_MISTAKE = -1
"""Stands for a category where the model makes no mistake on the image."""

# Statistics of equal tables may differ in their last bits, according to the order of the sums.
_TIE = 1e-9
# Equal chances of a hypergeometric count may differ in the bits that logarithms of factorials lose.
_SAME_CHANCE = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class ChiSquare:
    """Pearson's test of independence.

    Attributes:
        statistic: the sum of (observed − expected)²/expected over the cells; NaN where there is no test.
        dof: (rows − 1)·(columns − 1), empty ones not counted; 0 where there is no test.
        p: the chance of a statistic at least as large if rows and columns are independent; NaN where there is no test.
        n: the sum of the table.
        expected: what independence would put into each cell, row total · column total/n, in the shape of the table; NaN
            when the table is empty.
    """

    statistic: float
    dof: int
    p: float
    n: int
    expected: FloatArray


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A statistic against what random swaps make of it.

    Attributes:
        statistic: the chi-square statistic of the table; NaN where there is no test.
        p: (1 + b)/(1 + n_resamples) with b the swaps that give at least as much; NaN where there is no test.
        n_images: the images on which at least one model makes a mistake.
        n_resamples: how many times all images were swapped at random.
    """

    statistic: float
    p: float
    n_images: int
    n_resamples: int


def chi_square(table: ArrayLike) -> ChiSquare:
    """Pearson's chi-square test of independence of rows and columns, without Yates' correction.

    Rows are test sets or models, columns are categories or severities. The observations must be independent; mistakes of
    two models on the same images are not, see `permutation_test_by_image`. The p-value is a large-sample one: mistrust it
    where an expected count is below about 5. Empty rows and columns say nothing and are left out; with fewer than two of
    either left, there is no test.

    Reference:
        Pearson (1900), On the criterion that a given system of deviations …; the uncorrected form is that of Vasudevan et
        al. (2022), When does dough become a bagel?

    >>> test = chi_square([[296, 380], [47, 53]])
    >>> print(f"χ²({test.dof}, N = {test.n}) = {test.statistic:.2f}, p = {test.p:.2f}")
    χ²(1, N = 776) = 0.36, p = 0.55
    """
    (counts,) = check_counts(count=table)
    if counts.ndim != 2:
        raise InputError(f"A table of counts has rows and columns; this one has the shape {counts.shape}.")
    n = int(counts.sum())
    row_totals, column_totals = counts.sum(axis=1), counts.sum(axis=0)
    dof = (np.count_nonzero(row_totals) - 1) * (np.count_nonzero(column_totals) - 1)
    expected = np.outer(row_totals, column_totals) / (n or np.nan)
    if n == 0 or dof == 0:
        return ChiSquare(np.nan, 0, np.nan, n, expected)
    statistic = float(_measure_tables(counts))
    return ChiSquare(statistic, int(dof), float(chdtrc(dof, statistic)), n, expected)


def fisher_exact(n_first: int, n_of_first: int, *, n_second: int, n_of_second: int) -> float:
    """Two-sided exact p-value for "both groups have equal shares", n_first of n_of_first and n_second of n_of_second.

    Given both groups and how many of all have the property, the number in the first group is hypergeometric if the shares are
    equal. Summed are the chances of all numbers that are no more likely than the observed one. It holds in small groups, where
    the p-value of chi-square is only a rough one, and is cautious: it rejects too rarely rather than too often. 1 where a
    group is empty, or where all or none have the property.

    Reference:
        Fisher (1935), The logic of inductive inference.

    >>> round(fisher_exact(3, 4, n_second=1, n_of_second=4), 4)
    0.4857
    """
    check_counts(n=n_of_first, n_first=n_first)
    check_counts(n=n_of_second, n_second=n_second)
    n_with = n_first + n_second
    found = np.arange(max(0, n_with - n_of_second), min(n_with, n_of_first) + 1)
    ways = count_log_ways(n_of_first, found) + count_log_ways(n_of_second, n_with - found)
    chances = np.exp(ways - ways.max())
    is_no_likelier = chances <= chances[n_first - found[0]] * (1 + _SAME_CHANCE)
    return float(min(1.0, chances[is_no_likelier].sum() / chances.sum()))


def permutation_test_by_image(
    first_codes: ArrayLike,
    second_codes: ArrayLike,
    *,
    n_categories: int,
    rng: np.random.Generator,
    n_resamples: int = DEFAULT_PERMUTATIONS,
) -> PermutationTest:
    """Whether two models spread their mistakes differently over the categories, when many are mistakes on the same images.

    If the models do not differ, then on each image it is chance which of them made which mistake. So on every image their
    codes are swapped or not with probability ½, and the chi-square statistic of the table [model, category] is computed
    anew. Where only one model errs, the mistake moves to the other with probability ½. Images that both code alike never
    change the table, which is how the test pays for the dependence. A swap that leaves one model without mistakes speaks
    for no difference.

    The m images with the same pair of codes are swapped at once: Binomial(m, ½) of them. That is exactly the same.

    Args:
        first_codes: per image, the category of the first model's mistake, 0 to n_categories − 1, or `NO_MISTAKE`.
        second_codes: of the second model, for the same images in the same order.
        n_categories: how many categories there are.
        rng: the source of the swaps.
        n_resamples: how many times to swap.

    Returns:
        The test; its p is NaN where `chi_square` of the observed table has none.

    Reference:
        Phipson, Smyth (2010), Permutation p-values should never be zero.
    """
    n_by_pair = _count_pairs(first_codes, second_codes, n_categories=n_categories)
    n_images = int(n_by_pair.sum() - n_by_pair[NO_MISTAKE, NO_MISTAKE])
    table = np.stack([n_by_pair.sum(axis=1), n_by_pair.sum(axis=0)])[:, :n_categories]
    observed = chi_square(table).statistic
    if np.isnan(observed):
        return PermutationTest(np.nan, np.nan, n_images, n_resamples)
    tables = table + _sample_moves(n_by_pair, rng=rng, n_resamples=n_resamples)[:, :, :n_categories]
    n_as_large = np.count_nonzero(_measure_tables(tables) >= observed * (1 - _TIE))
    return PermutationTest(observed, float(1 + n_as_large) / (1 + n_resamples), n_images, n_resamples)


def _measure_tables(tables: CountArray) -> FloatArray:
    """The chi-square statistics of tables [..., rows, columns]; 0 where a row or a column takes everything."""
    rows = tables.sum(axis=-1, keepdims=True)
    columns = tables.sum(axis=-2, keepdims=True)
    n = rows.sum(axis=-2, keepdims=True)
    expected = rows * columns / np.maximum(n, 1)
    parts = (tables - expected) ** 2 / np.where(expected > 0, expected, 1)
    return np.asarray(parts.sum(axis=(-2, -1)), np.float64)


def _count_pairs(first_codes: ArrayLike, second_codes: ArrayLike, *, n_categories: int) -> CountArray:
    """How many images have each pair of codes; the last row and column stand for no mistake."""
    first, second = np.asarray(first_codes), np.asarray(second_codes)
    if first.ndim != 1 or first.shape != second.shape:
        raise InputError(f"Codes are two columns over the same images, not arrays {first.shape} and {second.shape}.")
    for codes in (first, second):
        _check_codes(codes, n_categories)
    counts = np.zeros((n_categories + 1, n_categories + 1), np.int64)
    np.add.at(counts, (first.astype(np.intp), second.astype(np.intp)), 1)
    return counts


def _check_codes(codes: CountArray, n_categories: int) -> None:
    if codes.size and codes.dtype.kind not in "iu":
        raise InputError(f"Codes are whole numbers, not values of type {codes.dtype}.")
    bad = (codes < NO_MISTAKE) | (codes >= n_categories)
    if bad.any():
        position = int(np.argmax(bad))
        raise InputError(
            f"A code is a category from 0 to {n_categories - 1}, or {NO_MISTAKE} for no mistake; image {position} has "
            f"{codes[position]}."
        )


def _sample_moves(n_by_pair: CountArray, *, rng: np.random.Generator, n_resamples: int) -> CountArray:
    """What random swaps add to the table [model, code] and take from it, [n_resamples, 2, codes]."""
    if n_resamples < 1:
        raise InputError(f"A permutation test needs at least one resample, not {n_resamples}.")
    n_codes = len(n_by_pair)
    moves = np.zeros((n_resamples, 2, n_codes), np.int64)
    for first, second in product(range(n_codes), repeat=2):
        if first != second and n_by_pair[first, second]:
            n_swapped = rng.binomial(n_by_pair[first, second], 0.5, n_resamples)
            moves[:, 0, first] -= n_swapped
            moves[:, 0, second] += n_swapped
            moves[:, 1, first] += n_swapped
            moves[:, 1, second] -= n_swapped
    return moves
