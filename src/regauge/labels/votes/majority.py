"""The most frequent vote."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, divide
from regauge.estimates import DEFAULT_LEVEL
from regauge.labels.votes.tables import TaskPosterior, VoteTable
from regauge.stats.intervals import Limits, clopper_pearson


class Majority(NamedTuple):
    """The most frequent vote of every task.

    Attributes:
        labels: the label with most votes, the first in label order where several have as many; `NO_CLASS` without votes.
        n_votes: all votes of the task.
        n_agree: those for the label.
        is_tied: whether another label has as many votes.
        shares: n_agree / n_votes; NaN without votes.
        limits: Clopper–Pearson limits of the shares, were the votes those of a random sample of all possible annotators.
    """

    labels: IntArray
    n_votes: CountArray
    n_agree: CountArray
    is_tied: BoolArray
    shares: FloatArray
    limits: Limits


def find_majority(table: VoteTable, *, level: float = DEFAULT_LEVEL) -> Majority:
    """The most frequent label of every task, whatever its known label is; ties go to the first in label order.

    A majority needs no model of the annotators, so it stands beside every model's labels. It takes them all for equally
    good, and is as wrong as they are together.
    """
    labels, most, is_tied = _pick(table, table.counts.counts.astype(np.float64))
    n_votes = table.counts.n_votes_by_task
    n_agree = np.nan_to_num(most).astype(np.int64)
    shares = divide(n_agree, n_votes)
    return Majority(labels, n_votes, n_agree, is_tied > 0, shares, clopper_pearson(n_agree, n_votes, level=level))


def make_posterior(table: VoteTable) -> TaskPosterior:
    """The shares of the votes in the form of a model's posterior; a known label has 1."""
    shares = table.shares
    labels, probabilities, _ = _pick(table, shares)
    is_known = table.gold != NO_CLASS
    return TaskPosterior(np.where(is_known, table.gold, labels), np.where(is_known, 1.0, probabilities), shares)


def _pick(table: VoteTable, values: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    from regauge.labels.votes._kernels import pick_best

    n = table.counts.n_tasks
    labels, best, is_tied = np.empty(n, np.int32), np.empty(n), np.empty(n)
    pick_best(table.counts.list_starts, table.counts.labels, values, labels, best, is_tied)
    return labels, best, is_tied
