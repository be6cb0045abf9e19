"""CLASSIFY: what the figures about a running campaign say of labels, of their annotators and of images."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import bdtrc

from regauge.arrays import BoolArray, CountArray
from regauge.kinds.classify.task import find_places
from regauge.kinds.usual import find_one_image
from regauge.records.labels.classify import Flaw
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import COUNTED, NO_ITEM, REPEAT, LedgerColumns, TaskColumns
from regauge.records.responses.quality import ImageAnswer
from regauge.responses.classify_screening import find_ignored, judge_form
from regauge.responses.flags import SAME_ANSWER, SAME_POSITION
from regauge.responses.ledger import RowMemory
from regauge.responses.live.copies import find_copies
from regauge.responses.live.oddities import RULES, Oddity, add_common, describe_pairs, describe_speed, list_places
from regauge.stats.multiplicity import holm

HAS_MAIN = True
MIN_SECONDS = 1.0
"""A bound of ours, and a generous one: nobody looks at an image, decides between several labels and submits in less, task after
task. It only points to where to look; nobody is dropped by it."""


MAX_AGREEMENT = 0.75
"""Whoever names the others' main label more often than that does not take whatever stands at one place."""
MAX_PLACED = 40
"""So many answers of one person are looked at, the latest: that is plenty to tell."""
make_memory = RowMemory
find_images = find_one_image


def find_poor(tasks: TaskColumns, columns: LedgerColumns) -> BoolArray:  # noqa: ARG001 - the form of an answer tells
    """Which answers speak against their annotators: those of a form that screening ignores."""
    places = np.maximum(columns.mains, 0).astype(np.uint64)
    has_main = (columns.mains != NO_ITEM) & (columns.masks >> places & np.uint64(1) == 1)
    return np.asarray(judge_form(np.bitwise_count(columns.masks).astype(np.int64), has_main) != Flaw.NONE, np.bool_)


def find_bad(n_poor: CountArray, n_answers: CountArray) -> BoolArray:
    """Whom screening would ignore."""
    return find_ignored(n_poor, n_answers)


def describe_bad(n_poor: int, n_answers: int) -> str:
    """Why screening would ignore somebody, in a sentence."""
    return f"Selected no label in {n_poor:,} of {n_answers:,} answers, more than a third."


def compare(tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, CountArray]:
    """Per answer, whether others name a main label, and whether the most frequent one of theirs is the answer's.

    Of equally frequent ones the first that was named is theirs.
    """
    from regauge.responses.live._kernels import compare_mains, sort_by

    counts = columns.statuses == COUNTED
    found = compare_mains(*sort_by(columns.tasks, len(tasks)), columns.mains.astype(np.int32), counts)
    return found[0], found[1]


def read_votes(tasks: TaskColumns, columns: LedgerColumns, *, row: int) -> dict[int, int]:
    """The main label, by its class."""
    main = int(columns.mains[row])
    return {0: main if main == NO_ITEM else list_asked(tasks, task=int(columns.tasks[row]))[main]}


def pick_doubtful(figures: AnnotatorFigures, answers: LedgerColumns) -> CountArray:
    """The latest answers of those who name other main labels than the others do, or whom nobody can be compared with.

    Whoever always takes what stands at one place of a page agrees with the others by chance alone.
    """
    n_right, n = figures.agreement.n_right, figures.agreement.n
    is_doubtful = (figures.n_answers >= RULES.min_tasks) & (n_right <= MAX_AGREEMENT * n)
    rows = np.flatnonzero(is_doubtful[answers.annotators] & (answers.mains != NO_ITEM) & (answers.statuses != REPEAT))
    rows = rows[np.lexsort((-answers.ids[rows], answers.annotators[rows]))]
    annotators = answers.annotators[rows]
    is_latest = np.arange(rows.size) - np.searchsorted(annotators, annotators) < MAX_PLACED
    return np.asarray(answers.ids[rows[is_latest]], np.int64)


