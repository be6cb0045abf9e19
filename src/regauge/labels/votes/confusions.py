"""How the tables of Dawid–Skene lie in memory: two truths, few truths, or many of which each task has few.

There may be more answers than truths: a table has a row for every answer of an annotator and a column for every truth. All three
do the same: count who answered what when what was true, turn the counts into probabilities, and find the probabilities of the
labels of every task. With few truths every one is possible for every task. With many, memory would grow with votes times truths;
then a task's label is taken to be one of those that somebody gave it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, FloatArray, IntArray
from regauge.labels.votes.tables import TaskPosterior, VoteTable, make_empty_posterior

MAX_CELLS_PER_VOTE = 16
MIN_CELLS = 2**21
"""All labels are possible for every task where the tables have at most these cells, or at most so many per vote."""

_MIN_VOTES_FOR_THREADS = 2**17
_N_TASKS_AT_ONCE = 2**14

_Result = TypeVar("_Result")


class PriorVotes(NamedTuple):
    """Votes that a prior adds to the counts.

    Attributes:
        strength: so many per annotator and true label.
        if_right: how many of them each row (annotator, answer) has where its answer is the truth; 0 without a prior.
        if_wrong: and where it is not.
    """

    strength: float
    if_right: FloatArray
    if_wrong: FloatArray


class ConfusionPrior(NamedTuple):
    """What is believed of every annotator before the votes.

    Attributes:
        strength: so many votes are added per annotator and true label.
        right: per annotator, the share of right ones among those that are truths; the rest is spread over the other truths.
        others: [annotators, answers that are no truth]: the share of each of these answers, whatever the truth.
    """

    strength: float
    right: FloatArray
    others: FloatArray

    @property
    def n_decided(self) -> FloatArray:
        """Per annotator, how many of the added votes are truths."""
        return np.asarray(self.strength * (1 - self.others.sum(axis=1)), np.float64)

    def spread(self, annotators: IntArray, answers: IntArray, *, n_truths: int) -> PriorVotes:
        """The added votes of some pairs (annotator, answer)."""
        n_right = self.n_decided * self.right
        n_wrong = self.n_decided * (1 - self.right) / max(n_truths - 1, 1)
        if_right, if_wrong = n_right[annotators], n_wrong[annotators]
        other = np.flatnonzero(answers >= n_truths)
        if_right[other] = if_wrong[other] = self.strength * self.others[annotators[other], answers[other] - n_truths]
        return PriorVotes(float(self.strength), if_right, if_wrong)


class FitPass(NamedTuple):
    """What one pass over the votes gives.

    Attributes:
        counts: expected numbers of answers per annotator, answer and truth, as the layout has them.
        totals: [2, truths]: expected tasks per true label, and their votes.
        likelihood: log-likelihood of the parameters that went in.
        entropy: of the probabilities of all tasks.
    """

    counts: FloatArray
    totals: FloatArray
    likelihood: float
    entropy: float


class Tables(NamedTuple):
    """Log-probabilities of answers, from counts.

    Attributes:
        logs: as the layout has them.
        penalty: logarithm of the prior of these tables, up to a constant; 0 without a prior.
        fit: Σ counts · logs.
    """

    logs: FloatArray
    penalty: float
    fit: float


class Cells(NamedTuple):
    """Expected counts above 0, one entry per annotator, true label and answer."""

    annotators: IntArray
    truths: IntArray
    answers: IntArray
    counts: FloatArray


class Layout(Protocol):
    """The steps of the fit, and what the last of them says of every task; `n_used` tasks take part."""

    table: VoteTable
    posterior: TaskPosterior
    n_used: int

    def start(self) -> FitPass:
        """Counts from the shares of the votes."""

    def normalise(self, counts: FloatArray, prior: PriorVotes) -> Tables:
        """Probabilities of answers from counts."""

    def step(self, tables: Tables, log_prior: FloatArray) -> FitPass:
        """Counts from probabilities of answers and prevalences; the posterior is overwritten."""

    def list_cells(self, counts: FloatArray) -> Cells:
        """The counts as a list."""


class Confusions(NamedTuple):
    """What a fit found: expected counts, prevalences, and what was believed of the annotators beforehand."""

    layout: Layout
    counts: FloatArray
    prevalence: FloatArray
    prior: ConfusionPrior

    @property
    def cells(self) -> Cells:
        """The counts as a list."""
        return self.layout.list_cells(self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The pairs (annotator, answer): those of votes, or all where these are not twice as many.

    Attributes:
        votes: per vote, its row.
        annotators: per row.
        answers: per row.
        n_votes: per row.
    """

    votes: IntArray
    annotators: IntArray
    answers: IntArray
    n_votes: FloatArray


