"""Dawid–Skene: labels and annotators' confusions from votes alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.labels.votes.confusions import (
    BinaryLayout,
    ConfusionPrior,
    Confusions,
    DenseLayout,
    FitPass,
    Layout,
    PriorVotes,
    Rows,
    Tables,
    is_binary,
    is_small,
    number_rows,
)
from regauge.labels.votes.one_coin import OneCoinFit, fit_one_coin
from regauge.labels.votes.sparse.layout import SparseLayout
from regauge.labels.votes.tables import TaskPosterior, VoteTable, list_chances
from regauge.records.labels.votes import Convergence, VoteSettings

MAX_CELLS = 2**25
"""At prior 0 a table of all labels may have so many cells, half a gigabyte, where labels would else differ from crowd-kit's."""

_EPS = 1e-10
_NEGLIGIBLE = 1e-11


class _Parameters(NamedTuple):
    tables: Tables
    log_prior: FloatArray
    penalty: float


class DawidSkeneFit(NamedTuple):
    """A fitted model.

    Attributes:
        posterior: the labels of the tasks and their probabilities.
        confusions: expected counts per annotator, true label and answer, prevalences, and the prior.
        convergence: how the fit went.
        is_complete: whether every label was possible for every task, or only those that somebody gave it.
        used: the parameters behind the posterior.
    """

    posterior: TaskPosterior
    confusions: Confusions
    convergence: Convergence
    is_complete: bool
    used: _Parameters

    def find_chances(self) -> FloatArray:
        """The probability of every truth [tasks, truths]; NaN for tasks without a label."""
        layout = self.confusions.layout
        if isinstance(layout, DenseLayout):
            return layout.find_chances(self.used.tables, self.used.log_prior)
        return list_chances(layout.table, self.posterior)


class _Found(NamedTuple):
    """The posterior was found with `used`; `parameters` and `counts` follow from it."""

    used: _Parameters
    parameters: _Parameters
    counts: FloatArray
    convergence: Convergence


def fit_dawid_skene(table: VoteTable, settings: VoteSettings, *, coins: OneCoinFit | None = None) -> DawidSkeneFit:
    """Fit the model by expectation maximisation, started from the shares of the votes.

    Every annotator w answers l with probability c_w[k, l] when k is true, independently of the others; of the L answers the
    first K can be true. An answer that is not truth is evidence like any other: who says "maybe" mostly where yes is true speaks
    for yes by it. Given prevalences and tables, each task has probabilities of its labels; given these, the tables are shares of
    expected counts. Neither step ever lowers the likelihood of the votes (times the prior of the parameters), and they are
    repeated until a pass raises its logarithm by less than the tolerance per vote.

    With a prior of strength s, s votes are added per annotator and true label, spread as the one-coin model of the same
    annotator says (`fit_one_coin`), with answers that are no truth as frequent as the annotator gives them on the whole; and s
    tasks, spread evenly, to the prevalences. A label that an annotator has hardly met is thus judged by the annotator's other
    answers, instead of by one or two votes, which with many labels is the common case; and the tables cannot turn their meaning
    round as easily. Known labels are clamped. At prior 0 the start and the steps are crowd-kit's; its stopping rule, by name,
    watches a bound that may fall while the likelihood still rises, and can end the fit after a few passes, far from the maximum.

    Args:
        table: the votes.
        settings: prior, stopping rule, tolerance and number of iterations.
        coins: the one-coin model of the same votes, where it has been fitted already.

    References:
        Dawid, Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm; Ustalov, Pavlichenko,
        Tseitlin (2024), Learning from crowds with Crowd-Kit.
    """
    rows = number_rows(table)
    prior = ConfusionPrior(settings.prior, _find_right(table, settings, coins), _find_others(table, settings.prior))
    added = prior.spread(rows.annotators, rows.answers, n_truths=table.n_truths)
    layout, first = _begin(table, rows, added)
    found = _iterate(table, layout, added=added, settings=settings, parameters=first)
    layout.posterior.listed[table.counts.labels >= table.n_truths] = 0.0
    prevalence = np.exp(found.parameters.log_prior)
    return DawidSkeneFit(
        posterior=layout.posterior,
        confusions=Confusions(layout, found.counts, prevalence / prevalence.sum(), prior),
        convergence=found.convergence,
        is_complete=not isinstance(layout, SparseLayout),
        used=found.used,
    )


