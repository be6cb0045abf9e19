"""LABEL: one image; whoever is asked names one class out of all (Shankar et al. 2020, §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regauge.campaigns.locks import LOCKED, TOLD
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.kinds.usual import (
    find_image_not_shown,
    is_never_unseen,
    keep_answer,
    keep_task,
    list_image,
    refuse_quiz,
    remove_image,
)
from regauge.records.campaigns.campaign import NOTHING_SHOWN, Payload, is_report

VERSION = 1
_PREVIEWED = (0, 13)
"""The drawn pictures that previews show."""
_ANY = 100_000
"""Classes that the answer to a preview may be one of; nobody keeps it."""
list_images = list_image
find_not_shown = find_image_not_shown
is_unseen = is_never_unseen
remove_images = remove_image
arrange = keep_answer
is_right = refuse_quiz
shuffle = keep_task


def make_label_task(image: int, *, n_classes: int, is_lesson: bool = False) -> Payload:
    """The task of an image: which of so many classes is it? It says nothing of the source, nor of what is right.

    Whoever is trained is told after the answer, which then stays as it is.
    """
    lesson = {LOCKED: TOLD} if is_lesson else {}
    return {"version": VERSION, "image": int(image), "n_classes": int(n_classes), **lesson}


def make_previews(shown: Sequence[int]) -> tuple[Payload, ...]:  # noqa: ARG001 - no class is offered
    """Two pictures."""
    return tuple(make_label_task(picture, n_classes=_ANY) for picture in _PREVIEWED)


def view(task: Payload, context: TaskContext) -> Mapping[str, Any]:  # noqa: ARG001 - the task says it all
    """Nothing but the image, and whether something is told after the answer."""
    return {"n_cells": 1, "is_lesson": task.get(LOCKED) == TOLD}


def describe_asked(task: Payload, context: TaskContext) -> Mapping[str, Any]:  # noqa: ARG001 - as `view`
    """Nothing: every image is asked about alike."""
    return {}


def parse(task: Payload, answer: Payload) -> Payload:
    """The class that was named."""
    if is_report(answer):
        return NOTHING_SHOWN
    named = answer.get("class")
    if not isinstance(named, int) or isinstance(named, bool):
        raise InputError("An answer names one class, by its number.")
    if not 0 <= named < task["n_classes"]:
        raise InputError(f"There is no class {named}; classes run from 0 to {task['n_classes'] - 1:,}.")
    return {"version": VERSION, "class": named}
