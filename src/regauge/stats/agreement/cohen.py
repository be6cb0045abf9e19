"""Cohen's kappa: of two annotators, averaged over all pairs of them, and of each annotator with the others' majority."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import CountArray, FloatArray, IntArray, freeze
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.stats.agreement.ratios import Disagreement, limit_agreement_ratio
from regauge.stats.agreement.tables import AnswerCounts, sort_votes
from regauge.stats.intervals import Limits

MIN_SHARED = 5
"""Pairs of annotators with fewer tasks in common are left out of the mean: their kappa says next to nothing."""

MAX_PAIRS_OF_VOTES = 10**9
"""Where tasks have so many votes that there are more pairs of votes than this, the mean over pairs is not computed."""


class Kappas(NamedTuple):
    """Cohen's kappa with what it rests on; arrays with one entry per comparison.

    Attributes:
        n: tasks that both answered.
        n_equal: those of them on which both gave the same label.
        kappa: 1 where they always agree, 0 where as often as chance would have it; NaN without a task, or where both gave
            one and the same label throughout.
        limits: limits of kappa over tasks, within [−1, 1].
    """

    n: CountArray
    n_equal: CountArray
    kappa: FloatArray
    limits: Limits


class MeanKappa(NamedTuple):
    """The mean of Cohen's kappa over pairs of annotators.

    Attributes:
        value: the mean; NaN without a pair that counts.
        limits: limits over tasks, within [−1, 1].
        n_pairs: pairs that count.
    """

    value: float
    limits: Limits
    n_pairs: int


def cohen_kappa(first: ArrayLike, second: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Kappas:
    """Agreement of two annotators on the same tasks beyond what their own habits would give by chance.

    kappa = (p − e)/(1 − e), with p the share of tasks with equal labels and e = Σ_k (share of k by the first) · (share of k
    by the second). Limits: `limit_agreement_ratio`; with many tasks they are the normal ones with the variance of Fleiss, Cohen
    and Everitt, and two who always agree on few tasks are not taken to agree always.

    References:
        Cohen (1960), A coefficient of agreement for nominal scales; Fleiss, Cohen, Everitt (1969), Large sample standard
        errors of kappa and weighted kappa.

    >>> found = cohen_kappa([0, 0, 1, 1, 1], [0, 0, 1, 1, 0])
    >>> found.kappa.round(4)
    array([0.6154])
    """
    ours, theirs = freeze(first, np.int32), freeze(second, np.int32)
    if ours.shape != theirs.shape or ours.ndim != 1:
        raise InputError(f"Two annotators are compared task by task, not {ours.shape} with {theirs.shape} labels.")
    n_labels = int(max(ours.max(initial=-1), theirs.max(initial=-1))) + 1
    return _compare(np.array([0, ours.size]), ours, theirs, n_labels=n_labels, level=level)


def compare_with_others(
    counts: AnswerCounts, annotators: IntArray, *, n_annotators: int, level: float = DEFAULT_LEVEL
) -> Kappas:
    """Every annotator against the label that most others gave the same task.

    The annotator's own vote is left out, or everyone would agree with themselves. Tasks without other votes, and those on
    which the others are tied, do not count.

    Args:
        counts: the votes.
        annotators: per vote as it came, who gave it.
        n_annotators: how many there are.
        level: the nominal coverage.
    """
    from regauge.stats.agreement._kernels import find_others

    others = np.empty(counts.answers.size, np.int32)
    find_others(counts.starts, counts.list_starts, counts.labels, counts.counts, counts.slots, others)
    compared = np.flatnonzero(others >= 0)
    starts, order = sort_votes(counts.sort(annotators)[compared], n_annotators)
    votes = compared if order is None else compared[order]
    return _compare(starts, counts.answers[votes], others[votes], n_labels=counts.n_labels, level=level)


def mean_pairwise_kappa(
    counts: AnswerCounts,
    annotators: IntArray,
    *,
    n_annotators: int,
    level: float = DEFAULT_LEVEL,
    min_shared: int = MIN_SHARED,
) -> MeanKappa:
    """The mean of Cohen's kappa over all pairs of annotators with enough tasks in common.

    Limits: from the derivatives of the mean by the weight of every task (the infinitesimal jackknife over tasks), which count
    that one task serves many pairs; see `limit_agreement_ratio`. With two annotators they are those of `cohen_kappa`.

    Returns:
        NaN where no pair counts, or where there are more than `MAX_PAIRS_OF_VOTES` pairs of votes.

    References:
        Light (1971), Measures of response agreement for qualitative data; Efron (1982), The Jackknife, the Bootstrap and
        Other Resampling Plans, chapter 6.
    """
    sums, n_by_annotator = np.zeros(n_annotators), np.zeros(n_annotators, np.int64)
    influences, chances = np.zeros((3, counts.n_tasks)), np.zeros(1)
    if (counts.n_votes_by_task * (counts.n_votes_by_task - 1) // 2).sum() <= MAX_PAIRS_OF_VOTES:
        _add_pairs(counts, counts.sort(annotators), (sums, n_by_annotator, influences, chances), min_shared=min_shared)
    n_pairs = int(n_by_annotator.sum()) // 2
    value = float(sums.sum() / 2 / n_pairs) if n_pairs else np.nan
    return MeanKappa(
        value=value,
        limits=_limit_mean(value, influences, chances=chances, n_pairs=n_pairs, level=level),
        n_pairs=n_pairs,
    )


def _limit_mean(value: float, influences: FloatArray, *, chances: FloatArray, n_pairs: int, level: float) -> Limits:
    """The mean as one ratio: pairs are brought to the mean of what is expected of them."""
    if not n_pairs:
        return Limits(np.array(np.nan), np.array(np.nan))
    expected = chances[0] / n_pairs
    one, other = influences[:2] * expected / n_pairs
    return limit_agreement_ratio(
        Disagreement(
            observed=(1 - value) * expected,
            expected=expected,
            n=_count_equal_tasks(influences[2]),
            observed_squares=(one**2).sum(),
            expected_squares=(other**2).sum(),
            products=(one * other).sum(),
        ),
        level=level,
    )


def _count_equal_tasks(weights: FloatArray) -> FloatArray:
    """How many tasks of the same weight these are worth (Kish)."""
    return np.asarray(weights.sum() ** 2 / (weights**2).sum(), np.float64)


def _add_pairs(
    counts: AnswerCounts,
    annotators: IntArray,
    totals: tuple[FloatArray, CountArray, FloatArray, FloatArray],
    *,
    min_shared: int,
) -> None:
    from regauge.stats.agreement._kernels import compare_pairs

    starts, order = sort_votes(annotators, totals[0].size)
    compare_pairs(
        counts.starts,
        annotators,
        counts.answers,
        starts,
        np.arange(annotators.size, dtype=np.int32) if order is None else order,
        np.repeat(np.arange(counts.n_tasks, dtype=np.int32), counts.n_votes_by_task),
        counts.n_labels,
        min_shared,
        *totals,
    )


def _compare(starts: CountArray, first: IntArray, second: IntArray, *, n_labels: int, level: float) -> Kappas:
    from regauge.stats.agreement._kernels import compare_groups

    results = np.empty((starts.size - 1, 6))
    compare_groups(starts, first, second, n_labels, results)
    n, n_equal, kappa, chance, squares, products = results.T
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = 1 - n_equal / n
        found = Disagreement(observed, 1 - chance, n, observed * (1 - observed) / n, squares, products)
    limits = limit_agreement_ratio(found, level=level)
    is_known = ~np.isnan(kappa)
    limits = Limits(*(np.where(is_known, one, np.nan) for one in limits))
    return Kappas(n.astype(np.int64), n_equal.astype(np.int64), kappa, limits)
