"""Every annotator's figures, kept up to date: only answers to tasks that have new ones are looked at again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.records.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.records.campaigns import Kind
from regauge.records.ledgers import LedgerColumns
from regauge.records.screening import ScreeningRules, read_share
from regauge.responses.classify_screening import N_FLAWED_OF, N_FLAWED_TOO_MANY
from regauge.responses.live.ledger import Ledger
from regauge.responses.live.votes import COLUMNS, RowCounts, count_votes

RULES = ScreeningRules()
"""When an annotator of a CONTAINS campaign should be dropped (Tsipras et al. 2020, appendix B.1.2)."""
_MIN_ROOM = 1_024


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """A part of a whole per annotator."""

    n_right: CountArray
    n: CountArray

    @property
    def values(self) -> FloatArray:
        """The share of each; NaN where there is nothing to share."""
        return np.where(self.n > 0, self.n_right / np.maximum(self.n, 1), np.nan)

    def add(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(self.n_right + other.n_right, self.n + other.n)


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatorFigures:
    """What is known of every annotator, in the order in which they came.

    Attributes:
        n_answers: tasks answered, hidden repeats not among them.
        n_counted: those of them that count.
        n_poor: those of them that speak against the annotator: most positive controls missed, or no label selected.
        is_bad: whether there are so many of these that the screening rules would drop the annotator.
        positive: positive controls that were selected.
        negative: negative controls that were left out.
        agreement: votes that are those of the majority of the others whose answers count.
        consistency: answers to hidden repeats that are those given before.
        n_impossible: answers, hidden repeats among them, for which more time was claimed than there can have been.
        median_seconds: of the answers whose time is known; NaN where none is.
        last: when the last answer came, in milliseconds since 1970.
    """

    n_answers: CountArray
    n_counted: CountArray
    n_poor: CountArray
    is_bad: BoolArray
    positive: Counts
    negative: Counts
    agreement: Counts
    consistency: Counts
    n_impossible: CountArray
    median_seconds: FloatArray
    last: CountArray

    def __len__(self) -> int:
        return len(self.n_answers)


class Tally:
    """The figures of the annotators of a ledger, which must ask for its changes through no one else.

    What an answer adds to each sum is remembered, so that it can be taken off again when the answer is revised or when others
    change what it is compared with: with a million answers, a hundred new ones cost a thousandth of starting afresh.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
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
        rows = _find_rows(self._ledger, columns, tasks)
        if not rows.size:
            return
        new = count_votes(self._ledger, columns, rows=rows)
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
            is_bad=_find_bad(self._ledger.kind, n_poor, n_answers),
            positive=Counts(sums["n_positive_right"], sums["n_positive"]),
            negative=Counts(sums["n_negative_right"], sums["n_negative"]),
            agreement=Counts(sums["n_agreed"], sums["n_compared"]),
            consistency=Counts(sums["n_alike"], sums["n_repeated"]),
            n_impossible=sums["n_impossible"],
            median_seconds=self._medians.copy(),
            last=self._last.copy(),
        )


def find_medians(annotators: IntArray, seconds: FloatArray, *, n: int) -> FloatArray:
    """Every annotator's median of what is known; NaN where nothing is."""
    from regauge.responses.live._kernels import find_medians as find
    from regauge.responses.live._kernels import sort_by

    medians: FloatArray = find(*sort_by(annotators, n), seconds)
    return medians


def _find_rows(ledger: Ledger, columns: LedgerColumns, tasks: BoolArray) -> CountArray:
    """The rows of some tasks and of their hidden repeats, which are compared with them."""
    sources = ledger.tasks.sources
    repeats = np.flatnonzero(sources)
    tasks[repeats] |= tasks[np.searchsorted(ledger.tasks.ids, sources[repeats])]
    return np.flatnonzero(tasks[columns.tasks])


def _find_bad(kind: Kind, n_poor: CountArray, n: CountArray) -> BoolArray:
    """Whom the screening rules would drop."""
    if kind is Kind.CLASSIFY:
        return N_FLAWED_OF * n_poor > N_FLAWED_TOO_MANY * n
    share = read_share(RULES.poor_tasks)
    return (n > 0) & (n_poor * share.denominator >= share.numerator * n)
