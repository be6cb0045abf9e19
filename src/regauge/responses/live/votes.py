"""What single answers say about those who gave them: controls, agreement with the others, and with themselves."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.records.arrays import BoolArray, CountArray
from regauge.records.campaigns import Kind, ResponseStatus
from regauge.records.ledgers import CODE_OF, LedgerColumns, TaskColumns
from regauge.records.responses import Control, MaskArray
from regauge.records.screening import ScreeningRules, read_share
from regauge.responses.live.ledger import Ledger

RowCounts: TypeAlias = NDArray[np.uint8]
"""Per column of `COLUMNS` and answer a count; a task has at most 64 items."""

COLUMNS = (
    "n_answers",
    "n_counted",
    "n_poor",
    "n_positive_right",
    "n_positive",
    "n_negative_right",
    "n_negative",
    "n_agreed",
    "n_compared",
    "n_alike",
    "n_repeated",
    "n_impossible",
)
_COUNTED = CODE_OF[ResponseStatus.COUNTED]
_REPEAT = CODE_OF[ResponseStatus.REPEAT]


def count_votes(ledger: Ledger, columns: LedgerColumns, *, rows: CountArray) -> RowCounts:
    """What each of some answers adds to the sums of its annotator.

    Somebody's votes are compared with those of the others whose answers count: a vote of one's own always agrees, and those
    who were dropped are no measure. Where the others are divided there is nothing to agree with. CONTAINS compares cells that
    are no controls; CLASSIFY main labels, of which the most frequent one is the others', the first named of equally frequent.

    Args:
        ledger: the answers.
        columns: the same as columns.
        rows: which of them; all answers to a task or none.
    """
    counter = _Counter(ledger, columns, rows)
    is_work = columns.statuses[rows] != _REPEAT
    n_positive, n_positive_right = counter.count_controls(Control.POSITIVE)
    n_negative, n_negative_taken = counter.count_controls(Control.NEGATIVE)
    n_compared, n_agreed = counter.compare()
    of_work = (
        np.ones(len(rows), np.uint8),
        columns.statuses[rows] == _COUNTED,
        counter.find_poor(n_positive_right, n_positive),
        n_positive_right,
        n_positive,
        n_negative - n_negative_taken,
        n_negative,
        n_agreed,
        n_compared,
    )
    n_repeated, n_alike = counter.compare_repeats()
    of_all = (n_alike, n_repeated, columns.is_impossible[rows].astype(np.uint8))
    return np.stack([*(np.where(is_work, one, 0).astype(np.uint8) for one in of_work), *of_all])


class _Counter:
    """Counts over some answers of a ledger."""

    def __init__(self, ledger: Ledger, columns: LedgerColumns, rows: CountArray) -> None:
        self._ledger, self._columns, self._rows = ledger, columns, rows
        self._tasks = columns.tasks[rows]
        self._masks, self._shown = columns.masks[rows], ~columns.not_shown[rows]

    def count_controls(self, control: Control) -> tuple[CountArray, CountArray]:
        """Controls of a kind that were shown, and those that were selected."""
        marks = _mark(self._ledger.tasks, control)[self._tasks] & self._shown
        return np.bitwise_count(marks).astype(np.int64), np.bitwise_count(marks & self._masks).astype(np.int64)

    def find_poor(self, n_selected: CountArray, n_shown: CountArray) -> BoolArray:
        """Which answers speak against their annotators: most positive controls missed, or no label selected."""
        if self._ledger.kind is Kind.CLASSIFY:
            return np.asarray(self._masks == 0)
        share = read_share(ScreeningRules().annotator_controls)
        return (n_selected * share.denominator < share.numerator * n_shown) & (n_shown > 0)

    def compare(self) -> tuple[CountArray, CountArray]:
        """Votes on which the others have a majority, and those that are theirs."""
        from regauge.responses.live._kernels import compare_cells, compare_mains, sort_by

        rows, groups = sort_by(self._tasks, len(self._ledger.tasks))
        counts = self._columns.statuses[self._rows] == _COUNTED
        if self._ledger.kind is Kind.CONTAINS:
            judged = _mark(self._ledger.tasks, Control.NONE)
            found = compare_cells(rows, groups, (self._masks, self._shown), counts, judged)
        else:
            found = compare_mains(rows, groups, self._columns.mains[self._rows].astype(np.int32), counts)
        return found[0], found[1]

    def compare_repeats(self) -> tuple[RowCounts, RowCounts]:
        """Votes in hidden repeats that were given before too, and those that are the same."""
        n, n_alike = np.zeros(len(self._rows), np.uint8), np.zeros(len(self._rows), np.uint8)
        again = np.flatnonzero(self._columns.statuses[self._rows] == _REPEAT)
        for place, before in zip(again.tolist(), self._find_before(self._rows[again]), strict=True):
            if before is not None:
                one, other = self._read(before), self._read(int(self._rows[place]))
                n[place] = len(one.keys() & other.keys())
                n_alike[place] = sum(other.get(item) == vote for item, vote in one.items())
        return n, n_alike

    def _find_before(self, again: CountArray) -> list[int | None]:
        """The row in which the same annotator answered the task that each repeats; None where there is none."""
        if not again.size:
            return []
        tasks, columns = self._ledger.tasks, self._columns
        sources = np.searchsorted(tasks.ids, tasks.sources[columns.tasks[again]])
        marks = np.zeros(len(tasks), np.bool_)
        marks[sources] = True
        rows = np.flatnonzero(marks[columns.tasks])
        keys = zip(columns.tasks[rows].tolist(), columns.annotators[rows].tolist(), strict=True)
        row_of = dict(zip(keys, rows.tolist(), strict=True))
        wanted = zip(sources.tolist(), columns.annotators[again].tolist(), strict=True)
        return [row_of.get(key) for key in wanted]

    def _read(self, row: int) -> dict[int, int]:
        """What an answer says of each image of its grid that was shown; or its main label, by its class."""
        tasks, task = self._ledger.tasks, int(self._columns.tasks[row])
        items = tasks.items[tasks.starts[task] : tasks.starts[task + 1]].tolist()
        if self._ledger.kind is Kind.CONTAINS:
            mask, not_shown = int(self._columns.masks[row]), int(self._columns.not_shown[row])
            return {item: mask >> place & 1 for place, item in enumerate(items) if not not_shown >> place & 1}
        main = int(self._columns.mains[row])
        return {0: items[main] if main >= 0 else main}


def _mark(tasks: TaskColumns, control: Control) -> MaskArray:
    """Per task the items that are controls of a kind, or none."""
    from regauge.responses._kernels import mark_cells

    return np.asarray(mark_cells(tasks.starts, tasks.controls, int(control)), np.uint64)