def choose_layout(table: VoteTable, rows: Rows) -> Layout:
    """The quickest layout whose memory is linear in the votes."""
    if is_binary(table):
        return BinaryLayout(table, rows)
    return DenseLayout(table, rows) if is_small(table, rows) else SparseLayout(table, rows)


def _begin(table: VoteTable, rows: Rows, added: PriorVotes) -> tuple[Layout, _Parameters]:
    """The layout, and the parameters from the shares of the votes.

    Without a prior, an annotator who never met a label is taken to give every answer alike to it, so with few votes per task a
    label that nobody gave it can win, absurd as it is. crowd-kit lets it; so up to `MAX_CELLS` all labels are kept where that
    matters.
    """
    layout = choose_layout(table, rows)
    first = _estimate(layout, added, layout.start())
    may_keep_all = not added.strength and rows.annotators.size * table.n_truths <= MAX_CELLS
    if not (may_keep_all and isinstance(layout, SparseLayout)):
        return layout, first
    if layout.bound_unlisted(first.tables, first.log_prior) <= _NEGLIGIBLE:
        return layout, first
    dense = DenseLayout(table, rows)
    return dense, _estimate(dense, added, dense.start())


def _find_right(table: VoteTable, settings: VoteSettings, coins: OneCoinFit | None) -> FloatArray:
    """The share of right votes in each annotator's prior; nobody is taken for worse than chance, nor for perfect."""
    if not settings.prior:
        return np.zeros(table.n_annotators)
    n_truths = max(table.n_truths, 2)
    coins = coins or fit_one_coin(table.decided, settings.for_coins)
    return np.clip(coins.accuracy, 1 / n_truths, 1 - 1 / (table.decided.n_votes_by_annotator + n_truths))


def _find_others(table: VoteTable, strength: float) -> FloatArray:
    """How often each annotator gives each answer that is not truth, drawn towards all annotators together by so many votes."""
    n_others = table.counts.n_labels - table.n_truths
    if not (strength and n_others):
        return np.zeros((table.n_annotators, n_others))
    is_other = table.counts.answers >= table.n_truths
    places = table.annotators[is_other].astype(np.int64) * n_others + table.counts.answers[is_other] - table.n_truths
    counts = np.bincount(places, minlength=table.n_annotators * n_others).reshape(table.n_annotators, n_others)
    pooled = counts.sum(axis=0) / table.n_votes
    n_votes = table.n_votes_by_annotator[:, np.newaxis]
    return np.asarray((counts + strength * pooled) / (n_votes + strength), np.float64)


def _iterate(
    table: VoteTable, layout: Layout, *, added: PriorVotes, settings: VoteSettings, parameters: _Parameters
) -> _Found:
    """Repeat the two steps until a pass gains too little; the posterior of the layout is that of the last pass."""
    path: list[float] = []
    before, gain = -np.inf, np.inf
    while gain >= settings.step_tolerance and len(path) < settings.step_limit:
        used = parameters
        found = layout.step(used.tables, used.log_prior)
        path.append(found.likelihood + used.penalty)
        parameters = _estimate(layout, added, found)
        score = (_bound(found, parameters) if settings.is_crowd_kit else path[-1]) / max(table.n_votes, 1)
        gain, before = score - before, score
    convergence = Convergence(len(path), bool(gain < settings.step_tolerance), tuple(path))
    return _Found(used, parameters, found.counts, convergence)


def _estimate(layout: Layout, prior: PriorVotes, found: FitPass) -> _Parameters:
    tables = layout.normalise(found.counts, prior)
    added = prior.strength / found.totals.shape[1]
    shares = (found.totals[0] + added) / (layout.n_used + prior.strength)
    log_prior = np.log(np.maximum(shares, _EPS))
    return _Parameters(tables, log_prior, tables.penalty + added * float(log_prior.sum()))


def _bound(found: FitPass, parameters: _Parameters) -> float:
    """What crowd-kit watches: the evidence lower bound, with the prevalences counted once per vote instead of per task."""
    return parameters.tables.fit + float(found.totals[1] @ parameters.log_prior) + found.entropy
