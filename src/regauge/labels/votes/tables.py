"""Votes as annotator models read them: sorted by task, with the labels of every task and those that are known.

Labels are the answers that annotators can give. The first of them, often all, are truths: labels that a task can have. The
others ("cannot tell", "image broken") are answers and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, freeze
from regauge.stats.agreement.tables import AnswerCounts, count_answers, count_members


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes sorted by task.

    Attributes:
        counts: the votes, and the labels of every task with their numbers of votes.
        annotators: per vote in task order, who gave it.
        gold: per task, its known label, or `NO_CLASS`.
        n_annotators: how many annotators there are, those without a vote included.
        n_truths: so many labels, the first ones, can be true of a task.
    """

    counts: AnswerCounts
    annotators: IntArray
    gold: IntArray
    n_annotators: int
    n_truths: int

    @property
    def is_square(self) -> bool:
        """Whether every answer is a truth."""
        return self.n_truths == self.counts.n_labels

    @cached_property
    def decided(self) -> VoteTable:
        """The votes that are truths; tasks and annotators stay, also those without such a vote."""
        if self.is_square:
            return self
        is_truth = self.counts.answers < self.n_truths
        tasks = np.repeat(np.arange(self.counts.n_tasks, dtype=np.int32), self.counts.n_votes_by_task)
        return make_vote_table(
            tasks[is_truth],
            self.counts.answers[is_truth],
            annotators=self.annotators[is_truth],
            sizes=(self.counts.n_tasks, self.n_annotators, self.n_truths),
            gold=self.gold,
        )

    @property
    def n_votes(self) -> int:
        """All votes."""
        return self.annotators.size

    @cached_property
    def n_votes_by_annotator(self) -> CountArray:
        """How many votes each annotator gave."""
        return count_members(self.annotators, self.n_annotators)

    @cached_property
    def shares(self) -> FloatArray:
        """Per label of a task, its share of the votes that are truths, 0 for other answers; 1 for a known label alone."""
        from regauge.labels.votes._kernels import find_shares

        shares = np.empty(self.counts.labels.size)
        if not self.is_square:
            # Both tables list the labels of a task in label order.
            shares[:] = 0.0
            shares[self.counts.labels < self.n_truths] = self.decided.shares
            return shares
        find_shares(self.counts.list_starts, self.counts.labels, self.counts.counts, self.gold, shares)
        return shares

    @property
    def is_used(self) -> BoolArray:
        """The tasks that say something: those with a vote or a known label."""
        used: BoolArray = (self.counts.n_votes_by_task > 0) | (self.gold != NO_CLASS)
        return used


class TaskPosterior(NamedTuple):
    """What a model believes of the tasks.

    Attributes:
        labels: the most probable label of each task, the first in label order of several; `NO_CLASS` without votes.
        probabilities: the probability of it; NaN without votes.
        listed: the probability of every label that was voted for, like `counts.labels`, 0 for answers that are no truth; what is
            missing to 1 belongs to labels that nobody gave the task.
    """

    labels: IntArray
    probabilities: FloatArray
    listed: FloatArray


def make_vote_table(
    tasks: ArrayLike,
    answers: ArrayLike,
    *,
    annotators: ArrayLike,
    sizes: tuple[int, int, int] | tuple[int, int, int, int],
    gold: ArrayLike | None = None,
) -> VoteTable:
    """Sort votes by task and list the labels of every task.

    Args:
        tasks: per vote, the number of its task.
        answers: per vote, the number of its label.
        annotators: per vote, the number of its annotator.
        sizes: how many tasks, annotators and labels there are; and truths, where these are only the first of the labels.
        gold: per task, its known label, or `NO_CLASS`.
    """
    n_tasks, n_annotators, n_labels = sizes[:3]
    counts = count_answers(tasks, answers, n_tasks=n_tasks, n_labels=n_labels)
    known = freeze(np.full(n_tasks, NO_CLASS) if gold is None else gold, np.int32)
    return VoteTable(counts, counts.sort(freeze(annotators, np.int32)), known, n_annotators, sizes[-1])


def make_empty_posterior(table: VoteTable) -> TaskPosterior:
    """Room for what a model believes."""
    n_tasks = table.counts.n_tasks
    return TaskPosterior(np.empty(n_tasks, np.int32), np.empty(n_tasks), np.empty(table.counts.labels.size))


def list_chances(table: VoteTable, posterior: TaskPosterior) -> FloatArray:
    """The probability of every truth [tasks, truths] where those that nobody gave a task have none; NaN without a label.

    Args:
        table: the votes that the posterior lists.
        posterior: what a model believes.
    """
    counts = table.counts
    chances = np.zeros((counts.n_tasks, table.n_truths))
    task_of = np.repeat(np.arange(counts.n_tasks), np.diff(counts.list_starts))
    is_truth = counts.labels < table.n_truths
    chances[task_of[is_truth], counts.labels[is_truth]] = posterior.listed[is_truth]
    known = np.flatnonzero(table.gold != NO_CLASS)
    chances[known, table.gold[known]] = 1.0
    chances[posterior.labels == NO_CLASS] = np.nan
    return chances


def sum_right(table: VoteTable, listed: FloatArray) -> FloatArray:
    """Per annotator [2, annotators]: the expected number of right votes, and the sum of p(1 − p) over the votes.

    Args:
        table: the votes.
        listed: the probability of every label that was voted for.
    """
    from regauge.labels.votes._kernels import sum_right as add

    sums = np.empty((2, table.n_annotators))
    add(table.counts.starts, table.annotators, table.counts.slots, listed, sums)
    return sums
