"""VERIFY: what the figures about a running campaign say of votes, of their annotators and of images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
from tests.verify.answers import find_votes

from regauge.arrays import BoolArray, CountArray
from regauge.kinds.usual import find_one_image, pick_none
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import CODE_OF, LedgerColumns, TaskColumns
from regauge.records.responses.quality import ImageAnswer
from regauge.responses.ledger import RowMemory
from regauge.responses.live.oddities import RULES, Oddity, add_common, describe_speed

HAS_MAIN = False
MIN_SECONDS = 0.5
"""To see an image and a word, and to press a key."""
make_memory = RowMemory
pick_doubtful = pick_none
find_images = find_one_image


def find_poor(tasks: TaskColumns, columns: LedgerColumns) -> BoolArray:
    """Who is in doubt, says nothing."""
    return np.asarray(find_votes(columns) == Verdict.UNCLEAR)


def find_bad(n_poor: CountArray, n_answers: CountArray) -> BoolArray:
    """Who is in doubt more often than not."""
    return 2 * n_poor > n_answers


def describe_bad(n_poor: int, n_answers: int) -> str:
    """That they are."""
    return f"Was in doubt in {n_poor:,} of {n_answers:,} answers, more than half."


def compare(tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, CountArray]:
    """Per answer, whether the others have a majority, and whether it is the same vote."""
    votes, is_counted = find_votes(columns), columns.statuses == CODE_OF[ResponseStatus.COUNTED]
    n, n_agreed = np.zeros(len(columns), np.int64), np.zeros(len(columns), np.int64)
    for row, task in enumerate(columns.tasks.tolist()):
        others = np.flatnonzero((columns.tasks == task) & is_counted & (np.arange(len(columns)) != row))
        counts = Counter(votes[others].tolist()).most_common(2)
        if counts and (len(counts) == 1 or counts[0][1] > counts[1][1]):
            n[row], n_agreed[row] = 1, counts[0][0] == votes[row]
    return n, n_agreed


def read_votes(tasks: TaskColumns, columns: LedgerColumns, *, row: int) -> dict[int, int]:
    """The one vote."""
    return {0: int(find_votes(columns)[row])}


def find_oddities(
    figures: AnnotatorFigures, answers: LedgerColumns, *, tasks: TaskColumns, orders: Mapping[int, int]
) -> list[tuple[Oddity, ...]]:
    """Who is too fast, and what is odd whatever the kind of task."""
    found: list[list[Oddity]] = [[] for _ in range(len(figures))]
    is_judged = figures.n_answers >= RULES.min_tasks
    describe_speed(figures.median_seconds, "task", floor=MIN_SECONDS, is_judged=is_judged, found=found)
    return add_common(figures, found)


def tell_answer(answer: ImageAnswer, *, name: Callable[[int], str]) -> tuple[str, str]:
    """The label, and whether it was said to be right."""
    return name(answer.asked[0]), "right" if answer.selected else "not right"


def list_asked(tasks: TaskColumns, *, task: int) -> tuple[int, ...]:
    """The one label."""
    return (int(tasks.items[tasks.starts[task]]),)


def read_image(tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:
    """The label, if it was said to be right."""
    is_right = find_votes(columns)[row] == Verdict.CORRECT
    return ImageVote(list_asked(tasks, task=int(columns.tasks[row])) if is_right else ())
