"""Label Studio's JSON export of CONTAINS grids → cells.

A task is a grid: its data have the class and the images, of which some may be controls, and the annotator chooses images
under the control `selected`. docs/formats.md shows the labelling configuration.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from regauge.arrays import find_repeated
from regauge.errors import FormatError, InputError
from regauge.formats.text import read_json
from regauge.records.responses.answers import Control

SELECTED_CONTROL = "selected"


class GridCell(NamedTuple):
    """One annotator's answer for one image of one grid."""

    task_id: str
    annotator_id: str
    asked: Any
    image_id: str
    control: Control
    is_selected: bool
    seconds: float


class _Grid(NamedTuple):
    task_id: str
    asked: Any
    controls: dict[str, Control]


def read_export(path: Path) -> tuple[list[GridCell], int]:
    """The cells of all answers, and how many answers were skipped by their annotators.

    Raises:
        FormatError: the file is no such export, a grid is empty, a choice was not shown, or there is no answer.
    """
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise FormatError(path, "an export of Label Studio is a list of tasks; export as JSON.")
    cells: list[GridCell] = []
    n_skipped = 0
    for place, task in enumerate(tasks, start=1):
        try:
            grid, annotations = _read_grid(task)
            for annotation in annotations:
                if annotation.get("was_cancelled"):
                    n_skipped += 1
                else:
                    cells.extend(_read_answer(grid, annotation))
        except InputError as error:
            raise FormatError(path, f"task {place} of the export: {error}") from None
    if not cells:
        raise FormatError(path, "there is no answer in it.")
    return cells, n_skipped


def _read_grid(task: object) -> tuple[_Grid, list[dict[str, Any]]]:
    if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
        raise InputError("a task is an object with its data and annotations.")
    data, annotations = task["data"], task.get("annotations")
    if not isinstance(annotations, list) or not all(isinstance(one, dict) for one in annotations):
        raise InputError("the task has no list of annotations; export as JSON, not as JSON-MIN.")
    if "class" not in data:
        raise InputError("its data need the class that the grid asks for, as class.")
    task_id = data.get("task_id", task.get("id"))
    if not _is_id(task_id):
        raise InputError("the task needs an id, or a task_id among its data.")
    return _Grid(str(task_id), data["class"], _read_images(data)), annotations


def _read_images(data: dict[str, Any]) -> dict[str, Control]:
    """The images of a grid in display order, each with its control mark."""
    images = data.get("images")
    if not isinstance(images, list) or not images:
        raise InputError("the grid is empty; its data need a list of images.")
    image_ids = [one.get("value") if isinstance(one, dict) else one for one in images]
    bad = next((one for one in image_ids if not _is_id(one)), None)
    if bad is not None or None in image_ids:
        raise InputError(f"an image is an id, or an object with its id as value, not {bad!r}.")
    controls = dict.fromkeys(map(str, image_ids), Control.NONE)
    if len(controls) < len(image_ids):
        raise InputError(
            f"the grid shows image {find_repeated(map(str, image_ids))!r} twice; it shows each image once."
        )
    marks = data.get("controls", {})
    if not isinstance(marks, dict) or not set(marks) <= {"positive", "negative"}:
        raise InputError("controls is an object with the lists positive and negative.")
    for name, control in (("positive", Control.POSITIVE), ("negative", Control.NEGATIVE)):
        for image_id in map(str, marks.get(name, ())):
            if image_id not in controls:
                raise InputError(f"the {name} control {image_id!r} is not among its images.")
            if controls[image_id] is not Control.NONE:
                raise InputError(f"image {image_id!r} has two control marks; a control is one or the other.")
            controls[image_id] = control
    return controls


def _read_answer(grid: _Grid, annotation: dict[str, Any]) -> Iterator[GridCell]:
    annotator = annotation.get("completed_by")
    if isinstance(annotator, dict):
        annotator = annotator.get("email") or annotator.get("id")
    if not _is_id(annotator):
        raise InputError("an annotation needs completed_by, the annotator.")
    chosen = set(_find_choices(annotation))
    unknown = sorted(chosen - set(grid.controls))
    if unknown:
        raise InputError(f"annotator {str(annotator)!r} chose {unknown[0]!r}, which the grid does not show.")
    seconds = _read_seconds(annotation.get("lead_time"))
    for image_id, control in grid.controls.items():
        yield GridCell(grid.task_id, str(annotator), grid.asked, image_id, control, image_id in chosen, seconds)


def _find_choices(annotation: dict[str, Any]) -> Iterator[str]:
    results = annotation.get("result")
    if not isinstance(results, list):
        raise InputError("an annotation needs a list result; it is empty where nothing was chosen.")
    for result in results:
        if isinstance(result, dict) and result.get("from_name") == SELECTED_CONTROL:
            value = result.get("value")
            choices = value.get("choices") if isinstance(value, dict) else None
            if not isinstance(choices, list):
                raise InputError(f"the result of {SELECTED_CONTROL} needs a list of choices.")
            yield from map(str, choices)


def _read_seconds(value: object) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise InputError(f"lead_time is a number of seconds from 0 up, not {value!r}.")
    return float(value)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and bool(str(value).strip())
