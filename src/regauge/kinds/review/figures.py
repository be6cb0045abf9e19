"""REVIEW: what the figures about a running campaign say of verdicts, of reviewers and of images."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.campaigns.reviews.votes import compare_verdicts, read_verdicts
from regauge.kinds.review.answers import N_VOTES, find_controls, find_pairs, list_votes
from regauge.kinds.usual import find_usual_oddities, pick_none, tell_selected
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.answers import Control
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import REPEAT, LedgerColumns, TaskColumns
from regauge.responses.flags import SAME_ANSWER
from regauge.responses.ledger import RowMemory
from regauge.responses.live.oddities import RULES, Oddity, list_places

HAS_MAIN = False
MIN_SECONDS = 1.0
"""To see an image, to read a label and to press a key."""
MAX_UNCLEAR = 2 / 3
"""Who calls more than this share of their answers wholly unclear says next to nothing."""
_UNCLEAR = sum(1 << (N_VOTES * place + Verdict.UNCLEAR) for place in range(64 // N_VOTES))
make_memory = RowMemory
read_votes = read_verdicts
pick_doubtful = pick_none
tell_answer = tell_selected


def find_poor(tasks: TaskColumns, columns: LedgerColumns) -> BoolArray:  # noqa: ARG001 - the verdicts tell
    """Answers in which every verdict is unclear."""
    decided = columns.masks & ~np.uint64(_UNCLEAR)
    return np.asarray((columns.masks != 0) & (decided == 0), np.bool_)


def find_bad(n_poor: CountArray, n_answers: CountArray) -> BoolArray:
    """Who decides nothing in more than two answers of three."""
    return np.asarray(n_poor > MAX_UNCLEAR * n_answers, np.bool_)


def describe_bad(n_poor: int, n_answers: int) -> str:
    """Why screening would leave somebody out, in a sentence."""
    return f"Called everything unclear in {n_poor:,} of {n_answers:,} answers, more than two thirds."


def compare(tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, CountArray]:
    """Per answer, pairs on which the others have one most frequent verdict, and those on which the answer has it too; no gold."""
    return compare_verdicts(tasks, columns, is_known=find_controls(tasks) != Control.NONE)


def find_oddities(
    figures: AnnotatorFigures,
    answers: LedgerColumns,
    *,
    tasks: TaskColumns,  # noqa: ARG001 - the votes tell
    orders: Mapping[int, int],  # noqa: ARG001 - none was asked for
) -> list[tuple[Oddity, ...]]:
    """Who is too fast, who always says the same, and what is odd whatever the kind of task."""
    return find_usual_oddities(figures, partial(_describe_same, answers), floor=MIN_SECONDS)


def find_images(tasks: TaskColumns) -> tuple[CountArray, IntArray]:
    """Every task with its image, a grid with each of its images."""
    images, _ = find_pairs(tasks)
    owners = np.repeat(np.arange(len(tasks)), tasks.sizes // N_VOTES)
    # A task that asks what is missing may ask about no class.
    alone = np.flatnonzero(tasks.subjects >= 0)
    owners, images = np.append(owners, alone), np.append(images, tasks.subjects[alone])
    pairs = np.unique(np.stack((owners, images)), axis=1)
    return pairs[0], pairs[1].astype(np.int32)


def list_asked(tasks: TaskColumns, *, task: int) -> tuple[int, ...]:
    """The classes that a task asks about."""
    if tasks.subjects[task] < 0:
        return (int(-1 - tasks.subjects[task]),)
    return tuple(tasks.items[tasks.starts[task] : tasks.starts[task + 1] : N_VOTES].tolist())


def read_image(tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:
    """The classes of an image that were found correct; None where nothing was said of the image."""
    task = int(columns.tasks[row])
    items = tasks.items[tasks.starts[task] : tasks.starts[task + 1] : N_VOTES].tolist()
    votes = read_votes(tasks, columns, row=row)
    if tasks.subjects[task] < 0:
        place = items.index(image)
        is_right = votes.get(place) == Verdict.CORRECT
        return ImageVote(list_asked(tasks, task=task) if is_right else ()) if place in votes else None
    correct = tuple(one for place, one in enumerate(items) if votes.get(place) == Verdict.CORRECT)
    # Of what was skipped or referred, nothing was said.
    return ImageVote(correct, judged=tuple(one for place, one in enumerate(items) if place in votes))


def _describe_same(columns: LedgerColumns, is_judged: BoolArray, found: list[list[Oddity]]) -> None:
    """Who gives one verdict nearly always."""
    votes = list_votes(columns.keep(np.flatnonzero(columns.statuses != REPEAT)))
    owners = columns.annotators[np.flatnonzero(columns.statuses != REPEAT)][votes.rows]
    n = np.bincount(owners, minlength=len(is_judged))
    for verdict in Verdict:
        n_same = np.bincount(owners[votes.verdicts == verdict], minlength=len(is_judged))
        for one in list_places(is_judged & (n > 0) & (n_same >= RULES.same_answer_share * n)):
            words = f"Finds {n_same[one]:,} of {n[one]:,} labels {verdict.name.lower()}."
            found[one].append(Oddity(SAME_ANSWER, words))
