"""CONTAINS: a grid of images and one class; the annotator selects every image that contains it (Recht et al. 2019, §4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from regauge.campaigns.packing import Grid
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.kinds.contains.questions import ask_which
from regauge.kinds.usual import keep_answer
from regauge.records.campaigns.campaign import NOT_SHOWN, NOTHING_SHOWN, Payload, is_report
from regauge.records.responses.answers import Control

VERSION = 1
PARTLY_SHOWN = 2
"""The version of an answer to a grid of which some cells were not shown."""
_MASK = re.compile("[0-9a-f]{1,16}")
arrange = keep_answer


def make_contains_task(grid: Grid) -> Payload:
    """The task of a grid."""
    cells = [[image, int(control)] for image, control in zip(grid.images, grid.controls, strict=True)]
    return {"version": VERSION, "class": grid.class_index, "cells": cells}


def make_previews(shown: Sequence[int]) -> tuple[Payload, ...]:
    """Two grids: half of the pictures each, and the class of its first picture is sought."""
    half = len(shown) // 2
    parts = range(half), range(half, len(shown))
    return tuple(make_contains_task(Grid(shown[part[0]], tuple(part), (Control.NONE,) * len(part))) for part in parts)


def list_images(task: Payload) -> list[int]:
    """The images of the grid, cell after cell."""
    return [image for image, _ in task["cells"]]


def list_controls(task: Payload) -> list[Control]:
    """Per cell, whether its answer is known."""
    return [Control(control) for _, control in task["cells"]]


def view(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The class, what is asked about it, and the number of cells, which stand as packed; neither controls nor image numbers."""
    target = context.describe_class(task["class"])
    return {"target": target, "ask": list(ask_which(target["name"])), "n_cells": len(task["cells"])}


def describe_asked(task: Payload, context: TaskContext) -> Mapping[str, Any]:  # noqa: ARG001 - cells stand as packed
    """The class."""
    return {"class": task["class"]}


def parse(task: Payload, answer: Payload) -> Payload:
    """The selected cells as a bit mask in hexadecimal, cell 0 being the lowest bit, and those that were not shown likewise.

    An answer to a grid of which nothing was shown is a report. Controls are not looked at: who answers is told what
    becomes of a report.
    """
    if is_report(answer):
        return NOTHING_SHOWN
    n_cells = len(task["cells"])
    mask = _read_mask(answer.get("mask"), n_cells)
    not_shown = _read_mask(answer[NOT_SHOWN], n_cells) if NOT_SHOWN in answer else 0
    if not not_shown:
        return {"version": VERSION, "mask": f"{mask:x}"}
    if mask & not_shown:
        raise InputError("A cell that was not shown cannot be selected.")
    if not_shown == 2**n_cells - 1:
        return NOTHING_SHOWN
    return {"version": PARTLY_SHOWN, "mask": f"{mask:x}", NOT_SHOWN: f"{not_shown:x}"}


def find_not_shown(task: Payload, answer: Payload) -> list[int]:
    """The images that a parsed answer says were not shown, by their number in the campaign."""
    images = list_images(task)
    if is_report(answer):
        return images
    not_shown = read_not_shown(answer)
    return [image for cell, image in enumerate(images) if not_shown >> cell & 1]


def is_unseen(task: Payload, answer: Payload) -> bool:
    """Whether nothing but controls was shown."""
    if NOT_SHOWN not in answer:
        return False
    asked = sum(1 << cell for cell, control in enumerate(list_controls(task)) if control is Control.NONE)
    return asked > 0 and not asked & ~read_not_shown(answer)


def remove_images(task: Payload, images: Collection[int]) -> Payload | None:
    """The grid without the cells of some images; None where nothing but controls is left."""
    cells = [cell for cell in task["cells"] if cell[0] not in images]
    is_question = any(control == Control.NONE for _, control in task["cells"])
    is_left = any(control == Control.NONE or not is_question for _, control in cells)
    return {**task, "cells": cells} if is_left else None


def is_right(task: Payload, answer: Payload) -> bool:
    """Whether the cells that contain the class are selected, and no others."""
    positive = [control is Control.POSITIVE for control in list_controls(task)]
    return int(answer["mask"], 16) == sum(1 << cell for cell, is_in in enumerate(positive) if is_in)


def shuffle(task: Payload, *, order: int) -> Payload:
    """The cells at other places: who answers alike must have looked, not remembered the places."""
    places = np.random.default_rng(order).permutation(len(task["cells"])).tolist()
    return {**task, "cells": [task["cells"][place] for place in places]}


def read_not_shown(answer: Payload) -> int:
    """The mask of the cells that an answer to a grid says were not shown; earlier versions have none."""
    return int(answer.get(NOT_SHOWN, "0"), 16)


def _read_mask(mask: object, n_cells: int) -> int:
    if not isinstance(mask, str) or not _MASK.fullmatch(mask):
        raise InputError("An answer to a grid is a mask of 1 to 16 hexadecimal digits in lower case.")
    cells = int(mask, 16)
    if cells >> n_cells:
        raise InputError(f"The mask selects a cell beyond the {n_cells} of the grid.")
    return cells
