"""Votes that count: tasks with enough of them, the answers that can be true first, and the labels that are known."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IdArray, IntArray
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.labels.votes.tables import VoteTable, make_vote_table
from regauge.records.labels.votes import GoldLabels, VoteSettings
from regauge.records.responses.votes import Votes
from regauge.stats.agreement.tables import AnswerCounts

N_ANSWERS_NAMED = 10
"""A sentence that lists answers names so many of them."""


class Campaign(NamedTuple):
    """Votes that count: those of tasks with enough of them, with the labels that are known.

    Attributes:
        task_ids: the tasks, in the order of first appearance.
        annotator_ids: the annotators, likewise.
        labels: the answers, those that can be true first.
        table: the votes by these numbers.
        notes: what was found, a sentence each.
    """

    task_ids: IdArray
    annotator_ids: IdArray
    labels: IdArray
    table: VoteTable
    notes: tuple[str, ...]

    @property
    def comparable(self) -> AnswerCounts:
        """The votes that are truths, in the order of `table.decided.annotators`: what annotators can agree on."""
        return replace(self.table.decided.counts, order=None)

    @property
    def n_abstained(self) -> CountArray:
        """Per task, the votes that are no truth."""
        return self.table.counts.n_votes_by_task - self.table.decided.counts.n_votes_by_task

    @property
    def truths(self) -> list[str]:
        """The answers that can be true of a task."""
        return [str(label) for label in self.labels[: self.table.n_truths]]


def prepare_campaign(votes: Votes, gold: GoldLabels | None, *, settings: VoteSettings) -> Campaign:
    """Choose and number the votes that count.

    Raises:
        InputError: no task has enough votes, a truth is not an answer, a known label is not truth, or no vote is a truth.
    """
    n_by_task = np.bincount(votes.tasks, minlength=len(votes.task_ids))
    is_kept = n_by_task >= settings.min_votes
    if not is_kept.any():
        raise InputError(
            f"No task has {count_things(settings.min_votes, 'vote')}; the most is {n_by_task.max():,}; lower `min_votes=…`."
        )
    counted = is_kept[votes.tasks]
    tasks, task_ids = _renumber(votes.tasks[counted], votes.task_ids)
    annotators, annotator_ids = _renumber(votes.annotators[counted], votes.annotator_ids)
    notes = []
    if not is_kept.all():
        n_left = len(is_kept) - len(task_ids)
        notes.append(
            f"{n_left:,} of {len(is_kept):,} tasks have fewer than {settings.min_votes:,} votes and are left out."
        )
    known_of = {} if gold is None else _match_gold(task_ids, gold)
    notes += [] if gold is None else _describe_gold(len(task_ids), len(gold), len(known_of))
    labels, answers = _put_truths_first(votes, list(known_of.values()), settings.truths)
    n_truths = len(labels) if settings.truths is None else len(settings.truths)
    table = make_vote_table(
        tasks,
        answers[counted],
        annotators=annotators,
        sizes=(len(task_ids), len(annotator_ids), len(labels), n_truths),
        gold=None if gold is None else _number_known(task_ids, labels, known_of),
    )
    if not table.decided.n_votes:
        raise InputError(
            f"No vote that counts is one of the truths {list_answers(labels[:n_truths])}, so nothing tells them apart."
        )
    return Campaign(task_ids, annotator_ids, labels, table, tuple(notes))


def _renumber(codes: IntArray, texts: IdArray) -> tuple[IntArray, IdArray]:
    """The codes without gaps, and the texts that occur; the order stays."""
    is_used = np.bincount(codes, minlength=len(texts)) > 0
    if is_used.all():
        return codes, texts
    return (np.cumsum(is_used) - 1).astype(np.int32)[codes], texts[is_used]


def _put_truths_first(votes: Votes, known: list[str], truths: tuple[str, ...] | None) -> tuple[IdArray, IntArray]:
    """The answers with the truths first, and per vote the number of its answer among them."""
    given = votes.labels.tolist()
    if truths is None:
        return np.array(list(dict.fromkeys([*given, *known]))), votes.answers
    missing = [truth for truth in truths if truth not in given and truth not in known]
    if missing:
        raise InputError(
            f"Nobody answered {missing[0]!r}, which is named as a truth; the answers are {list_answers(votes.labels)}."
        )
    strange = [label for label in known if label not in truths]
    if strange:
        raise InputError(
            f"The known label {strange[0]!r} is none of the truths {', '.join(truths)}; a known label is a truth."
        )
    labels = list(dict.fromkeys([*truths, *given]))
    place_of = {label: place for place, label in enumerate(labels)}
    return np.array(labels), np.array([place_of[label] for label in given], np.int32)[votes.answers]


def _match_gold(task_ids: IdArray, gold: GoldLabels) -> dict[str, str]:
    """The known labels of tasks with votes that count."""
    tasks = set(task_ids.tolist())
    pairs = zip(gold.task_ids.tolist(), gold.labels.tolist(), strict=True)
    found = {task: label for task, label in pairs if task in tasks}
    if not found:
        raise InputError(
            f"None of the {len(gold):,} tasks with a known label has a vote, the first being {str(gold.task_ids[0])!r}; "
            "check that the two files call tasks the same."
        )
    return found


def _number_known(task_ids: IdArray, labels: IdArray, known_of: dict[str, str]) -> IntArray:
    code_of = {label: code for code, label in enumerate(labels.tolist())}
    known = [code_of[known_of[task]] if task in known_of else NO_CLASS for task in task_ids.tolist()]
    return np.array(known, np.int32)


def _describe_gold(n_tasks: int, n_gold: int, n_matched: int) -> list[str]:
    found = [f"{n_matched:,} of {n_tasks:,} tasks have a known label, which is kept whatever the votes."]
    if n_matched < n_gold:
        found.append(f"{count_things(n_gold - n_matched, 'task')} with a known label left out: no vote counts.")
    return found


def list_answers(labels: IdArray) -> str:
    """The first answers, and how many more there are."""
    named = ", ".join(str(label) for label in labels[:N_ANSWERS_NAMED])
    return named if len(labels) <= N_ANSWERS_NAMED else f"{named} and {len(labels) - N_ANSWERS_NAMED:,} more"
