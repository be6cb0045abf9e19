"""Cohen's kappa: of two annotators, averaged over all pairs of them, and of each annotator with the others' majority."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from regauge.errors import InputError
from regauge.records.arrays import CountArray, FloatArray, IntArray, freeze
from regauge.records.estimates import DEFAULT_LEVEL, check_level
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
        limits: large-sample limits of kappa within [−1, 1].
    """

    n: CountArray
    n_equal: CountArray
    kappa: FloatArray
    limits: Limits


class MeanKappa(NamedTuple):
    """The mean of Cohen's kappa over pairs of annotators.

    Attributes:
        value: the mean; NaN without a pair that counts.
        limits: large-sample limits within [−1, 1].
        n_pairs: pairs that count.
        by_annotator: the mean over the pairs of each annotator; NaN for one without a pair.
    """

    value: float
    limits: Limits
    n_pairs: int
    by_annotator: FloatArray


def cohen_kappa(first: ArrayLike, second: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Kappas:
    """Agreement of two annotators on the same tasks beyond what their own habits would give by chance.

    kappa = (p − e)/(1 − e), with p the share of tasks with equal labels and e = Σ_k (share of k by the first) · (share of k
    by the second). Limits: normal, with the large-sample variance of Fleiss, Cohen and Everitt.

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

    Limits: normal, from the derivative of the mean by the weight of every task, whose squares add up to its variance (the
    infinitesimal jackknife over tasks). It counts that one task serves many pairs. With two annotators it is the variance of
    Fleiss, Cohen and Everitt.

    Returns:
        NaN where no pair counts, or where there are more than `MAX_PAIRS_OF_VOTES` pairs of votes.

    References:
        Light (1971), Measures of response agreement for qualitative data; Efron (1982), The Jackknife, the Bootstrap and
        Other Resampling Plans, chapter 6.
    """
    z = -float(ndtri((1 - check_level(level)) / 2))
    sums, n_by_annotator = np.zeros(n_annotators), np.zeros(n_annotators, np.int64)
    influences = np.zeros(counts.n_tasks)
    if (counts.n_votes_by_task * (counts.n_votes_by_task - 1) // 2).sum() <= MAX_PAIRS_OF_VOTES:
        _add_pairs(counts, counts.sort(annotators), (sums, n_by_annotator, influences), min_shared=min_shared)
    n_pairs = int(n_by_annotator.sum()) // 2
    value = float(sums.sum() / 2 / n_pairs) if n_pairs else np.nan
    half_width = z * float(np.sqrt(np.sum(influences**2))) / n_pairs if n_pairs else np.nan
    return MeanKappa(
        value=value,
        limits=Limits(np.maximum(value - half_width, -1), np.minimum(value + half_width, 1)),
        n_pairs=n_pairs,
        by_annotator=np.divide(sums, n_by_annotator, out=np.full(n_annotators, np.nan), where=n_by_annotator > 0),
    )


def _add_pairs(
    counts: AnswerCounts,
    annotators: IntArray,
    totals: tuple[FloatArray, CountArray, FloatArray],
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

    z = -float(ndtri((1 - check_level(level)) / 2))
    results = np.empty((starts.size - 1, 4))
    compare_groups(starts, first, second, n_labels, results)
    kappa, half_width = results[:, 2], z * np.sqrt(results[:, 3])
    limits = Limits(np.maximum(kappa - half_width, -1), np.minimum(kappa + half_width, 1))
    return Kappas(results[:, 0].astype(np.int64), results[:, 1].astype(np.int64), kappa, limits)
