"""Krippendorff's alpha and Fleiss' kappa with missing votes, and how far they move when the tasks are redrawn."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from regauge.errors import InputError
from regauge.records.arrays import CountArray, FloatArray, IntArray
from regauge.records.estimates import DEFAULT_LEVEL
from regauge.stats.agreement.tables import AnswerCounts
from regauge.stats.intervals import Limits
from regauge.stats.resampling import percentile_limits

MAX_CLASS_ALPHAS = 2_000
"""With more labels than this there are no replicates per label: they alone would outgrow the votes."""

_N_THREADS = 2
_MIN_RESAMPLES_FOR_THREADS = 64


class Coefficients(NamedTuple):
    """Agreement beyond chance: 1 where all agree, 0 where they agree as chance would have it, below 0 where less.

    Attributes:
        alpha: Krippendorff's alpha for nominal data; a number, or one per replicate. NaN where no task has two votes, or all
            votes that could be compared give one label.
        kappa: Fleiss' kappa, generalised to tasks with different numbers of votes; NaN likewise.
        class_alphas: alpha of every label against all others taken together, [labels] or [replicates, labels].
    """

    alpha: FloatArray
    kappa: FloatArray
    class_alphas: FloatArray


def measure_agreement(counts: AnswerCounts) -> Coefficients:
    """Krippendorff's alpha, Fleiss' kappa, and alpha of each label against the rest.

    With n_t votes on task t, n_tk of them for label k, and N = Σn_t, N_k = Σn_tk over tasks with two votes or more,

        alpha = 1 − (N − 1)·Σ_t (n_t² − Σ_k n_tk²)/(n_t − 1) / (N² − Σ_k N_k²)
        kappa = (P − Σ_k p_k²)/(1 − Σ_k p_k²)

    where P is the mean over tasks with two votes or more of the share of agreeing pairs, and p_k the mean over all tasks of
    n_tk/n_t. With one number of votes throughout, kappa is that of Fleiss (1971); otherwise the form in Gwet (2014).

    References:
        Krippendorff (2011), Computing Krippendorff's alpha-reliability; Fleiss (1971), Measuring nominal scale agreement
        among many raters; Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapter 2.

    >>> from regauge.stats.agreement.tables import count_answers
    >>> found = measure_agreement(count_answers([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 0, 1]))
    >>> found.alpha.round(4), found.kappa.round(4)
    (np.float64(0.4444), np.float64(0.3333))
    """
    from regauge.stats.agreement._kernels import measure_agreement as measure

    class_alphas = np.empty(counts.n_labels)
    alpha, kappa = measure(
        np.ones(counts.n_tasks, np.int64),
        counts.list_starts,
        counts.labels,
        counts.counts,
        np.empty((3, counts.n_labels)),
        class_alphas,
    )
    return Coefficients(np.float64(alpha), np.float64(kappa), class_alphas)  # type: ignore[arg-type]


def bootstrap_agreement(
    counts: AnswerCounts, *, seed: int, n_resamples: int = 2_000, with_classes: bool = False
) -> Coefficients:
    """The coefficients of samples of as many tasks, drawn with replacement with all their votes.

    Tasks are what a campaign samples, and votes on one task belong together, so whole tasks are drawn. Tasks with the same
    votes are counted together: with two labels and nine votes each there are ten kinds of task, however many tasks. A
    replicate depends on seed and its number alone.

    Args:
        counts: the votes.
        seed: from 0 to 2⁶⁴ − 1.
        n_resamples: how many replicates.
        with_classes: also alpha of each label, where there are at most `MAX_CLASS_ALPHAS`.

    Returns:
        Replicates; NaN where one has no value. Without a task all are NaN.
    """
    if not 0 <= seed < 2**64:
        raise InputError(f"A seed is a whole number from 0 to 2⁶⁴ − 1, not {seed}.")
    n_listed = counts.n_labels if with_classes and counts.n_labels <= MAX_CLASS_ALPHAS else 0
    replicates = Coefficients(
        *(np.full(shape, np.nan) for shape in (n_resamples, n_resamples, (n_resamples, n_listed)))
    )
    if counts.n_tasks:
        _fill(replicates, counts, seed)
    return replicates


def agreement_limits(replicates: FloatArray, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Percentile limits of the replicates that have a value; NaN where fewer than half of them have one."""
    if replicates.ndim == 1:
        present = replicates[~np.isnan(replicates)]
        return percentile_limits(present if 2 * present.size >= replicates.size else present[:0], level=level)
    columns = [agreement_limits(column, level=level) for column in replicates.T]
    return Limits(np.array([one.low for one in columns]), np.array([one.high for one in columns]))


def _fill(replicates: Coefficients, counts: AnswerCounts, seed: int) -> None:
    from regauge.stats.agreement._kernels import resample_agreement

    kinds, starts, labels, n_votes = _find_kinds(counts)

    def fill(part: slice) -> None:
        filled = (replicates.alpha[part], replicates.kappa[part], replicates.class_alphas[part])
        resample_agreement(kinds, starts, labels, n_votes, counts.n_labels, np.uint64(seed), part.start, *filled)

    n = replicates.alpha.size
    step = -(-n // _N_THREADS) if n >= _MIN_RESAMPLES_FOR_THREADS else n
    with ThreadPoolExecutor(_N_THREADS) as pool:
        list(pool.map(fill, [slice(start, min(start + step, n)) for start in range(0, n, step)]))


def _find_kinds(counts: AnswerCounts) -> tuple[IntArray, CountArray, IntArray, IntArray]:
    """The kind of each task, and for every kind where its labels start, the labels and their numbers of votes.

    Tasks are told apart by a hash of 64 bits; of a million different ones two fall together with probability 3·10⁻⁸.
    """
    from regauge.stats.agreement._kernels import hash_tasks

    hashes = np.empty(counts.n_tasks, np.uint64)
    hash_tasks(counts.list_starts, counts.labels, counts.counts, hashes)
    _, first, kinds = np.unique(hashes, return_index=True, return_inverse=True)
    sizes = np.diff(counts.list_starts)[first]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    places = np.repeat(counts.list_starts[first] - starts[:-1], sizes) + np.arange(starts[-1])
    return kinds.astype(np.int32), starts, counts.labels[places], counts.counts[places]
