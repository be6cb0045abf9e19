"""The tables of Dawid–Skene with many labels, as lists of the cells that can occur."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, FloatArray, IntArray
from regauge.labels.votes.confusions import Cells, FitPass, PriorVotes, Rows, Tables, run_halves
from regauge.labels.votes.tables import VoteTable, make_empty_posterior
from regauge.stats.agreement.tables import sort_votes

MAX_LABELS_PER_TASK = 32
"""Of a task with more different labels the most frequent ones are possible; so memory stays linear in the votes."""


class SparseLayout:
    """One cell per annotator, answer and truth that occur: the truth is among the labels that a task was given.

    Cells of an annotator and an answer are a row and lie side by side; those of an annotator and a truth are a column. Every
    pass and every normalisation is written over the one before, as fresh memory costs more than the work on it.
    """

    def __init__(self, table: VoteTable, rows: Rows) -> None:
        self.table = table
        self.rows = rows
        self.posterior = make_empty_posterior(table)
        self.kept_starts, self.kept = _keep_labels(table)
        n_kept = np.diff(self.kept_starts)
        self.n_used = int(np.count_nonzero(n_kept))
        self.pair_starts = np.concatenate(([0], np.cumsum(n_kept * table.counts.n_votes_by_task)))
        self.most = int(n_kept.max(initial=1))
        self._number_cells(int(self.pair_starts[-1]))
        n_cells = self.truths.size
        self.found = FitPass(np.empty(n_cells), np.empty((2, table.n_truths)), 0.0, 0.0)
        self.logs, self.column_logs = np.empty(n_cells), np.empty(self.n_missing.size)

    def _number_cells(self, n_pairs: int) -> None:
        from regauge.labels.votes.sparse._kernels import number_cells

        counts, rows = self.table.counts, self.rows
        vote_starts, order = sort_votes(rows.votes, rows.annotators.size)
        self.pairs, self.row_starts = np.empty(n_pairs, np.int32), np.empty_like(vote_starts)
        truths, columns, n_missing = *np.empty((2, n_pairs), np.int32), np.empty(n_pairs)
        self.n_answers = np.empty(self.table.n_annotators, np.int32)
        n_cells, n_columns = number_cells(
            vote_starts,
            np.arange(rows.votes.size, dtype=np.int32) if order is None else order,
            rows.annotators,
            np.repeat(np.arange(counts.n_tasks, dtype=np.int32), counts.n_votes_by_task),
            counts.starts,
            self.kept_starts,
            self.kept,
            self.pair_starts,
            self.table.n_truths,
            self.pairs,
            self.row_starts,
            truths,
            columns,
            n_missing,
            self.n_answers,
        )
        self.truths, self.columns, self.n_missing = truths[:n_cells], columns[:n_cells], n_missing[:n_columns]

    def start(self) -> FitPass:
        """Counts from the shares of the votes."""
        from regauge.labels.votes.sparse._kernels import start_sparse

        counts = self.table.counts
        listed = (counts.list_starts, counts.labels, self.table.shares)
        start_sparse(*self._find_columns(), *listed, self.found.counts, self.found.totals)
        return self.found

    def normalise(self, counts: FloatArray, prior: PriorVotes) -> Tables:
        """Probabilities of answers from counts."""
        from regauge.labels.votes.sparse._kernels import divide_cells, weigh_cells

        strength = prior.strength
        cells = (self.row_starts, self.rows.answers, self.truths, self.columns, self.n_missing)
        weigh_cells(counts, *cells, *prior, self.logs, self.column_logs)
        added = self.logs - counts if strength else None
        # NumPy takes many logarithms at once.
        np.log(self.logs, out=self.logs)
        np.log(self.column_logs, out=self.column_logs)
        penalty = 0.0
        if added is not None:
            by_column = strength * (self.column_logs - np.log(strength)).sum()
            penalty = float(added @ (self.logs - np.log(added)) - by_column)
        fit = divide_cells(counts, self.columns, self.column_logs, self.logs)
        return Tables(self.logs, penalty, fit)

    def step(self, tables: Tables, log_prior: FloatArray) -> FitPass:
        """Counts from probabilities of answers and prevalences."""
        from regauge.labels.votes.sparse._kernels import step_sparse

        counts = self.table.counts
        likelihood, entropy = step_sparse(
            *self._find_columns(),
            tables.logs,
            log_prior,
            self.most,
            counts.list_starts,
            counts.labels,
            *self.posterior,
            self.found.counts,
            self.found.totals,
        )
        return self.found._replace(likelihood=likelihood, entropy=entropy)

    def bound_unlisted(self, tables: Tables, log_prior: FloatArray) -> float:
        """How much the labels that a task was not given could weigh beside those it was given, without a prior, at most."""
        from regauge.labels.votes.sparse._kernels import bound_unlisted

        log_answers, is_known = np.log(np.maximum(self.n_answers, 1)), self.table.gold != NO_CLASS

        def run(part: slice) -> float:
            return float(
                bound_unlisted(
                    *self._find_columns(),
                    tables.logs,
                    log_prior,
                    self.most,
                    self.table.annotators,
                    log_answers,
                    self.rows.votes,
                    self.row_starts,
                    self.truths,
                    is_known,
                    part.start,
                    part.stop,
                )
            )

        return max(run_halves(self.table, run))

    def list_cells(self, counts: FloatArray) -> Cells:
        """The counts as a list."""
        n_cells = np.diff(self.row_starts)
        annotators, answers = np.repeat(self.rows.annotators, n_cells), np.repeat(self.rows.answers, n_cells)
        return Cells(annotators, self.truths, answers, counts)

    def _find_columns(self) -> tuple[CountArray, CountArray, IntArray, CountArray, IntArray]:
        return self.table.counts.starts, self.kept_starts, self.kept, self.pair_starts, self.pairs


def _keep_labels(table: VoteTable) -> tuple[CountArray, IntArray]:
    from regauge.labels.votes.sparse._kernels import keep_labels

    counts = table.decided.counts
    starts = np.empty(counts.n_tasks + 1, np.int64)
    kept = keep_labels(counts.list_starts, counts.labels, counts.counts, table.gold, MAX_LABELS_PER_TASK, starts)
    return starts, kept
