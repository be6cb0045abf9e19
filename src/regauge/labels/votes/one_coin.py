"""The one-coin model: one probability of a right answer per annotator, errors spread evenly over the other labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, FloatArray
from regauge.labels.votes.tables import TaskPosterior, VoteTable, list_chances, sum_right
from regauge.records.labels.votes import Convergence, VoteSettings

_EPS = 1e-10


class OneCoinFit(NamedTuple):
    """A fitted model.

    Attributes:
        posterior: the labels of the tasks and their probabilities.
        prevalence: per label, the share of tasks that have it.
        accuracy: per annotator, the probability of a right answer.
        convergence: how the fit went.
        used_prevalence: the prevalences behind the posterior, one step before the others.
    """

    posterior: TaskPosterior
    prevalence: FloatArray
    accuracy: FloatArray
    convergence: Convergence
    used_prevalence: FloatArray

    def find_chances(self, table: VoteTable) -> FloatArray:
        """The probability of every label [tasks, labels]; those that nobody gave a task share what is left by prevalence."""
        chances = list_chances(table, self.posterior)
        task_of = np.repeat(np.arange(table.counts.n_tasks), np.diff(table.counts.list_starts))
        weights = np.tile(self.used_prevalence, (table.counts.n_tasks, 1))
        weights[task_of, table.counts.labels] = 0.0
        rest = np.maximum(1 - chances.sum(axis=1, keepdims=True), 0)
        return np.asarray(chances + rest * weights / np.maximum(weights.sum(axis=1, keepdims=True), _EPS), np.float64)


class _Parameters(NamedTuple):
    right: FloatArray
    prevalence: FloatArray


def fit_one_coin(table: VoteTable, settings: VoteSettings) -> OneCoinFit:
    """Fit the model by expectation maximisation, started from the shares of the votes.

    An annotator with accuracy a gives the true label with probability a and each of the K − 1 others with (1 − a)/(K − 1). One
    number per annotator can be learnt from few votes, where the tables of Dawid–Skene cannot. Every label is possible for
    every task, however many there are: those that nobody gave a task differ by their prevalence alone.

    With a prior of strength s, s votes are added to every annotator, as many of them right as all annotators together agree
    with the shares of the votes at the start, and s tasks, spread evenly, to the prevalences. Known labels are clamped.

    Answers that are no truth ("cannot tell") are taken to be given at a rate of each annotator's own that does not depend on the
    truth. They then tell nothing about it, whatever the rates, so the model is fitted to the other votes
    (`VoteTable.decided`), and a task that has no other votes gets no label. Where such answers do tell something, Dawid–Skene
    finds it.

    Reference:
        Zhang, Chen, Zhou, Jordan (2016), Spectral methods meet EM: a provably optimal algorithm for crowdsourcing.
    """
    n_labels = max(table.counts.n_labels, 2)
    agreed = sum_right(table, table.shares)[0]
    mean = float(np.clip(agreed.sum() / max(table.n_votes, 1), 1 / n_labels, 1 - 1 / (table.n_votes + n_labels)))
    parameters = _estimate(table, agreed, _sum_shares(table), prior=(settings.prior, mean))
    listed = np.empty(table.counts.labels.size)
    path: list[float] = []
    gain = np.inf
    while gain >= settings.step_tolerance and len(path) < settings.step_limit:
        used = parameters
        right, totals, likelihood = _step(table, used, listed)
        parameters = _estimate(table, right, totals, prior=(settings.prior, mean))
        path.append(likelihood + _log_prior(used, settings.prior, mean))
        gain = (path[-1] - path[-2]) / max(table.n_votes, 1) if len(path) > 1 else np.inf
    return OneCoinFit(
        posterior=_find_posterior(table, used, listed),
        prevalence=parameters.prevalence,
        accuracy=parameters.right,
        convergence=Convergence(len(path), bool(gain < settings.step_tolerance), tuple(path)),
        used_prevalence=used.prevalence,
    )


def _step(table: VoteTable, used: _Parameters, listed: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Expected right votes per annotator, expected tasks per label, and the log-likelihood; `listed` is filled."""
    from regauge.labels.votes.coins._kernels import step_one_coin

    counts = table.counts
    right, totals = np.empty(table.n_annotators), np.empty((2, counts.n_labels))
    wrong = (1 - used.right) / max(counts.n_labels - 1, 1)
    likelihood, inverse = step_one_coin(
        counts.starts,
        table.annotators,
        counts.slots,
        counts.list_starts,
        counts.labels,
        table.gold,
        np.log(used.right / wrong),
        used.prevalence,
        right,
        totals,
        listed,
    )
    n_by_label = totals[0] + used.prevalence * np.maximum(inverse - totals[1], 0)
    return right, n_by_label, likelihood + float(table.n_votes_by_annotator @ np.log(wrong))


def _estimate(table: VoteTable, right: FloatArray, totals: FloatArray, *, prior: tuple[float, float]) -> _Parameters:
    strength, mean = prior
    n_votes = table.n_votes_by_annotator
    accuracy = (right + strength * mean) / np.maximum(n_votes + strength, _EPS)
    shares = (totals + strength / max(totals.size, 1)) / max(totals.sum() + strength, _EPS)
    prevalence = np.maximum(shares, _EPS)
    return _Parameters(np.clip(accuracy, _EPS, 1 - _EPS), prevalence / prevalence.sum())


def _log_prior(used: _Parameters, strength: float, mean: float) -> float:
    coins = mean * np.log(used.right) + (1 - mean) * np.log1p(-used.right)
    return strength * float(coins.sum() + np.log(used.prevalence).mean())


def _sum_shares(table: VoteTable) -> FloatArray:
    totals = np.bincount(table.counts.labels, table.shares, table.counts.n_labels)
    # A known label that nobody voted for is on no list.
    known, best = table.gold[table.gold != NO_CLASS], np.zeros(table.counts.n_labels)
    task_of = np.repeat(np.arange(table.counts.n_tasks), np.diff(table.counts.list_starts))
    is_gold = table.counts.labels == table.gold[task_of]
    best += np.bincount(known, minlength=best.size) - np.bincount(table.counts.labels[is_gold], minlength=best.size)
    return totals + best


def _find_posterior(table: VoteTable, used: _Parameters, listed: FloatArray) -> TaskPosterior:
    from regauge.labels.votes._kernels import pick_best
    from regauge.labels.votes.coins._kernels import prefer_unlisted

    counts = table.counts
    labels, shares, is_tied = np.empty(counts.n_tasks, np.int32), np.empty(counts.n_tasks), np.empty(counts.n_tasks)
    pick_best(counts.list_starts, counts.labels, listed, labels, shares, is_tied)
    by_prevalence = np.argsort(-used.prevalence, kind="stable").astype(np.int32)
    prefer_unlisted(counts.list_starts, counts.labels, listed, used.prevalence, by_prevalence, labels, shares)
    is_known = table.gold != NO_CLASS
    return TaskPosterior(np.where(is_known, table.gold, labels), np.where(is_known, 1.0, shares), listed)