def number_rows(table: VoteTable) -> Rows:
    """Number the pairs (annotator, answer)."""
    from regauge.labels.votes._kernels import keep_rows
    from regauge.labels.votes._kernels import number_rows as number

    n_labels = max(table.counts.n_labels, 1)
    n_pairs = table.n_annotators * n_labels
    if n_pairs > 2 * table.n_votes + 2**16:
        codes = table.annotators.astype(np.int64) * n_labels + table.counts.answers
        distinct, rows, n_votes = np.unique(codes, return_inverse=True, return_counts=True)
        return _make_rows(rows.astype(np.int32), distinct, n_votes.astype(np.float64), n_labels)
    rows, n_votes = np.empty(table.n_votes, np.int32), np.empty(n_pairs)
    n_rows = number(table.annotators, table.counts.answers, n_labels, rows, n_votes)
    if 2 * n_rows >= n_pairs:
        return _make_rows(rows, np.arange(n_pairs, dtype=np.int32), n_votes, n_labels)
    distinct, kept_votes = np.empty(n_rows, np.int32), np.empty(n_rows)
    keep_rows(rows, n_votes, distinct, kept_votes)
    return _make_rows(rows, distinct, kept_votes, n_labels)


def _make_rows(votes: IntArray, distinct: NDArray[np.integer], n_votes: FloatArray, n_labels: int) -> Rows:
    annotators, answers = np.divmod(distinct, n_labels)
    return Rows(votes, annotators.astype(np.int32, copy=False), answers.astype(np.int32, copy=False), n_votes)


