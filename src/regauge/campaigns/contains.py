"""CONTAINS: a grid of images and one class; the annotator selects every image that contains it (Recht et al. 2019, §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import numpy as np

from regauge.campaigns.packing import Grid
from regauge.errors import InputError
from regauge.records.campaigns import Payload
from regauge.records.responses import Control
from regauge.records.taxonomy import ImageClass, Taxonomy

VERSION = 1

INSTRUCTIONS = (
    "Select every image that contains it, even if it is small, partly hidden, in a crowd or behind text. Drawings and paintings "
    "do not count. If none contains it, submit none."
)


def make_contains_task(grid: Grid) -> Payload:
    """The task of a grid."""
    cells = [[image, int(control)] for image, control in zip(grid.images, grid.controls, strict=True)]
    return {"version": VERSION, "class": grid.class_index, "cells": cells}


def describe_class(image_class: ImageClass) -> Mapping[str, Any]:
    """What an annotator is told about a class: names, gloss, and where to read more."""
    first, *others = image_class.names
    link = image_class.link or f"https://en.wikipedia.org/wiki/Special:Search?search={quote(first)}"
    return {"name": first, "synonyms": others, "gloss": image_class.gloss, "link": link}


class ContainsKind:
    """The kind."""

    def list_images(self, task: Payload) -> list[int]:
        """The images of the grid, cell after cell."""
        return [image for image, _ in task["cells"]]

    def list_controls(self, task: Payload) -> list[Control]:
        """Per cell, whether its answer is known."""
        return [Control(control) for _, control in task["cells"]]

    def view(self, task: Payload, *, taxonomy: Taxonomy, order: int) -> Mapping[str, Any]:  # noqa: ARG002 - cells stand as packed
        """The class and the number of cells; neither controls nor image numbers."""
        return {"target": describe_class(taxonomy.classes[task["class"]]), "n_cells": len(task["cells"])}

    def parse(self, task: Payload, answer: Payload) -> Payload:
        """The selected cells as a bit mask in hexadecimal, cell 0 being the lowest bit."""
        mask = answer.get("mask")
        n_cells = len(task["cells"])
        if not isinstance(mask, str) or not 1 <= len(mask) <= 16 or not set(mask) <= set("0123456789abcdef"):
            raise InputError("An answer to a grid is a mask of 1 to 16 hexadecimal digits in lower case.")
        if int(mask, 16) >> n_cells:
            raise InputError(f"The mask selects a cell beyond the {n_cells} of the grid.")
        return {"version": VERSION, "mask": f"{int(mask, 16):x}"}

    def arrange(self, answer: Payload, *, task: Payload, order: int) -> Payload:  # noqa: ARG002 - cells stand as packed
        """The answer as it is."""
        return answer

    def is_right(self, task: Payload, answer: Payload) -> bool:
        """Whether the cells that contain the class are selected, and no others."""
        positive = [control is Control.POSITIVE for control in self.list_controls(task)]
        return int(answer["mask"], 16) == sum(1 << cell for cell, is_in in enumerate(positive) if is_in)

    def shuffle(self, task: Payload, *, order: int) -> Payload:
        """The cells at other places: who answers alike must have looked, not remembered the places."""
        places = np.random.default_rng(order).permutation(len(task["cells"])).tolist()
        return {**task, "cells": [task["cells"][place] for place in places]}

    def align(self, answer: Payload, *, given_to: Payload, task: Payload) -> Payload:
        """The mask by the places of the task; an image stands in a grid once."""
        mask = int(answer["mask"], 16)
        selected = {image for cell, image in enumerate(self.list_images(given_to)) if mask >> cell & 1}
        again = sum(1 << cell for cell, image in enumerate(self.list_images(task)) if image in selected)
        return {**answer, "mask": f"{again:x}"}
