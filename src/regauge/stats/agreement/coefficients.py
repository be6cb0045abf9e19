"""Krippendorff's alpha and Fleiss' kappa with missing votes, and their limits over tasks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.estimates import DEFAULT_LEVEL
from regauge.stats.agreement.ratios import Disagreement, limit_agreement_ratio
from regauge.stats.agreement.tables import AnswerCounts
from regauge.stats.intervals import Limits


class Coefficients(NamedTuple):
    """Agreement beyond chance: 1 where all agree, 0 where they agree as chance would have it, below 0 where less.

    Attributes:
        alpha: Krippendorff's alpha for nominal data; NaN where no task has two votes, or all
            votes that could be compared give one label.
        kappa: Fleiss' kappa, generalised to tasks with different numbers of votes; NaN likewise.
        class_alphas: alpha of every label against all others taken together, [labels].
    """

    alpha: FloatArray
    kappa: FloatArray
    class_alphas: FloatArray


class CoefficientLimits(NamedTuple):
    """The limits of all coefficients; NaN where there are none.

    Attributes:
        alpha: of Krippendorff's alpha.
        kappa: of Fleiss' kappa.
        class_alphas: of alpha of every label against all others, [labels] each.
    """

    alpha: Limits
    kappa: Limits
    class_alphas: Limits


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
        counts.list_starts,
        counts.labels,
        counts.counts,
        np.empty((3, counts.n_labels)),
        class_alphas,
    )
    return Coefficients(np.float64(alpha), np.float64(kappa), class_alphas)  # type: ignore[arg-type]


def limit_agreement(counts: AnswerCounts, *, level: float = DEFAULT_LEVEL) -> CoefficientLimits:
    """Limits of the coefficients over tasks drawn anew with all their votes, from what every task adds to each.

    Tasks are what a campaign samples, and votes on one task belong together. How tasks move the observed and the expected
    disagreement is written down (the infinitesimal jackknife), so nothing is drawn; see `limit_agreement_ratio` for the rest.

    Returns:
        NaN where a coefficient has no value, or too few tasks to tell.

    >>> from regauge.stats.agreement.tables import count_answers
    >>> limits = limit_agreement(count_answers(np.repeat(range(20), 2), np.repeat([0, 1] * 10, 2))).alpha
    >>> limits.low.round(2), limits.high.round(2)
    (np.float64(0.65), np.float64(1.0))
    """
    table = _list_shares(counts)
    return CoefficientLimits(
        alpha=limit_agreement_ratio(_trace_alpha(table), level=level),
        kappa=limit_agreement_ratio(_trace_kappa(table), level=level),
        class_alphas=limit_agreement_ratio(_trace_classes(table), level=level),
    )


class _Shares(NamedTuple):
    """What tasks with a vote say, as columns over the labels listed for them and over the tasks.

    Attributes:
        n_labels: how many labels there are.
        tasks: per listed label, its task.
        labels: per listed label, the label.
        counts: per listed label, how many gave it.
        sizes: per task, its votes.
        differing: per task, the share of pairs of votes that differ; 0 with one vote.
        is_pairable: per task, whether it has two votes or more.
    """

    n_labels: int
    tasks: CountArray
    labels: IntArray
    counts: FloatArray
    sizes: FloatArray
    differing: FloatArray
    is_pairable: BoolArray

    def add_up(self, values: FloatArray) -> FloatArray:
        """Values of listed labels summed over each task."""
        return np.bincount(self.tasks, values, minlength=self.sizes.size).astype(np.float64, copy=False)

    def add_up_labels(self, values: FloatArray) -> FloatArray:
        """Values of listed labels summed over each label."""
        return np.bincount(self.labels, values, minlength=self.n_labels).astype(np.float64, copy=False)


def _list_shares(counts: AnswerCounts) -> _Shares:
    n_listed = np.diff(counts.list_starts)
    used = np.flatnonzero(n_listed)
    tasks = np.repeat(np.arange(used.size), n_listed[used])
    votes = counts.counts.astype(np.float64)
    sizes = counts.n_votes_by_task[used].astype(np.float64)
    squares = np.bincount(tasks, votes**2, minlength=used.size)
    is_pairable = sizes > 1
    pairs = np.where(is_pairable, sizes * (sizes - 1), 1.0)
    differing = np.where(is_pairable, (sizes**2 - squares) / pairs, 0.0)
    return _Shares(counts.n_labels, tasks, counts.labels, votes, sizes, differing, is_pairable)


def _trace_alpha(table: _Shares) -> Disagreement:
    """A task counts by its votes; those with a single one do not."""
    kept = table.is_pairable.astype(np.float64)
    weights = kept * table.sizes
    total = weights.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = weights / total
        listed = table.counts * kept[table.tasks] / total
        shares = table.add_up_labels(listed)
        observed = (weights * table.differing).sum()
        chance = (shares**2).sum()
        on_observed = weights * (table.differing - observed)
        on_expected = -2 * (table.add_up(shares[table.labels] * listed) - weights * chance)
        expected = (1 - chance) * total / (total - 1)
        n = 1 / (weights**2).sum()
    return _square_up(observed, expected, n=n, influences=(on_observed, on_expected))


def _trace_kappa(table: _Shares) -> Disagreement:
    """Every task counts the same; those with a single vote say how common labels are, and nothing about disagreement."""
    n_tasks, n = table.sizes.size, np.count_nonzero(table.is_pairable)
    with np.errstate(invalid="ignore", divide="ignore"):
        listed = table.counts / table.sizes[table.tasks] / n_tasks
        shares = table.add_up_labels(listed)
        chance = (shares**2).sum()
        observed = table.differing.sum() / np.float64(n)
        on_observed = table.is_pairable * (table.differing - observed) / np.float64(n)
        on_expected = -2 * (table.add_up(shares[table.labels] * listed) - chance / n_tasks)
    return _square_up(observed, 1 - chance, n=np.asarray(n, np.float64), influences=(on_observed, on_expected))


def _square_up(
    observed: FloatArray, expected: FloatArray, *, n: FloatArray, influences: tuple[FloatArray, FloatArray]
) -> Disagreement:
    one, other = influences
    return Disagreement(observed, expected, n, (one**2).sum(), (other**2).sum(), (one * other).sum())


def _trace_classes(table: _Shares) -> Disagreement:
    """Alpha of each label against the rest, for which tasks without the label differ in their number of votes alone.

    So the sums over all tasks follow from those over the tasks that have the label, and cost no more than listing them.
    """
    sizes = np.where(table.is_pairable, table.sizes, 0.0)
    total = sizes.sum()
    own = sizes[table.tasks]
    with np.errstate(invalid="ignore", divide="ignore"):
        weights, listed = own / total, np.where(own > 0, table.counts, 0.0) / total
        differing = np.where(own > 1, 2 * table.counts * (own - table.counts) / (own * (own - 1)), 0.0)
        whole = ((sizes / total) ** 2).sum()
        shares, observed = table.add_up_labels(listed), table.add_up_labels(weights * differing)
        both = table.add_up_labels(weights**2 * differing)
        mixed = table.add_up_labels(weights * listed)
        turn = 2 * (1 - 2 * shares)
        return Disagreement(
            observed=observed,
            expected=2 * shares * (1 - shares) * total / (total - 1),
            n=np.full(table.n_labels, 1 / whole),
            observed_squares=table.add_up_labels((weights * differing) ** 2)
            - 2 * observed * both
            + observed**2 * whole,
            expected_squares=turn**2 * (table.add_up_labels(listed**2) - 2 * shares * mixed + shares**2 * whole),
            products=turn
            * (
                table.add_up_labels(weights * differing * listed)
                - shares * both
                - observed * mixed
                + observed * shares * whole
            ),
        )
