"""Every annotator's figures, kept up to date: only answers to tasks that have new ones are looked at again."""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.records.responses.figures import AnnotatorCounts, AnnotatorFigures
from regauge.records.responses.ledgers import LedgerColumns, TaskColumns
from regauge.responses.ledger import Ledger
from regauge.responses.live.kinds import FigureKind
from regauge.responses.live.votes import COLUMNS, RowCounts, count_votes
from regauge.responses.medians import find_medians

_MIN_ROOM = 1_024


class Tally:
    """The figures of the annotators of a ledger, which must ask for its changes through no one else.

    What an answer adds to each sum is remembered, so that it can be taken off again when the answer is revised or when others
    change what it is compared with: with a million answers, a hundred new ones cost a thousandth of starting afresh.
    """

    def __init__(self, ledger: Ledger, kind: FigureKind) -> None:
        self._ledger, self._kind = ledger, kind
        self._rows: RowCounts = np.zeros((len(COLUMNS), _MIN_ROOM), np.uint8)
        self._sums: CountArray = np.zeros((len(COLUMNS), 0), np.int64)
        self._medians: FloatArray = np.zeros(0)
        self._last: CountArray = np.zeros(0, np.int64)

    def update(self) -> AnnotatorFigures:
        """The figures as the ledger is now, over all answers of each annotator, counted or not."""
        changes, columns = self._ledger.take_changes(), self._ledger.columns
        self._make_room(len(columns), len(columns.annotator_ids))
        self._add_up(columns, changes.tasks)
        self._measure(columns, changes.annotators)
        return self._make_figures()

    def _make_room(self, n_rows: int, n_annotators: int) -> None:
        if n_rows > self._rows.shape[1]:
            wider = np.zeros((len(COLUMNS), max(n_rows, 3 * self._rows.shape[1] // 2)), np.uint8)
            wider[:, : self._rows.shape[1]] = self._rows
            self._rows = wider
        n_new = n_annotators - self._sums.shape[1]
        self._sums = np.pad(self._sums, ((0, 0), (0, n_new)))
        self._medians = np.pad(self._medians, (0, n_new), constant_values=np.nan)
        self._last = np.pad(self._last, (0, n_new))

    def _add_up(self, columns: LedgerColumns, tasks: BoolArray) -> None:
        """Count the answers to some tasks anew."""
        rows = _find_rows(self._ledger.tasks, columns, tasks)
        if not rows.size:
            return
        new = count_votes(self._kind, self._ledger.tasks, columns=columns, rows=rows)
        annotators, n = columns.annotators[rows], self._sums.shape[1]
        for place in range(len(COLUMNS)):
            change = new[place].astype(np.int16) - self._rows[place][rows]
            self._sums[place] += np.bincount(annotators, weights=change, minlength=n).astype(np.int64)
            self._rows[place][rows] = new[place]

    def _measure(self, columns: LedgerColumns, wanted: BoolArray) -> None:
        """Find medians and last moments of some annotators anew."""
        rows = np.flatnonzero(wanted[columns.annotators])
        if rows.size:
            annotators = columns.annotators[rows]
            medians = find_medians(annotators, self._find_seconds(columns, rows), n=len(wanted))
            self._medians = np.where(wanted, medians, self._medians)
            np.maximum.at(self._last, annotators, columns.received[rows])

    def _find_seconds(self, columns: LedgerColumns, rows: CountArray) -> FloatArray:
        is_work = self._rows[COLUMNS.index("n_answers")][rows] > 0
        return np.where(is_work, columns.seconds[rows], np.nan)

    def _make_figures(self) -> AnnotatorFigures:
        sums = dict(zip(COLUMNS, self._sums.copy(), strict=True))
        n_poor, n_answers = sums["n_poor"], sums["n_answers"]
        return AnnotatorFigures(
            n_answers=n_answers,
            n_counted=sums["n_counted"],
            n_poor=n_poor,
            is_bad=self._kind.find_bad(n_poor, n_answers),
            positive=AnnotatorCounts(sums["n_positive_right"], sums["n_positive"]),
            negative=AnnotatorCounts(sums["n_negative_right"], sums["n_negative"]),
            agreement=AnnotatorCounts(sums["n_agreed"], sums["n_compared"]),
            consistency=AnnotatorCounts(sums["n_alike"], sums["n_repeated"]),
            n_impossible=sums["n_impossible"],
            median_seconds=self._medians.copy(),
            last=self._last.copy(),
        )


def _find_rows(tasks: TaskColumns, columns: LedgerColumns, is_changed: BoolArray) -> CountArray:
    """The rows of some tasks and of their hidden repeats, which are compared with them."""
    repeats = np.flatnonzero(tasks.sources)
    is_changed[repeats] |= is_changed[np.searchsorted(tasks.ids, tasks.sources[repeats])]
    return np.flatnonzero(is_changed[columns.tasks])
