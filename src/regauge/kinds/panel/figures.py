"""PANEL: what the figures about a running campaign say of votes; panelists are not screened, for they argue instead."""

from __future__ import annotations

from collections.abc import Mapping

from regauge.campaigns.reviews.votes import N_VOTES, compare_verdicts, read_verdicts
from regauge.kinds.usual import (
    describe_nobody,
    find_nobody,
    find_none_poor,
    find_one_image,
    find_usual_oddities,
    pick_none,
    tell_selected,
)
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.figures import AnnotatorFigures, ImageVote
from regauge.records.responses.ledgers import LedgerColumns, TaskColumns
from regauge.responses.ledger import RowMemory
from regauge.responses.live.oddities import Oddity

HAS_MAIN = False
MIN_SECONDS = 1.0
"""To see an image, to read a label and to press a key."""
make_memory = RowMemory
compare = compare_verdicts
read_votes = read_verdicts
find_poor = find_none_poor
find_bad = find_nobody
describe_bad = describe_nobody
pick_doubtful = pick_none
find_images = find_one_image
tell_answer = tell_selected


def find_oddities(
    figures: AnnotatorFigures,
    answers: LedgerColumns,  # noqa: ARG001 - the figures tell
    *,
    tasks: TaskColumns,  # noqa: ARG001 - the figures tell
    orders: Mapping[int, int],  # noqa: ARG001 - none was asked for
) -> list[tuple[Oddity, ...]]:
    """Who is too fast, and what is odd whatever the kind of task."""
    return find_usual_oddities(figures, floor=MIN_SECONDS)


def list_asked(tasks: TaskColumns, *, task: int) -> tuple[int, ...]:
    """The predictions that a task asks about."""
    return tuple(tasks.items[tasks.starts[task] : tasks.starts[task + 1] : N_VOTES].tolist())


def read_image(tasks: TaskColumns, columns: LedgerColumns, *, row: int, image: int) -> ImageVote | None:  # noqa: ARG001 - there is one
    """The predictions that were found correct."""
    asked = list_asked(tasks, task=int(columns.tasks[row]))
    votes = read_votes(tasks, columns, row=row)
    correct = tuple(one for place, one in enumerate(asked) if votes.get(place) == Verdict.CORRECT)
    return ImageVote(correct, judged=tuple(one for place, one in enumerate(asked) if place in votes))
