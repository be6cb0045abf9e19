"""LABEL: one image; whoever is asked names one class out of all (Shankar et al. 2020, §4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from regauge.campaigns.locks import LOCKED, TOLD
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.records.campaigns.campaign import NOTHING_SHOWN, Payload, is_report

VERSION = 1
_PREVIEWED = (0, 13)
"""The drawn pictures that previews show."""
_ANY = 100_000
"""Classes that the answer to a preview may be one of; nobody keeps it."""


def make_label_task(image: int, *, n_classes: int, is_lesson: bool = False) -> Payload:
    """The task of an image: which of so many classes is it? It says nothing of the source, nor of what is right.

    Whoever is trained is told after the answer, which then stays as it is.
    """
    lesson = {LOCKED: TOLD} if is_lesson else {}
    return {"version": VERSION, "image": int(image), "n_classes": int(n_classes), **lesson}


def make_previews(shown: Sequence[int]) -> tuple[Payload, ...]:  # noqa: ARG001 - no class is offered
    """Two pictures."""
    return tuple(make_label_task(picture, n_classes=_ANY) for picture in _PREVIEWED)


def list_images(task: Payload) -> list[int]:
    """The one image."""
    return [task["image"]]


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


def find_not_shown(task: Payload, answer: Payload) -> list[int]:
    """The one image, if it was not shown."""
    return list_images(task) if is_report(answer) else []


def is_unseen(task: Payload, answer: Payload) -> bool:  # noqa: ARG001 - there are no controls
    """Never: whoever was shown the image saw all there is."""
    return False


def remove_images(task: Payload, images: Collection[int]) -> Payload | None:
    """The task, if its image stays."""
    return None if task["image"] in images else task


def arrange(answer: Payload, *, task: Payload, order: int) -> Payload:  # noqa: ARG001 - nothing was in any order
    """The answer as it is."""
    return answer


def is_right(task: Payload, answer: Payload) -> bool:
    """Never asked: there is no quiz. In training the dataset and a label set say what is right."""
    raise NotImplementedError


def shuffle(task: Payload, *, order: int) -> Payload:  # noqa: ARG001 - there is nothing to shuffle
    """The task as it is."""
    return task