class DenseLayout:
    """A table [rows, truths] in which every truth is possible for every task."""

    def __init__(self, table: VoteTable, rows: Rows) -> None:
        self.table = table
        self.rows = rows
        self.posterior = make_empty_posterior(table)
        self.shape = (rows.annotators.size, table.n_truths)
        self.n_used = int(table.is_used.sum())
        # A step writes down the probability of every answer; what it says of those that are no truth is set to 0 at the end.
        labels = table.counts.labels
        self.labels = labels if table.is_square else np.minimum(labels, table.n_truths - 1)

    def start(self) -> FitPass:
        """Counts from the shares of the votes."""
        from regauge.labels.votes._kernels import start_dense

        found, table = self._make_pass(), self.table
        start_dense(
            table.counts.starts,
            self.rows.votes,
            table.gold,
            table.counts.list_starts,
            table.counts.labels,
            table.shares,
            found.counts,
            found.totals,
        )
        if not table.is_square:
            # Tasks without an answer that is a truth say nothing at the start; they count in the prevalences as all others do.
            found.totals[0] *= self.n_used / max(found.totals[0].sum(), 1)
        return found

    def normalise(self, counts: FloatArray, prior: PriorVotes) -> Tables:
        """Probabilities of answers from counts."""
        from regauge.labels.votes._kernels import normalise_dense

        logs = np.zeros(self.shape)
        penalty, fit = normalise_dense(
            counts,
            self.rows.n_votes > 0,
            self.rows.annotators,
            self.rows.answers,
            *prior,
            logs,
            np.empty((self.table.n_annotators, self.shape[1])),
        )
        return Tables(logs, penalty, fit)

    def step(self, tables: Tables, log_prior: FloatArray) -> FitPass:
        """Counts from probabilities of answers and prevalences."""
        from regauge.labels.votes._kernels import step_dense

        table = self.table

        def run(part: slice) -> FitPass:
            found, bounds = self._make_pass(), slice(part.start, part.stop + 1)
            likelihood, entropy = step_dense(
                table.counts.starts[bounds],
                self.rows.votes,
                tables.logs,
                log_prior,
                table.gold[part],
                table.counts.list_starts[bounds],
                self.labels,
                self.posterior.labels[part],
                self.posterior.probabilities[part],
                self.posterior.listed,
                found.counts,
                found.totals,
            )
            return found._replace(likelihood=likelihood, entropy=entropy)

        return _add_parts(table, run)

    def find_chances(self, tables: Tables, log_prior: FloatArray) -> FloatArray:
        """The probability of every truth [tasks, truths] as a step with these parameters finds it; NaN without a label.

        Some tasks are taken at a time, so that memory stays small.
        """
        starts, gold = self.table.counts.starts, self.table.gold
        chances = np.full((gold.size, self.shape[1]), np.nan)
        voted = np.flatnonzero(np.diff(starts))
        for part in np.array_split(voted, -(-voted.size // _N_TASKS_AT_ONCE) or 1):
            if part.size:
                first = starts[part[0]]
                logs = np.add.reduceat(tables.logs[self.rows.votes[first : starts[part[-1] + 1]]], starts[part] - first)
                shares = np.exp(logs + log_prior - (logs + log_prior).max(axis=1, keepdims=True))
                chances[part] = shares / shares.sum(axis=1, keepdims=True)
        known = np.flatnonzero(gold != NO_CLASS)
        chances[known] = 0.0
        chances[known, gold[known]] = 1.0
        return chances

    def list_cells(self, counts: FloatArray) -> Cells:
        """The counts as a list."""
        rows, truths = np.nonzero(counts > 0)
        return Cells(self.rows.annotators[rows], truths.astype(np.int32), self.rows.answers[rows], counts[rows, truths])

    def _make_pass(self) -> FitPass:
        return FitPass(np.empty(self.shape), np.empty((2, self.shape[1])), 0.0, 0.0)


class BinaryLayout(DenseLayout):
    """Two truths: all that a pass needs of a task is its log-odds, and all that it counts is the second truth."""

    def start(self) -> FitPass:
        """Counts from the shares of the votes."""
        from regauge.labels.votes._kernels import start_binary

        if not self.table.is_square:
            return super().start()
        starts, gold = self.table.counts.starts, self.table.gold

        def run(part: slice) -> FitPass:
            second = np.empty(self.shape[0])
            n_ones = start_binary(
                starts[part.start : part.stop + 1], self.rows.votes, self.rows.answers, gold[part], second
            )
            return FitPass(second, np.array(n_ones), 0.0, 0.0)

        return self._complete(_add_parts(self.table, run))

    def step(self, tables: Tables, log_prior: FloatArray) -> FitPass:
        """Counts from probabilities of answers and prevalences."""
        from regauge.labels.votes._kernels import step_binary

        table = self.table
        gains, odds = tables.logs[:, 1] - tables.logs[:, 0], float(log_prior[1] - log_prior[0])

        def run(part: slice) -> FitPass:
            second, bounds = np.empty(self.shape[0]), slice(part.start, part.stop + 1)
            *n_ones, likelihood, entropy = step_binary(
                table.counts.starts[bounds],
                self.rows.votes,
                gains,
                odds,
                table.gold[part],
                table.counts.list_starts[bounds],
                self.labels,
                self.posterior.labels[part],
                self.posterior.probabilities[part],
                self.posterior.listed,
                second,
            )
            return FitPass(second, np.array(n_ones), likelihood, entropy)

        constant = table.counts.n_tasks * float(log_prior[0]) + float(self.rows.n_votes @ tables.logs[:, 0])
        found = self._complete(_add_parts(table, run))
        return found._replace(likelihood=found.likelihood + constant)

    def _complete(self, found: FitPass) -> FitPass:
        """The counts of both labels from those of the second."""
        wholes = np.array([self.table.counts.n_tasks, self.table.n_votes], np.float64)
        return found._replace(
            counts=np.stack([self.rows.n_votes - found.counts, found.counts], axis=1),
            totals=np.stack([wholes - found.totals, found.totals], axis=1),
        )


def _add_parts(table: VoteTable, run: Callable[[slice], FitPass]) -> FitPass:
    """A pass over the tasks in two threads; the parts are always the same ones, and so are the bits."""
    if table.n_votes < _MIN_VOTES_FOR_THREADS:
        return run(slice(0, table.counts.n_tasks))
    first, second = run_halves(table, run)
    return FitPass(
        counts=first.counts + second.counts,
        totals=first.totals + second.totals,
        likelihood=first.likelihood + second.likelihood,
        entropy=first.entropy + second.entropy,
    )


def run_halves(table: VoteTable, run: Callable[[slice], _Result]) -> list[_Result]:
    """Do something in two threads, with about half of the votes each."""
    middle = int(np.searchsorted(table.counts.starts, table.n_votes // 2))
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, [slice(0, middle), slice(middle, table.counts.n_tasks)]))


def is_small(table: VoteTable, rows: Rows) -> bool:
    """Whether a table of all labels takes memory linear in the votes."""
    n_cells = rows.annotators.size * table.n_truths
    return n_cells <= max(MIN_CELLS, MAX_CELLS_PER_VOTE * table.n_votes)


def is_binary(table: VoteTable) -> bool:
    """Whether there are two truths, and every task has a vote or a known label."""
    return table.n_truths == 2 and bool(table.is_used.all())
