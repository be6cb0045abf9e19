"""LABEL: what the figures about a running campaign say of answers, of the people who gave them, and of images.

They are for managers alone. Nobody is dropped by them: whoever names rare classes may be the only one who knows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from regauge.arrays import BoolArray, CountArray
from regauge.kinds.label.answers import find_named
from regauge.kinds.usual import (
    describe_nobody,
    find_nobody,
    find_none_poor,
    find_one_image,
    find_usual_oddities,
    pick_none,
)
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import COUNTED, REPEAT, LedgerColumns, TaskColumns
from regauge.records.responses.quality import ImageAnswer
from regauge.responses.flags import SAME_ANSWER
from regauge.responses.ledger import RowMemory
from regauge.responses.live.oddities import RULES, Oddity, list_places

HAS_MAIN = False
MIN_SECONDS = 1.0
"""To see an image, to type some letters and to press Enter twice."""
ODD_TIMES = "odd-times"
make_memory = RowMemory
find_poor = find_none_poor
find_bad = find_nobody
describe_bad = describe_nobody
pick_doubtful = pick_none
find_images = find_one_image


def compare(tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, CountArray]:  # noqa: ARG001 - columns tell
    """Per answer, whether the others name one class most often, and whether it is the same."""
    named, n = find_named(columns).astype(np.int64), len(columns)
    if not n:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    n_classes = int(named.max()) + 1
    keys, votes = np.unique(columns.tasks.astype(np.int64) * n_classes + named, return_inverse=True)
    counts = np.bincount(votes, weights=columns.statuses == COUNTED, minlength=len(keys)).astype(np.int64)
    starts = np.searchsorted(keys, columns.tasks.astype(np.int64) * n_classes)
    ends = np.searchsorted(keys, (columns.tasks.astype(np.int64) + 1) * n_classes)
    has_most, is_theirs = np.zeros(n, np.int64), np.zeros(n, np.int64)
    # An image has as many different answers as people at most, so that few steps look at all of them.
    most, second, own = np.full(n, -1), np.full(n, -1), counts[votes] - (columns.statuses == COUNTED)
    for step in range(int((ends - starts).max())):
        at = np.minimum(starts + step, ends - 1)
        count = np.where(at == votes, own, counts[at])
        count = np.where(starts + step < ends, count, -1)
        second = np.maximum(second, np.minimum(most, count))
        most = np.maximum(most, count)
    is_clear = (most > 0) & (most > second)
    has_most[is_clear] = 1
    is_theirs[is_clear & (own == most)] = 1
    return has_most, is_theirs


def read_votes(tasks: TaskColumns, columns: LedgerColumns, *, row: int) -> dict[int, int]:  # noqa: ARG001 - the mask tells
    """The class that was named."""
    return {0: int(columns.masks[row]) - 1}


def find_oddities(
    figures: AnnotatorFigures,
    answers: LedgerColumns,
    *,
    tasks: TaskColumns,  # noqa: ARG001 - the answers tell
    orders: Mapping[int, int],  # noqa: ARG001 - none was asked for
) -> list[tuple[Oddity, ...]]:
    """Who is too fast, who always names one class, whose times are flagged, and what is odd whatever the kind of task."""
    return find_usual_oddities(figures, partial(_describe_more, answers), floor=MIN_SECONDS)


def tell_answer(answer: ImageAnswer, *, name: Callable[[int], str]) -> tuple[str, str]:
    """The class that was named, and whether it was changed."""
    return ", ".join(map(name, answer.selected)) or "none", "changed" if answer.is_revised else "–"


def list_asked(tasks: TaskColumns, *, task: int) -> tuple[int, ...]:  # noqa: ARG001 - all tasks are alike
    """No class in particular: any may be named."""
    return ()


def read_image(tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:  # noqa: ARG001 - a task has one
    """The class that was named."""
    named = int(columns.masks[row]) - 1
    return ImageVote(() if named < 0 else (named,))


def _describe_more(columns: LedgerColumns, is_judged: BoolArray, found: list[list[Oddity]]) -> None:
    _describe_same(columns, is_judged, found)
    _describe_times(columns, found)


def _describe_same(columns: LedgerColumns, is_judged: BoolArray, found: list[list[Oddity]]) -> None:
    """Who names one class nearly always."""
    rows = np.flatnonzero(columns.statuses != REPEAT)
    n = np.bincount(columns.annotators[rows], minlength=len(found))
    pairs, counts = np.unique(
        np.stack((columns.annotators[rows].astype(np.int64), columns.masks[rows].astype(np.int64))),
        axis=1,
        return_counts=True,
    )
    most = np.zeros(len(found), np.int64)
    np.maximum.at(most, pairs[0], counts)
    for one in list_places(is_judged & (n > 0) & (most >= RULES.same_answer_share * n)):
        found[one].append(Oddity(SAME_ANSWER, f"Names one class in {most[one]:,} of {n[one]:,} answers."))


def _describe_times(columns: LedgerColumns, found: list[list[Oddity]]) -> None:
    """Whose seconds from image to answer are flagged: a computer that slept, or a clock that was set. None is left out."""
    n = np.bincount(columns.annotators, minlength=len(found))
    n_odd = np.bincount(columns.annotators[columns.time_flags > 0], minlength=len(found))
    for one in list_places(n_odd > 0):
        found[one].append(
            Oddity(
                ODD_TIMES, f"The time of {n_odd[one]:,} of {n[one]:,} answers is flagged; the file of answers says why."
            )
        )
