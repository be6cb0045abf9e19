"""How often each label was given to each task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import CountArray, IntArray, freeze
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class AnswerCounts:
    """The votes sorted by task, and the distinct labels of every task with their numbers of votes.

    The votes of task t are those from `starts[t]` to `starts[t + 1]`, its labels those from `list_starts[t]` to
    `list_starts[t + 1]`, in label order. All of it together is linear in the votes, however many labels there are.

    Attributes:
        n_labels: how many labels there are; they are numbered from 0.
        starts: where the votes of each task start [n_tasks + 1].
        order: per vote, its place in the columns that came; None where they were sorted by task already.
        answers: per vote, its label.
        slots: per vote, the place of its label in `labels`.
        list_starts: where the labels of each task start [n_tasks + 1].
        labels: the distinct labels of the tasks.
        counts: how many votes each of them has.
    """

    n_labels: int
    starts: CountArray
    order: IntArray | None
    answers: IntArray
    slots: IntArray
    list_starts: CountArray
    labels: IntArray
    counts: IntArray

    @property
    def n_tasks(self) -> int:
        """Tasks, those without a vote included."""
        return self.starts.size - 1

    @property
    def n_votes_by_task(self) -> CountArray:
        """How many votes each task has."""
        return np.diff(self.starts)

    def sort(self, column: IntArray) -> IntArray:
        """A column of the votes as they came, sorted by task."""
        return column if self.order is None else column[self.order]


def count_answers(
    tasks: ArrayLike, answers: ArrayLike, *, n_tasks: int | None = None, n_labels: int | None = None
) -> AnswerCounts:
    """Count the labels of every task.

    Args:
        tasks: per vote, the number of its task, from 0.
        answers: per vote, the number of its label, from 0.
        n_tasks: how many tasks there are; those without a vote have no label. By default the largest number decides.
        n_labels: how many labels there are, by default likewise.

    >>> counted = count_answers([0, 0, 1, 1, 1], [2, 2, 0, 2, 0])
    >>> counted.labels.tolist(), counted.counts.tolist(), counted.list_starts.tolist()
    ([2, 0, 2], [2, 2, 1], [0, 1, 3])
    """
    from regauge.stats.agreement._kernels import list_answers

    task_of, answer_of = freeze(tasks, np.int32), freeze(answers, np.int32)
    if task_of.shape != answer_of.shape or task_of.ndim != 1:
        raise InputError(f"Every vote needs one task and one label, not {task_of.shape} and {answer_of.shape}.")
    n_rows = _check_codes(task_of, n_tasks, "tasks")
    n_kinds = _check_codes(answer_of, n_labels, "labels")
    starts, order = sort_votes(task_of, n_rows)
    sorted_answers = answer_of if order is None else answer_of[order]
    list_starts, labels = np.empty(n_rows + 1, np.int64), np.empty(answer_of.size, np.int32)
    slots = np.empty(answer_of.size, np.int32)
    counts = list_answers(starts, sorted_answers, n_kinds, list_starts, labels, slots)
    return AnswerCounts(
        n_labels=n_kinds,
        starts=starts,
        order=order,
        answers=sorted_answers,
        slots=slots,
        list_starts=list_starts,
        labels=labels[: counts.size],
        counts=counts,
    )


def sort_votes(groups: IntArray, n_groups: int) -> tuple[CountArray, IntArray | None]:
    """Where the votes of each group start once they are sorted by group, and their order; None where they lie so already."""
    from regauge.stats.agreement._kernels import count_groups, sort_by_group

    starts = np.zeros(n_groups + 1, np.int64)
    is_sorted = count_groups(groups, starts[1:])
    np.cumsum(starts, out=starts)
    if is_sorted:
        return starts, None
    order = np.empty(groups.size, np.int32)
    sort_by_group(groups, starts, order)
    return starts, order


def count_members(groups: IntArray, n_groups: int) -> CountArray:
    """How many votes each group has."""
    from regauge.stats.agreement._kernels import count_groups

    counts = np.empty(n_groups, np.int64)
    count_groups(groups, counts)
    return counts


def _check_codes(codes: IntArray, n: int | None, name: str) -> int:
    lowest, highest = int(codes.min(initial=0)), int(codes.max(initial=-1))
    if lowest < 0 or (n is not None and highest >= n):
        limit = "up" if n is None else f"to {n - 1:,}"
        raise InputError(f"The {name} of votes are numbered from 0 {limit}, not {lowest if lowest < 0 else highest:,}.")
    return highest + 1 if n is None else n
