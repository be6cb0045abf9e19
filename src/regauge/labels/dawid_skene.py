"""Dawid–Skene: labels and annotators' confusions from votes alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.labels.confusions import (
    BinaryLayout,
    Confusions,
    DenseLayout,
    Layout,
    Pass,
    Prior,
    Rows,
    Tables,
    is_binary,
    is_small,
    number_rows,
)
from regauge.labels.one_coin import OneCoinFit, fit_one_coin
from regauge.labels.sparse.layout import SparseLayout
from regauge.labels.vote_tables import TaskPosterior, VoteTable
from regauge.records.arrays import FloatArray
from regauge.records.vote_labels import Convergence, VoteSettings

MAX_CELLS = 2**25
"""At prior 0 a table of all labels may have so many cells, half a gigabyte, where labels would else differ from crowd-kit's."""

_EPS = 1e-10
_NEGLIGIBLE = 1e-11


class DawidSkeneFit(NamedTuple):
    """A fitted model.

    Attributes:
        posterior: the labels of the tasks and their probabilities.
        confusions: expected counts per annotator, true label and answer, prevalences, and the prior.
        convergence: how the fit went.
        is_complete: whether every label was possible for every task, or only those that somebody gave it.
    """

    posterior: TaskPosterior
    confusions: Confusions
    convergence: Convergence
    is_complete: bool


class _Parameters(NamedTuple):
    tables: Tables
    log_prior: FloatArray
    penalty: float


class _Found(NamedTuple):
    parameters: _Parameters
    counts: FloatArray
    convergence: Convergence


def fit_dawid_skene(table: VoteTable, settings: VoteSettings, *, coins: OneCoinFit | None = None) -> DawidSkeneFit:
    """Fit the model by expectation maximisation, started from the shares of the votes.

    Every annotator w answers l with probability c_w[k, l] when k is true, independently of the others. Given prevalences and
    tables, each task has probabilities of its labels; given these, the tables are shares of expected counts. Neither step ever
    lowers the likelihood of the votes (times the prior of the parameters), and they are repeated until a pass raises its
    logarithm by less than the tolerance per vote.

    With a prior of strength s, s votes are added per annotator and true label, spread as the one-coin model of the same
    annotator says (`fit_one_coin`), and s tasks, spread evenly, to the prevalences. A label that an annotator has hardly met is
    thus judged by the annotator's other answers, instead of by one or two votes, which with many labels is the common case; and
    the tables cannot turn their meaning round as easily. Known labels are clamped. At prior 0 the start and the steps are
    crowd-kit's; its stopping rule, by name, watches a bound that may fall while the likelihood still rises, and can end the
    fit after a few passes, far from the maximum.

    Args:
        table: the votes.
        settings: prior, stopping rule, tolerance and number of iterations.
        coins: the one-coin model of the same votes, where it has been fitted already.

    References:
        Dawid, Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm; Ustalov, Pavlichenko,
        Tseitlin (2024), Learning from crowds with Crowd-Kit.
    """
    prior = Prior(settings.prior, _find_right(table, settings, coins))
    layout, first = _begin(table, prior)
    found = _iterate(table, layout, prior=prior, settings=settings, parameters=first)
    prevalence = np.exp(found.parameters.log_prior)
    return DawidSkeneFit(
        posterior=layout.posterior,
        confusions=Confusions(layout, found.counts, prevalence / prevalence.sum(), prior),
        convergence=found.convergence,
        is_complete=not isinstance(layout, SparseLayout),
    )


def choose_layout(table: VoteTable, rows: Rows) -> Layout:
    """The quickest layout whose memory is linear in the votes."""
    if is_binary(table):
        return BinaryLayout(table, rows)
    return DenseLayout(table, rows) if is_small(table, rows) else SparseLayout(table, rows)


def _begin(table: VoteTable, prior: Prior) -> tuple[Layout, _Parameters]:
    """The layout, and the parameters from the shares of the votes.

    Without a prior, an annotator who never met a label is taken to give every answer alike to it, so with few votes per task a
    label that nobody gave it can win, absurd as it is. crowd-kit lets it; so up to `MAX_CELLS` all labels are kept where that
    matters.
    """
    rows = number_rows(table)
    layout = choose_layout(table, rows)
    first = _estimate(table, layout, prior, layout.start())
    may_keep_all = not prior.strength and rows.annotators.size * table.counts.n_labels <= MAX_CELLS
    if not (may_keep_all and isinstance(layout, SparseLayout)):
        return layout, first
    if layout.bound_unlisted(first.tables, first.log_prior) <= _NEGLIGIBLE:
        return layout, first
    dense = DenseLayout(table, rows)
    return dense, _estimate(table, dense, prior, dense.start())


def _find_right(table: VoteTable, settings: VoteSettings, coins: OneCoinFit | None) -> FloatArray:
    """The share of right votes in each annotator's prior; nobody is taken for worse than chance, nor for perfect."""
    if not settings.prior:
        return np.zeros(table.n_annotators)
    n_labels = max(table.counts.n_labels, 2)
    coins = coins or fit_one_coin(table, settings.for_coins)
    return np.clip(coins.accuracy, 1 / n_labels, 1 - 1 / (table.n_votes_by_annotator + n_labels))


def _iterate(
    table: VoteTable, layout: Layout, *, prior: Prior, settings: VoteSettings, parameters: _Parameters
) -> _Found:
    """Repeat the two steps until a pass gains too little; the posterior of the layout is that of the last pass."""
    path: list[float] = []
    before, gain = -np.inf, np.inf
    while gain >= settings.step_tolerance and len(path) < settings.step_limit:
        found = layout.step(parameters.tables, parameters.log_prior)
        path.append(found.likelihood + parameters.penalty)
        parameters = _estimate(table, layout, prior, found)
        score = (_bound(found, parameters) if settings.is_crowd_kit else path[-1]) / max(table.n_votes, 1)
        gain, before = score - before, score
    convergence = Convergence(len(path), bool(gain < settings.step_tolerance), tuple(path))
    return _Found(parameters, found.counts, convergence)


def _estimate(table: VoteTable, layout: Layout, prior: Prior, found: Pass) -> _Parameters:
    tables = layout.normalise(found.counts, prior)
    added = prior.strength / found.totals.shape[1]
    shares = (found.totals[0] + added) / (table.is_used.sum() + prior.strength)
    log_prior = np.log(np.maximum(shares, _EPS))
    return _Parameters(tables, log_prior, tables.penalty + added * float(log_prior.sum()))


def _bound(found: Pass, parameters: _Parameters) -> float:
    """What crowd-kit watches: the evidence lower bound, with the prevalences counted once per vote instead of per task."""
    return parameters.tables.fit + float(found.totals[1] @ parameters.log_prior) + found.entropy
