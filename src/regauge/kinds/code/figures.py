"""CODE: what the figures about a running campaign say of codes, of coders and of images. Nobody is screened by them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from regauge.arrays import BoolArray, CountArray
from regauge.kinds.code.answers import find_classes, find_overturning
from regauge.kinds.code.task import SEVERITY_WORDS
from regauge.kinds.usual import (
    describe_nobody,
    find_nobody,
    find_none_poor,
    find_one_image,
    find_usual_oddities,
    pick_none,
    tell_selected,
)
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import COUNTED, REPEAT, LedgerColumns, TaskColumns
from regauge.responses.flags import SAME_ANSWER
from regauge.responses.ledger import RowMemory
from regauge.responses.live.oddities import RULES, Oddity, list_places

HAS_MAIN = False
MIN_SECONDS = 2.0
"""To see an image, to read what was predicted, and to press three keys."""
make_memory = RowMemory
find_poor = find_none_poor
find_bad = find_nobody
describe_bad = describe_nobody
pick_doubtful = pick_none
find_images = find_one_image
tell_answer = tell_selected


def compare(tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, CountArray]:
    """Per answer, whether most others say one thing, that it is a mistake or that it is none, and whether it says the same."""
    is_gone, is_counted = find_overturning(columns), columns.statuses == COUNTED
    table = np.zeros((len(tasks), 2), np.int64)
    np.add.at(table, (columns.tasks[is_counted], is_gone[is_counted].astype(np.int64)), 1)
    others = table[columns.tasks]
    others[np.arange(len(columns)), is_gone.astype(np.int64)] -= is_counted
    has_most = others[:, 0] != others[:, 1]
    is_theirs = has_most & ((others[:, 1] > others[:, 0]) == is_gone)
    return has_most.astype(np.int64), is_theirs.astype(np.int64)


def read_votes(tasks: TaskColumns, columns: LedgerColumns, *, row: int) -> dict[int, int]:  # noqa: ARG001 - the mask tells
    """The severity or the reason, by its bit."""
    return {0: int(columns.masks[row]).bit_length() - 1}


def find_oddities(
    figures: AnnotatorFigures,
    answers: LedgerColumns,
    *,
    tasks: TaskColumns,  # noqa: ARG001 - the answers tell
    orders: Mapping[int, int],  # noqa: ARG001 - none was asked for
) -> list[tuple[Oddity, ...]]:
    """Who is too fast, who nearly always says the same, and what is odd whatever the kind of task."""
    return find_usual_oddities(figures, partial(_describe_same, answers), floor=MIN_SECONDS)


def list_asked(tasks: TaskColumns, *, task: int) -> tuple[int, ...]:
    """The class that was answered."""
    return (int(find_classes(tasks)[task]),)


def read_image(tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:  # noqa: ARG001 - a task has one
    """The class that was answered, if it is right after all."""
    asked = list_asked(tasks, task=int(columns.tasks[row]))
    return ImageVote(asked if find_overturning(columns)[row] else ())


def _describe_same(columns: LedgerColumns, is_judged: BoolArray, found: list[list[Oddity]]) -> None:
    """Who gives one severity, or overturns, nearly always."""
    rows = np.flatnonzero(columns.statuses != REPEAT)
    owners, is_gone = columns.annotators[rows], find_overturning(columns)[rows]
    n = np.bincount(owners, minlength=len(is_judged))
    said = {word: columns.masks[rows] == np.uint64(1 << bit) for bit, word in enumerate(SEVERITY_WORDS)}
    for word, is_one in {**said, "no mistake": is_gone}.items():
        n_same = np.bincount(owners[is_one], minlength=len(is_judged))
        for one in list_places(is_judged & (n > 0) & (n_same >= RULES.same_answer_share * n)):
            words = f"Calls {n_same[one]:,} of {n[one]:,} mistakes {word}."
            found[one].append(Oddity(SAME_ANSWER, words))