def find_oddities(
    figures: AnnotatorFigures, answers: LedgerColumns, *, tasks: TaskColumns, orders: Mapping[int, int]
) -> list[tuple[Oddity, ...]]:
    """Per annotator what is odd: flags of the names that grids have them by, and what all kinds have."""
    is_judged = figures.n_answers >= RULES.min_tasks
    found: list[list[Oddity]] = [[] for _ in range(len(figures))]
    describe_speed(figures.median_seconds, "task", floor=MIN_SECONDS, is_judged=is_judged, found=found)
    _describe_same(answers, tasks, is_judged, found)
    _describe_places(answers, tasks, orders, found)
    copies, _ = find_copies(answers, n_tasks=len(tasks), max_p=RULES.max_p, min_excess=RULES.min_excess)
    describe_pairs(copies, "images", found=found)
    return add_common(figures, found)


def tell_answer(answer: ImageAnswer, *, name: Callable[[int], str]) -> tuple[str, str]:
    """The labels that were selected, and the main one."""
    return ", ".join(map(name, answer.selected)) or "none", "–" if answer.main is None else name(answer.main)


def list_asked(tasks: TaskColumns, *, task: int) -> tuple[int, ...]:
    """The candidates that a task offers, by class."""
    return tuple(tasks.items[tasks.starts[task] : tasks.starts[task + 1]].tolist())


def read_image(tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:  # noqa: ARG001 - a task has one
    """The labels that were selected, and the main one."""
    asked = list_asked(tasks, task=int(columns.tasks[row]))
    mask, main = int(columns.masks[row]), int(columns.mains[row])
    selected = tuple(one for place, one in enumerate(asked) if mask >> place & 1)
    return ImageVote(selected, None if main == NO_ITEM else asked[main])


def _describe_same(columns: LedgerColumns, tasks: TaskColumns, is_judged: BoolArray, found: list[list[Oddity]]) -> None:
    """Who selects every candidate, or none, nearly always."""
    sizes = tasks.sizes[columns.tasks]
    # A task with one candidate leaves no other answers than all and none.
    is_open = (sizes > 1) & (columns.statuses != REPEAT)
    n_selected = np.bitwise_count(columns.masks)
    n = np.bincount(columns.annotators[is_open], minlength=len(is_judged))
    for what, where in (("every candidate", n_selected == sizes), ("no label", n_selected == 0)):
        n_same = np.bincount(columns.annotators[is_open & where], minlength=len(is_judged))
        for one in list_places(is_judged & (n > 0) & (n_same >= RULES.same_answer_share * n)):
            found[one].append(Oddity(SAME_ANSWER, f"Selects {what} in {n_same[one]:,} of {n[one]:,} answers."))


def _describe_places(
    columns: LedgerColumns, tasks: TaskColumns, orders: Mapping[int, int], found: list[list[Oddity]]
) -> None:
    """Who nearly always names the label at one and the same place of the page as the main one.

    Every page has an order of its own, so that the main label of an answer with m candidates is at any one place with the
    chance 1 / m. See `regauge.responses.flags` for the bound.
    """
    rows = np.flatnonzero(np.isin(columns.ids, np.fromiter(orders, np.int64, len(orders))))
    sizes, mains = tasks.sizes[columns.tasks[rows]], columns.mains[rows]
    places = np.array(
        [
            find_places(size, orders[number]).index(main)
            for number, size, main in zip(columns.ids[rows].tolist(), sizes.tolist(), mains.tolist(), strict=True)
        ],
        np.int64,
    )
    # One candidate stands nowhere else.
    is_open, n_places = sizes > 1, int(sizes.max(initial=1))
    annotators = columns.annotators[rows][is_open]
    counts = np.bincount(annotators * n_places + places[is_open], minlength=len(found) * n_places)
    most, best = counts.reshape(-1, n_places).max(axis=1), counts.reshape(-1, n_places).argmax(axis=1)
    n = np.bincount(annotators, minlength=len(found))
    chance = np.bincount(annotators, weights=1 / sizes[is_open], minlength=len(found)) / np.maximum(n, 1)
    p = np.where(n >= RULES.min_tasks, np.minimum(1, n_places * bdtrc(most - 1, n, chance)), np.nan)
    for one in list_places((holm(p) < RULES.max_p) & (most >= RULES.same_position_share * n)):
        often = f"{most[one]:,} of the latest {n[one]:,} answers that choose one of several"
        sentence = f"Names the label at position {best[one] + 1} as the main one in {often}, whatever is offered there."
        found[one].append(Oddity(SAME_POSITION, sentence))
