"""The answers to a campaign that hold, kept up to date: rows are added, and revised in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.campaigns.credit import find_impossible
from regauge.records.responses.ledgers import (
    NO_TASKS,
    AnswerColumns,
    AnswerMasks,
    HeldAnswers,
    LedgerColumns,
    TaskColumns,
)

_COLUMNS: dict[str, Any] = {
    "firsts": np.int64,
    "ids": np.int64,
    "tasks": np.int32,
    "annotators": np.int32,
    "masks": np.uint64,
    "not_shown": np.uint64,
    "mains": np.int8,
    "statuses": np.uint8,
    "revisions": np.int32,
    "received": np.int64,
    "seconds": np.float64,
    "is_impossible": np.bool_,
    "shown_seconds": np.float64,
    "time_flags": np.uint8,
}
_REVISED = (
    *("ids", "masks", "not_shown", "mains", "revisions", "seconds", "is_impossible"),
    *("shown_seconds", "time_flags"),
)
"""What a later answer to the same task by the same annotator replaces."""
_MIN_ROOM = 1_024


class AnswerKind(Protocol):
    """What a kind of task tells about its tasks and answers: a module with these functions."""

    def parse_tasks(self, texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
        """Tasks from what they show as JSON."""
        ...

    def parse_answers(self, texts: Sequence[str], *, tasks: TaskColumns, places: IntArray) -> AnswerMasks:
        """What answers say, from JSON; the task of each stands at its place."""
        ...

    def make_responses(self, held: HeldAnswers) -> Any:  # noqa: ANN401 - each kind has a form of its own
        """Answers, none of them to a hidden repeat, in the form that the stages after this one take."""
        ...

    def write_answers(self, held: HeldAnswers) -> Iterator[str]:
        """The same as the lines of a file."""
        ...


class LedgerChanges(NamedTuple):
    """What has changed in a ledger.

    Attributes:
        tasks: per task, whether answers to it have.
        annotators: per annotator, whether answers of theirs have.
    """

    tasks: BoolArray
    annotators: BoolArray


class Ledger:
    """The answers of a campaign, of which pages show figures, and label sets are made.

    Columns have room to grow, so that a hundred new answers to a campaign that has a million cost no copy of them.

    Attributes:
        kind: reads its tasks and answers.
        tasks: what they show.
        version: grows with every change.
        last_id: the highest number of an answer that it knows.
    """

    def __init__(self, kind: AnswerKind) -> None:
        self.kind = kind
        self.tasks = NO_TASKS
        self.version = 0
        self.last_id = 0
        self._n = 0
        self._columns = {name: np.zeros(_MIN_ROOM, dtype) for name, dtype in _COLUMNS.items()}
        self._annotator_ids: list[int] = []
        self._place_of: dict[int, int] = {}
        self._changed: list[tuple[IntArray, IntArray]] = []

    def __len__(self) -> int:
        return self._n

    @property
    def columns(self) -> LedgerColumns:
        """The rows as they are now; the next change shows in them."""
        views = {name: column[: self._n] for name, column in self._columns.items()}
        return LedgerColumns(**views, annotator_ids=np.array(self._annotator_ids, np.int64))

    def copy_columns(self) -> LedgerColumns:
        """The rows as they are now, and stay."""
        columns = self.columns
        return LedgerColumns(*(getattr(columns, field.name).copy() for field in fields(columns)))

    def add_tasks(
        self, texts: Sequence[str], *, ids: CountArray, sources: CountArray, wanted: CountArray | None = None
    ) -> None:
        """Tasks that were made since, as they are stored.

        Args:
            texts: what they show.
            ids: their numbers.
            sources: the number of the task that each repeats; `NO_SOURCE` where it is not a repeat.
            wanted: how many people answer each; as many as the campaign plans by default.
        """
        if len(ids):
            tasks = self.kind.parse_tasks(texts, ids=ids, sources=sources)
            tasks = tasks if wanted is None else replace(tasks, wanted=wanted)
            self.tasks = self.tasks.extend(tasks) if len(self.tasks) else tasks
            self.version += 1

    def add_answers(self, answers: AnswerColumns) -> None:
        """Answers that came since, in their order; of several by one annotator to one task the highest revision holds.

        Answers that are known already take the status that they come with. Answers to tasks that are not of the campaign are
        left out.
        """
        answers = self._keep_own(answers)
        if not len(answers):
            return
        self.last_id = max(self.last_id, int(answers.ids.max()))
        rows = self._read(answers)
        heads, holders = _find_groups(rows)
        new = {name: column[heads if name in {"firsts", "received"} else holders] for name, column in rows.items()}
        known = self._find_rows(new["tasks"], new["annotators"])
        self._revise(known, new)
        is_new = known < 0
        # Rows stand in the order in which first answers came.
        order = np.flatnonzero(is_new)[np.argsort(new["firsts"][is_new], kind="stable")]
        self._append({name: column[order] for name, column in new.items()})
        self._changed.append((new["tasks"], new["annotators"]))
        self.version += 1

    def take_changes(self) -> LedgerChanges:
        """What has changed since the last time that somebody asked."""
        tasks, annotators = self._mark([]), np.zeros(len(self._annotator_ids), np.bool_)
        for task_places, annotator_places in self._changed:
            tasks[task_places] = True
            annotators[annotator_places] = True
        self._changed = []
        return LedgerChanges(tasks, annotators)

    def find_tasks_of(self, annotator_ids: frozenset[int]) -> CountArray:
        """The numbers of the tasks that some annotators have answered."""
        places = [self._place_of[one] for one in annotator_ids if one in self._place_of]
        of_them = np.isin(self._columns["annotators"][: self._n], places)
        found: CountArray = self.tasks.ids[np.unique(self._columns["tasks"][: self._n][of_them])]
        return found

    def _keep_own(self, answers: AnswerColumns) -> AnswerColumns:
        places = np.minimum(np.searchsorted(self.tasks.ids, answers.tasks), max(0, len(self.tasks) - 1))
        is_own = self.tasks.ids[places] == answers.tasks if len(self.tasks) else np.zeros(len(answers), np.bool_)
        return answers if is_own.all() else answers.keep(is_own)

    def _read(self, answers: AnswerColumns) -> dict[str, NDArray[Any]]:
        """The answers as rows, each by the places of its task and its annotator."""
        places = np.searchsorted(self.tasks.ids, answers.tasks).astype(np.int32)
        said = self.kind.parse_answers(answers.texts, tasks=self.tasks, places=places)
        return {
            "firsts": answers.ids,
            "ids": answers.ids,
            "tasks": places,
            "annotators": self._number(answers.annotators),
            "masks": said.masks,
            "not_shown": said.not_shown,
            "mains": said.mains.astype(np.int8),
            "statuses": answers.statuses,
            "revisions": answers.revisions,
            "received": answers.received,
            "seconds": answers.seconds,
            "is_impossible": find_impossible(answers.claimed, answers.seconds),
            "shown_seconds": answers.shown_seconds,
            "time_flags": answers.time_flags,
        }

    def _number(self, annotator_ids: CountArray) -> IntArray:
        """The places of annotators, new ones after the others in the order in which they came."""
        distinct, first, inverse = np.unique(annotator_ids, return_index=True, return_inverse=True)
        for one in distinct[np.argsort(first)].tolist():
            if one not in self._place_of:
                self._place_of[one] = len(self._annotator_ids)
                self._annotator_ids.append(one)
        return np.array([self._place_of[one] for one in distinct.tolist()], np.int32)[inverse]

    def _find_rows(self, tasks: IntArray, annotators: IntArray) -> CountArray:
        """The row of each task and annotator; −1 where there is none."""
        found = np.full(len(tasks), -1, np.int64)
        if not self._n:
            return found
        rows = np.flatnonzero(self._mark(tasks)[self._columns["tasks"][: self._n]])
        keys = _make_keys(self._columns["tasks"][rows], self._columns["annotators"][rows])
        order = np.argsort(keys)
        wanted = _make_keys(tasks, annotators)
        places = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(0, rows.size - 1))
        if rows.size:
            candidates = order[places]
            found = np.where(keys[candidates] == wanted, rows[candidates], -1)
        return found

    def _mark(self, places: NDArray[Any] | list[int]) -> BoolArray:
        marks = np.zeros(len(self.tasks), np.bool_)
        marks[places] = True
        return marks

    def _revise(self, known: CountArray, new: dict[str, NDArray[Any]]) -> None:
        there = np.flatnonzero(known >= 0)
        self._columns["statuses"][known[there]] = new["statuses"][there]
        newer = there[new["revisions"][there] >= self._columns["revisions"][known[there]]]
        for name in _REVISED:
            self._columns[name][known[newer]] = new[name][newer]

    def _append(self, rows: dict[str, NDArray[Any]]) -> None:
        n = self._n + len(rows["firsts"])
        if n > len(self._columns["firsts"]):
            room = max(n, 2 * self._n)
            self._columns = {name: _widen(column[: self._n], room) for name, column in self._columns.items()}
        for name, column in self._columns.items():
            column[self._n : n] = rows[name]
        self._n = n


def _widen(column: NDArray[Any], room: int) -> NDArray[Any]:
    wider = np.empty(room, column.dtype)
    wider[: len(column)] = column
    return wider


def _make_keys(tasks: IntArray, annotators: IntArray) -> CountArray:
    return tasks.astype(np.int64) << 32 | annotators


def _find_groups(rows: dict[str, NDArray[Any]]) -> tuple[CountArray, CountArray]:
    """Per task and annotator, the first of their answers and the one that holds."""
    keys = _make_keys(rows["tasks"], rows["annotators"])
    by_number = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[by_number], prepend=-1))
    by_revision = by_number
    if len(starts) < len(keys):
        by_revision = np.lexsort((rows["firsts"], rows["revisions"], keys))
    ends = np.append(starts[1:], len(keys)) - 1
    return by_number[starts], by_revision[ends]


class RowMemory:
    """What a kind of task keeps between two looks, where the rows of a ledger do as they are: nothing."""

    def copy_answers(self, ledger: Ledger) -> LedgerColumns:
        """All rows of the ledger, as they are now."""
        return ledger.copy_columns()
