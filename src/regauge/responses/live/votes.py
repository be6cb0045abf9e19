"""What single answers say about those who gave them: controls, agreement with the others, and with themselves."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import CountArray
from regauge.records.responses.answers import Control
from regauge.records.responses.ledgers import COUNTED, REPEAT, LedgerColumns, TaskColumns
from regauge.responses.live.kinds import FigureKind
from regauge.responses.marks import count_controls

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


def count_votes(kind: FigureKind, tasks: TaskColumns, *, columns: LedgerColumns, rows: CountArray) -> RowCounts:
    """What each of some answers adds to the sums of its annotator.

    Somebody's votes are compared with those of the others whose answers count: a vote of one's own always agrees, and those
    who were dropped are no measure.

    Args:
        kind: what the tasks ask.
        tasks: the tasks.
        columns: the answers.
        rows: which of them, rising; all answers to a task or none.
    """
    own = columns if len(rows) == len(columns) else columns.keep(rows)
    is_work = own.statuses != REPEAT
    n_positive, n_positive_right = count_controls(tasks, own, control=Control.POSITIVE)
    n_negative, n_negative_taken = count_controls(tasks, own, control=Control.NEGATIVE)
    n_compared, n_agreed = kind.compare(tasks, own)
    of_work = (
        np.ones(len(rows), np.uint8),
        own.statuses == COUNTED,
        kind.find_poor(tasks, own),
        n_positive_right,
        n_positive,
        n_negative - n_negative_taken,
        n_negative,
        n_agreed,
        n_compared,
    )
    n_repeated, n_alike = _compare_repeats(kind, tasks, columns, rows)
    of_all = (n_alike, n_repeated, own.is_impossible.astype(np.uint8))
    return np.stack([*(np.where(is_work, one, 0).astype(np.uint8) for one in of_work), *of_all])


def _compare_repeats(
    kind: FigureKind, tasks: TaskColumns, columns: LedgerColumns, rows: CountArray
) -> tuple[RowCounts, RowCounts]:
    """Votes in hidden repeats that were given before too, and those that are the same."""
    n, n_alike = np.zeros(len(rows), np.uint8), np.zeros(len(rows), np.uint8)
    again = np.flatnonzero(columns.statuses[rows] == REPEAT)
    for place, before in zip(again.tolist(), _find_before(tasks, columns, rows[again]), strict=True):
        if before is not None:
            one, other = (kind.read_votes(tasks, columns, row=row) for row in (before, int(rows[place])))
            n[place] = len(one.keys() & other.keys())
            n_alike[place] = sum(other.get(item) == vote for item, vote in one.items())
    return n, n_alike


def _find_before(tasks: TaskColumns, columns: LedgerColumns, again: CountArray) -> list[int | None]:
    """The row in which the same annotator answered the task that each repeats; None where there is none."""
    if not again.size:
        return []
    sources = np.searchsorted(tasks.ids, tasks.sources[columns.tasks[again]])
    marks = np.zeros(len(tasks), np.bool_)
    marks[sources] = True
    rows = np.flatnonzero(marks[columns.tasks])
    keys = zip(columns.tasks[rows].tolist(), columns.annotators[rows].tolist(), strict=True)
    row_of = dict(zip(keys, rows.tolist(), strict=True))
    wanted = zip(sources.tolist(), columns.annotators[again].tolist(), strict=True)
    return [row_of.get(key) for key in wanted]
