"""PANEL: what the figures about a running campaign say of votes; panelists are not screened, for they argue instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.campaigns.reviews.votes import N_VOTES, find_pair_numbers, list_votes
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import COUNTED, LedgerColumns, TaskColumns
from regauge.records.responses.quality import ImageAnswer
from regauge.responses.ledger import RowMemory
from regauge.responses.live.oddities import RULES, Oddity, add_common, describe_speed

HAS_MAIN = False
MIN_SECONDS = 1.0
"""To see an image, to read a label and to press a key."""


def make_memory() -> RowMemory:
    """A memory that copies the rows of the ledger and keeps nothing."""
    return RowMemory()


def find_poor(tasks: TaskColumns, columns: LedgerColumns) -> BoolArray:  # noqa: ARG001 - none is
    """No answer speaks against a panelist."""
    return np.zeros(len(columns), np.bool_)


def find_bad(n_poor: CountArray, n_answers: CountArray) -> BoolArray:  # noqa: ARG001 - nobody is
    """Nobody is left out."""
    return np.zeros(len(n_poor), np.bool_)


def describe_bad(n_poor: int, n_answers: int) -> str:  # noqa: ARG001 - nobody is
    """Nothing: nobody is left out."""
    return ""


def compare(tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, CountArray]:
    """Per answer, predictions on which the others have one most frequent vote, and those on which the answer has it too."""
    votes = list_votes(columns)
    pairs = find_pair_numbers(tasks, columns, votes=votes)
    table = np.zeros((len(tasks.items) // N_VOTES, N_VOTES), np.int64)
    is_counted = (columns.statuses == COUNTED)[votes.rows]
    np.add.at(table, (pairs[is_counted], votes.verdicts[is_counted]), 1)
    others = table[pairs]
    others[np.arange(len(pairs)), votes.verdicts] -= is_counted
    most = others.max(axis=1, initial=0)
    has_most = (most > 0) & ((others == most[:, np.newaxis]).sum(axis=1) == 1)
    is_theirs = has_most & (others[np.arange(len(pairs)), votes.verdicts] == most)
    n = np.bincount(votes.rows[has_most], minlength=len(columns))
    return n, np.bincount(votes.rows[is_theirs], minlength=len(columns))


def read_votes(tasks: TaskColumns, columns: LedgerColumns, *, row: int) -> dict[int, int]:  # noqa: ARG001 - the mask tells
    """The vote on each prediction of the task, by its place."""
    votes = list_votes(columns.keep(np.array([row])))
    return dict(zip(votes.places.tolist(), votes.verdicts.tolist(), strict=True))


def pick_doubtful(figures: AnnotatorFigures, answers: LedgerColumns) -> CountArray:  # noqa: ARG001 - none of them
    """No answer: a vote is the same wherever its prediction stands."""
    return np.zeros(0, np.int64)


def find_oddities(
    figures: AnnotatorFigures,
    answers: LedgerColumns,  # noqa: ARG001 - the figures tell
    *,
    tasks: TaskColumns,  # noqa: ARG001 - the figures tell
    orders: Mapping[int, int],  # noqa: ARG001 - none was asked for
) -> list[tuple[Oddity, ...]]:
    """Who is too fast, and what is odd whatever the kind of task."""
    found: list[list[Oddity]] = [[] for _ in range(len(figures))]
    is_judged = figures.n_answers >= RULES.min_tasks
    describe_speed(figures.median_seconds, "task", floor=MIN_SECONDS, is_judged=is_judged, found=found)
    return add_common(figures, found)


def tell_answer(answer: ImageAnswer, *, name: Callable[[int], str]) -> tuple[str, str]:
    """The predictions that were found correct, and those that were not."""
    others = [one for one in answer.asked if one not in answer.selected]
    return ", ".join(map(name, answer.selected)) or "none", ", ".join(map(name, others)) or "none"


def find_images(tasks: TaskColumns) -> tuple[CountArray, IntArray]:
    """Every task with its image."""
    return np.arange(len(tasks)), tasks.subjects


def list_asked(tasks: TaskColumns, *, task: int) -> tuple[int, ...]:
    """The predictions that a task asks about."""
    return tuple(tasks.items[tasks.starts[task] : tasks.starts[task + 1] : N_VOTES].tolist())


def read_image(tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:  # noqa: ARG001 - there is one
    """The predictions that were found correct."""
    asked = list_asked(tasks, task=int(columns.tasks[row]))
    votes = read_votes(tasks, columns, row=row)
    correct = tuple(one for place, one in enumerate(asked) if votes.get(place) == Verdict.CORRECT)
    return ImageVote(correct, judged=tuple(one for place, one in enumerate(asked) if place in votes))
