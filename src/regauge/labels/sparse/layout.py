"""The tables of Dawid–Skene with many labels, as lists of the cells that can occur."""

from __future__ import annotations

import numpy as np

from regauge.labels.confusions import Cells, Pass, Prior, Tables
from regauge.labels.vote_tables import VoteTable, make_empty_posterior
from regauge.records.arrays import NO_CLASS, CountArray, FloatArray, IntArray
from regauge.stats.agreement.tables import sort_votes

MAX_LABELS_PER_TASK = 32
"""Of a task with more different labels the most frequent ones are possible; so memory stays linear in the votes."""


class SparseLayout:
    """One entry per annotator, answer and truth that occur: the truth is among the labels that a task was given."""

    def __init__(self, table: VoteTable) -> None:
        self.table = table
        self.posterior = make_empty_posterior(table)
        self.kept_starts, self.kept = _keep_labels(table)
        n_kept = np.diff(self.kept_starts)
        self.pair_starts = np.concatenate(([0], np.cumsum(n_kept * table.counts.n_votes_by_task)))
        self.most = int(n_kept.max(initial=1))
        self._number_cells(int(self.pair_starts[-1]))

    def _number_cells(self, n_pairs: int) -> None:
        from regauge.labels.sparse._kernels import number_cells

        counts, annotators = self.table.counts, self.table.annotators
        self.pairs = np.empty(n_pairs, np.int32)
        cells = np.empty((4, n_pairs), np.int32)
        sizes = np.empty(n_pairs, np.int32)
        self.n_answers = np.empty(self.table.n_annotators, np.int32)
        n_cells, n_columns = number_cells(
            _sort_by_annotator(annotators, counts.answers, (self.table.n_annotators, counts.n_labels)),
            annotators,
            counts.answers,
            np.repeat(np.arange(counts.n_tasks, dtype=np.int32), counts.n_votes_by_task),
            counts.starts,
            self.kept_starts,
            self.kept,
            self.pair_starts,
            counts.n_labels,
            self.pairs,
            cells,
            self.n_answers,
            sizes,
        )
        self.cells = cells[:, :n_cells].copy()
        self.n_missing = np.zeros(n_columns)
        self.n_missing[self.cells[3]] = self.n_answers[self.cells[0]]
        self.n_missing -= sizes[:n_columns]

    def start(self) -> Pass:
        """Counts from the shares of the votes."""
        from regauge.labels.sparse._kernels import start_sparse

        found, counts = self._make_pass(), self.table.counts
        listed = (counts.list_starts, counts.labels, self.table.shares)
        start_sparse(*self._find_columns(), *listed, found.counts, found.totals)
        return found

    def normalise(self, counts: FloatArray, prior: Prior) -> Tables:
        """Probabilities of answers from counts."""
        from regauge.labels.sparse._kernels import divide_cells, weigh_cells

        n_labels, strength = self.table.counts.n_labels, float(prior.strength)
        weights, columns = np.empty(counts.size), np.empty(self.n_missing.size)
        weigh_cells(counts, self.cells, self.n_missing, n_labels, strength, prior.right, weights, columns)
        # NumPy takes many logarithms at once.
        logs, log_columns = np.log(weights), np.log(columns)
        penalty = 0.0
        if strength:
            added = weights - counts
            penalty = float(added @ (logs - np.log(added)) - strength * (log_columns - np.log(strength)).sum())
        fit = divide_cells(counts, self.cells, log_columns, logs)
        return Tables(logs, penalty, fit)

    def step(self, tables: Tables, log_prior: FloatArray) -> Pass:
        """Counts from probabilities of answers and prevalences."""
        from regauge.labels.sparse._kernels import step_sparse

        found, counts = self._make_pass(), self.table.counts
        likelihood, entropy = step_sparse(
            *self._find_columns(),
            tables.logs,
            log_prior,
            self.most,
            counts.list_starts,
            counts.labels,
            *self.posterior,
            found.counts,
            found.totals,
        )
        return found._replace(likelihood=likelihood, entropy=entropy)

    def bound_unlisted(self, tables: Tables, log_prior: FloatArray) -> float:
        """How much the labels that a task was not given could weigh beside those it was given, without a prior, at most."""
        from regauge.labels.sparse._kernels import bound_unlisted

        return float(
            bound_unlisted(
                *self._find_columns(),
                tables.logs,
                log_prior,
                self.most,
                self.table.annotators,
                np.log(np.maximum(self.n_answers, 1)),
                self.cells,
                self.table.gold != NO_CLASS,
            )
        )

    def list_cells(self, counts: FloatArray) -> Cells:
        """The counts as a list."""
        annotators, answers, truths, _ = self.cells
        return Cells(annotators, truths, answers, counts)

    def _find_columns(self) -> tuple[CountArray, CountArray, IntArray, CountArray, IntArray]:
        return self.table.counts.starts, self.kept_starts, self.kept, self.pair_starts, self.pairs

    def _make_pass(self) -> Pass:
        return Pass(np.empty(self.cells.shape[1]), np.empty((2, self.table.counts.n_labels)), 0.0, 0.0)


def _keep_labels(table: VoteTable) -> tuple[CountArray, IntArray]:
    from regauge.labels.sparse._kernels import keep_labels

    counts = table.counts
    starts = np.empty(counts.n_tasks + 1, np.int64)
    kept = keep_labels(counts.list_starts, counts.labels, counts.counts, table.gold, MAX_LABELS_PER_TASK, starts)
    return starts, kept


def _sort_by_annotator(annotators: IntArray, answers: IntArray, sizes: tuple[int, int]) -> IntArray:
    """The votes by annotator and answer."""
    _, by_answer = sort_votes(answers, sizes[1])
    first = np.arange(answers.size, dtype=np.int32) if by_answer is None else by_answer
    _, by_annotator = sort_votes(annotators[first], sizes[0])
    return first if by_annotator is None else first[by_annotator]
