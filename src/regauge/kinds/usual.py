"""What most kinds of task say alike: tasks of one image, nothing to shuffle, no quiz, nobody who is screened.

A kind names what it takes, as in `shuffle = keep_task`; see `contract` for what each function says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.records.campaigns.campaign import CampaignPlan, Payload, is_report
from regauge.records.responses.figures import AnnotatorFigures
from regauge.records.responses.ledgers import LedgerColumns, TaskColumns
from regauge.records.responses.quality import ImageAnswer
from regauge.responses.live.oddities import RULES, Oddity, add_common, describe_speed

# `task.py`


def list_image(task: Payload) -> list[int]:
    """The one image of a task that names it as `image`."""
    return [task["image"]]


def list_shown(task: Payload) -> list[int]:
    """The images of a task that names them as `images`."""
    return list(task["images"])


def remove_image(task: Payload, images: Collection[int]) -> Payload | None:
    """The task, if its image stays."""
    return None if task["image"] in images else task


def find_image_not_shown(task: Payload, answer: Payload) -> list[int]:
    """The one image, if it was not shown."""
    if not is_report(answer):
        return []
    return list_image(task) if "image" in task else list_shown(task)


def is_never_unseen(task: Payload, answer: Payload) -> bool:  # noqa: ARG001 - there are no controls
    """Never: whoever was shown the image saw all there is."""
    return False


def keep_answer(answer: Payload, *, task: Payload, order: int) -> Payload:  # noqa: ARG001 - the answer says what it is about
    """The answer as it is: nothing in it goes by the order of the page."""
    return answer


def keep_task(task: Payload, *, order: int) -> Payload:  # noqa: ARG001 - there is nothing to shuffle
    """The task as it is: it has no order, or every view has one of its own."""
    return task


def refuse_quiz(task: Payload, answer: Payload) -> bool:
    """Never asked: there is no quiz."""
    raise NotImplementedError


# `making.py`


def needs_none(plan: CampaignPlan, settings: Mapping[str, Any]) -> bool:  # noqa: ARG001 - there are neither controls nor lessons
    """Never: there are neither controls nor lessons, which would take images for known."""
    return False


def count_one(settings: Mapping[str, Any]) -> float:  # noqa: ARG001 - a task is taken as one
    """1: the time of a task goes with no number of items."""
    return 1.0


def tell_no_scale(n_items: float) -> str:  # noqa: ARG001 - a task is taken as one
    """No words: the time of a task goes with no number of items."""
    return ""


# `fields.py`


def suggest_nothing(plan: CampaignPlan) -> dict[str, Any]:  # noqa: ARG001 - the defaults suit every campaign
    """Nothing: the defaults suit every campaign."""
    return {}


# `figures.py`


def find_none_poor(tasks: TaskColumns, columns: LedgerColumns) -> BoolArray:  # noqa: ARG001 - nothing tells
    """None: no answer speaks against whoever gave it."""
    return np.zeros(len(columns), np.bool_)


def find_nobody(n_poor: CountArray, n_answers: CountArray) -> BoolArray:  # noqa: ARG001 - nobody is screened
    """Nobody: people are not screened."""
    return np.zeros(len(n_answers), np.bool_)


def describe_nobody(n_poor: int, n_answers: int) -> str:  # noqa: ARG001 - nobody is bad
    """Nothing: nobody is bad."""
    return ""


def pick_none(figures: AnnotatorFigures, answers: LedgerColumns) -> CountArray:  # noqa: ARG001 - none of them
    """No answer: it says the same wherever on the page things stand."""
    return np.zeros(0, np.int64)


def find_one_image(tasks: TaskColumns) -> tuple[CountArray, IntArray]:
    """Every task with its one image."""
    return np.arange(len(tasks)), tasks.subjects


def tell_selected(answer: ImageAnswer, *, name: Callable[[int], str]) -> tuple[str, str]:
    """Of what was asked about, what was selected, and what was not."""
    others = [one for one in answer.asked if one not in answer.selected]
    return ", ".join(map(name, answer.selected)) or "none", ", ".join(map(name, others)) or "none"


def find_usual_oddities(
    figures: AnnotatorFigures, describe: Callable[[BoolArray, list[list[Oddity]]], None] | None = None, *, floor: float
) -> list[tuple[Oddity, ...]]:
    """Per annotator whether they are too fast, what else a kind finds, and what is odd whatever the kind of task.

    Args:
        figures: what is known of every annotator.
        describe: adds to what was found what the kind finds, for those with enough answers to be judged.
        floor: seconds for a task below which nobody has looked.
    """
    found: list[list[Oddity]] = [[] for _ in range(len(figures))]
    is_judged = figures.n_answers >= RULES.min_tasks
    describe_speed(figures.median_seconds, "task", floor=floor, is_judged=is_judged, found=found)
    if describe is not None:
        describe(is_judged, found)
    return add_common(figures, found)
