"""CONTAINS: a grid of images and one class; the annotator selects every image that contains it (Recht et al. 2019, §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

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
