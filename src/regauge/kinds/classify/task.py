"""CLASSIFY: one image and its candidates; the annotator selects all valid labels and the main object's (Tsipras et al. 2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.kinds.usual import find_image_not_shown, is_never_unseen, keep_task, list_image, remove_image
from regauge.records.campaigns.campaign import NOTHING_SHOWN, Payload, is_report

VERSION = 1
MAX_CANDIDATES = 50
_PREVIEWED = (0, 13)
"""The drawn pictures that previews show."""
_OFFERED = (0, 1, 11, 12, 13)
"""Those whose classes they offer."""
list_images = list_image
find_not_shown = find_image_not_shown
is_unseen = is_never_unseen
remove_images = remove_image
shuffle = keep_task


def make_classify_task(image: int, candidates: Sequence[int]) -> Payload:
    """The task of an image, with its candidates by their numbers.

    As they are given, the dataset label is the first as a rule, and whoever knows how pages shuffle could turn that back. Sorted,
    their order says nothing that they do not say themselves, however few they are.

    Raises:
        InputError: there are no candidates, too many, or one twice.
    """
    if not 1 <= len(candidates) <= MAX_CANDIDATES:
        raise InputError(f"A task shows 1 to {MAX_CANDIDATES} candidates, not {len(candidates)}.")
    if len(set(candidates)) != len(candidates):
        raise InputError("A candidate is listed twice; labels of one image are distinct.")
    return {"version": VERSION, "image": int(image), "candidates": sorted(int(one) for one in candidates)}


def make_previews(shown: Sequence[int]) -> tuple[Payload, ...]:
    """Two pictures, each with the same candidates."""
    offered = sorted({shown[place] for place in _OFFERED})
    return tuple(make_classify_task(picture, offered) for picture in _PREVIEWED)


def view(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The candidates in an order of the annotator's own, so that no label is always first."""
    labels = [context.number_class(index) for index in _shuffle(task, context.order)]
    return {"candidates": labels, "n_cells": 1}


def describe_asked(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The candidates in the order in which the annotator saw them."""
    return {"candidates": _shuffle(task, context.order)}


def parse(task: Payload, answer: Payload) -> Payload:
    """The selected classes in candidate order, and the main one among them; who finds none right selects none."""
    if is_report(answer):
        return NOTHING_SHOWN
    selected, main = answer.get("selected"), answer.get("main")
    if not isinstance(selected, list) or not all(_is_class(one) for one in selected):
        raise InputError("An answer lists the selected classes by their numbers.")
    unknown = sorted(set(selected) - set(task["candidates"]))
    if unknown:
        raise InputError(f"Class {unknown[0]} is not among the candidates of the task.")
    if (main is not None) if not selected else (not _is_class(main) or main not in selected):
        raise InputError("The main label is one of those selected; without any there is none.")
    return {
        "version": VERSION,
        "selected": [one for one in task["candidates"] if one in set(selected)],
        "main": main,
    }


def arrange(answer: Payload, *, task: Payload, order: int) -> Payload:
    """The selected classes in the order in which the annotator saw them."""
    if is_report(answer):
        return answer
    return {**answer, "selected": [one for one in _shuffle(task, order) if one in answer["selected"]]}


def is_right(task: Payload, answer: Payload) -> bool:
    """Whether the known label is selected, and at most half of the candidates: who selects everything knows nothing."""
    selected = answer["selected"]
    return task["shows"] in selected and len(selected) <= max(1, len(task["candidates"]) // 2)


def _shuffle(task: Payload, order: int) -> list[int]:
    return [task["candidates"][place] for place in find_places(len(task["candidates"]), order)]


def find_places(n: int, order: int) -> list[int]:
    """Which of n candidates stands first on the page, which second, and so on."""
    places: list[int] = np.random.default_rng(order).permutation(n).tolist()
    return places


def _is_class(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
