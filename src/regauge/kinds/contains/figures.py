"""CONTAINS: what the figures about a running campaign say of answers to grids, of their annotators and of images."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.kinds.usual import pick_none
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.responses.answers import ContainsResponses, Control, Grids
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import COUNTED, STATUSES, LedgerColumns, TaskColumns
from regauge.records.responses.quality import ImageAnswer
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.flags import (
    LONG_RUNS,
    SAME_ANSWER,
    SAME_PATTERN,
    SAME_POSITION,
    Flags,
    count_places,
    find_flags,
)
from regauge.responses.grids import fill_grids, find_places, make_grids
from regauge.responses.ledger import Ledger
from regauge.responses.live.oddities import RULES as FLAG_RULES
from regauge.responses.live.oddities import Oddity, add_common, describe_pairs, describe_speed, list_places
from regauge.responses.marks import count_controls, mark_items
from regauge.responses.screening import find_dropped
from regauge.responses.screening import find_poor as find_poor_controls

HAS_MAIN = False
pick_doubtful = pick_none
MIN_SECONDS = FLAG_RULES.min_seconds
"""Per image; the reason stands beside `MIN_SECONDS_PER_IMAGE`."""
RULES = ScreeningRules()
"""When an annotator should be dropped (Tsipras et al. 2020, appendix B.1.2)."""
WORK = tuple(status for status in STATUSES if status is not ResponseStatus.REPEAT)


class GridMemory:
    """The grids of a ledger, which are made once: they are many, and new ones are hidden repeats as a rule."""

    def __init__(self) -> None:
        self._n_tasks = -1
        self._grids: Grids | None = None
        self._places: IntArray = np.zeros(0, np.int32)

    def copy_answers(self, ledger: Ledger, *, statuses: tuple[ResponseStatus, ...] = WORK) -> ContainsResponses:
        """The answers as they are now but those to hidden repeats; images, tasks and annotators go by their numbers.

        Args:
            ledger: the answers.
            statuses: those that are wanted.
        """
        columns = ledger.columns
        grids = self._get_grids(ledger.tasks)
        names = columns.annotator_ids.astype(np.str_)
        return fill_grids(grids, columns.keep(columns.find_rows(statuses)), places=self._places, annotators=names)

    def _get_grids(self, tasks: TaskColumns) -> Grids:
        if self._grids is None or self._n_tasks != len(tasks):
            if self._grids is None or len(self._grids) != int(tasks.is_work.sum()):
                self._grids = make_grids(tasks)
            self._places, self._n_tasks = find_places(tasks), len(tasks)
        return self._grids


def make_memory() -> GridMemory:
    """A memory that makes the grids of the tasks once."""
    return GridMemory()


def find_poor(tasks: TaskColumns, columns: LedgerColumns) -> BoolArray:
    """Which answers speak against their annotators: most positive controls missed."""
    n_positive, n_selected = count_controls(tasks, columns, control=Control.POSITIVE)
    return find_poor_controls(n_selected, n_positive, rules=RULES)


def find_bad(n_poor: CountArray, n_answers: CountArray) -> BoolArray:
    """Whom the screening rules would drop."""
    return find_dropped(n_poor, n_answers, rules=RULES)


def describe_bad(n_poor: int, n_answers: int) -> str:
    """Why the screening rules would drop somebody, in a sentence."""
    return (
        f"Selected less than {100 * RULES.annotator_controls:g}% of the positive controls on {n_poor:,} of {n_answers:,} "
        "tasks."
    )


def compare(tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, CountArray]:
    """Per answer, the cells that are not controls on which the others have a majority, and those on which it is theirs."""
    from regauge.responses.live._kernels import compare_cells, sort_by

    judged = mark_items(tasks.starts, tasks.controls, control=Control.NONE)
    counts = columns.statuses == COUNTED
    found = compare_cells(*sort_by(columns.tasks, len(tasks)), (columns.masks, ~columns.not_shown), counts, judged)
    return found[0], found[1]


def read_votes(tasks: TaskColumns, columns: LedgerColumns, *, row: int) -> dict[int, int]:
    """What an answer says of each image of its grid that was shown."""
    images = _list_images(tasks, int(columns.tasks[row]))
    mask, not_shown = int(columns.masks[row]), int(columns.not_shown[row])
    return {image: mask >> cell & 1 for cell, image in enumerate(images) if not not_shown >> cell & 1}


def find_oddities(
    figures: AnnotatorFigures,
    answers: ContainsResponses,
    *,
    tasks: TaskColumns,  # noqa: ARG001 - the answers know them
    orders: Mapping[int, int],  # noqa: ARG001 - none was asked for
) -> list[tuple[Oddity, ...]]:
    """Per annotator what is odd: what would be in a finished campaign, see `regauge.responses.flags`, and what all kinds have."""
    found: list[list[Oddity]] = [[] for _ in range(len(figures))]
    if len(answers):
        _describe_grids(answers, find_flags(answers, rules=FLAG_RULES), found)
    return add_common(figures, found)


def tell_answer(answer: ImageAnswer, *, name: Callable[[int], str]) -> tuple[str, str]:
    """The class that was asked for, and whether it was selected."""
    return ", ".join(map(name, answer.asked)), "yes" if answer.selected else "no"


def find_images(tasks: TaskColumns) -> tuple[CountArray, IntArray]:
    """The cells of the grids: which task shows which image."""
    return np.repeat(np.arange(len(tasks)), tasks.sizes), tasks.items


def list_asked(tasks: TaskColumns, *, task: int) -> tuple[int, ...]:
    """The one class that a grid asks for."""
    return (int(tasks.subjects[task]),)


def read_image(tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:
    """Whether the cell of the image was selected; None where it was not shown."""
    task = int(columns.tasks[row])
    cell = _list_images(tasks, task).index(image)
    if int(columns.not_shown[row]) >> cell & 1:
        return None
    selected = list_asked(tasks, task=task) if int(columns.masks[row]) >> cell & 1 else ()
    return ImageVote(selected, control=Control(tasks.controls[tasks.starts[task] + cell]))


def _list_images(tasks: TaskColumns, task: int) -> list[int]:
    images: list[int] = tasks.items[tasks.starts[task] : tasks.starts[task + 1]].tolist()
    return images


def _describe_grids(responses: ContainsResponses, flags: Flags, found: list[list[Oddity]]) -> None:
    n_answers = np.bincount(responses.response_annotators, minlength=len(found))
    is_judged = n_answers >= FLAG_RULES.min_tasks
    describe_speed(flags.seconds_per_image, "image", floor=MIN_SECONDS, is_judged=is_judged, found=found)
    for name in (SAME_ANSWER, SAME_POSITION, SAME_PATTERN, LONG_RUNS):
        for one in list_places(flags.is_flagged[name]):
            found[one].append(Oddity(name, _describe_pattern(responses, one, name)))
    describe_pairs(flags.agreements, "cells", found=found)


def _describe_pattern(responses: ContainsResponses, annotator: int, name: str) -> str:
    rows = np.flatnonzero(responses.response_annotators == annotator)
    masks = responses.masks[rows]
    sizes = np.diff(responses.grids.starts)[responses.response_grids[rows]]
    n_selected = np.bitwise_count(masks).astype(np.int64)
    if name == SAME_ANSWER:
        n_all, n_none = int((n_selected == sizes).sum()), int((n_selected == 0).sum())
        what, n = ("every image", n_all) if n_all >= n_none else ("no image", n_none)
        return f"Selects {what} in {n:,} of {rows.size:,} answers."
    if name == SAME_POSITION:
        places = count_places(masks, sizes, annotators=np.zeros(rows.size, np.int64), n_annotators=1)
        counts = places.counts[0]
        often = f"{counts.max():,} of {places.n_mixed[0]:,} answers that select some"
        return f"Selects the image at position {counts.argmax() + 1} in {often}, whatever the grid shows."
    if name == SAME_PATTERN:
        n = int(np.unique(np.stack([masks, sizes.astype(np.uint64)]), axis=1, return_counts=True)[1].max())
        return f"Selects the same cells in {n:,} of {rows.size:,} answers, whatever the grid shows."
    inner = np.uint64(2**63 - 1) >> (np.uint64(64) - sizes.astype(np.uint64))
    is_mixed = (n_selected > 0) & (n_selected < sizes)
    n_runs = 1 + np.bitwise_count((masks ^ (masks >> np.uint64(1))) & inner)[is_mixed].astype(np.int64)
    expected = 1 + 2 * n_selected[is_mixed] * (sizes - n_selected)[is_mixed] / sizes[is_mixed]
    return (
        f"Equal answers lie together in {int(n_runs.sum()):,} runs, where random places would give "
        f"{expected.sum():,.0f}."
    )
