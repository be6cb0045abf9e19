"""A clone of MadryLab/ImageNetMultiLabel: pickled frames, which are read and not loaded.

Frames are indexed by file name. Columns that are needed are asked for by name; an absent one is said together with those that
were found, for not every frame of the repository was at hand when this was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from regauge.errors import FormatError
from regauge.formats.pickles.files import load_frame, load_object_array
from regauge.formats.pickles.frames import PickledFrame
from regauge.formats.releases.published import ClassifiedImage, ReleasedSet
from regauge.formats.text import name_from_file
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.testsets.test_set import TestSet

SPLIT = "data/image_info.pkl"
CLASSIFY = "data/annotations_classify_task.pkl"
CONTAINS = "data/annotations_contains_task.pkl"
PREDICTIONS = "data/model_predictions.pkl"
SUPERCLASSES = "data/superclasses.npy"

_ANSWERS = "pred_"
_ROW_COLUMNS = ("img_number", "image_number")
_Made = TypeVar("_Made")


def load_split(path: Path) -> dict[int, str]:
    """The part of the study that each image went to, by validation number."""
    frame = load_frame(path)
    (parts,) = _get_columns(path, frame, "annotation")
    return {_number(path, image): str(part) for image, part in zip(frame.index.tolist(), parts, strict=True)}


def load_superclasses(path: Path) -> dict[str, list[int]]:
    """The classes of every superclass."""
    content = load_object_array(path)
    if not isinstance(content, dict):
        raise FormatError(path, "superclasses are a dictionary of lists of classes.")
    return _read(path, "superclasses", lambda: {str(name): _integers(classes) for name, classes in content.items()})


def load_classified_images(path: Path) -> list[ClassifiedImage]:
    """The answers to CLASSIFY, and what the authors made of them."""
    frame = load_frame(path)
    names = (
        "imagenet_label",
        "main",
        "selected",
        "main_top",
        "num_objects",
        "objects",
        "main_object",
        "imagenet_object",
    )
    columns = _get_columns(path, frame, *names)
    return [
        _read(path, f"row {row + 1}", partial(_make_image, path, image, cells))
        for row, (image, *cells) in enumerate(zip(frame.index.tolist(), *columns, strict=True))
    ]


def _make_image(path: Path, image: object, cells: list[Any]) -> ClassifiedImage:
    label, main, selected, main_top, n_objects, objects, main_object, dataset_object = cells
    return ClassifiedImage(
        image=_number(path, image),
        label=int(label),
        main=tuple(_integers(main)),
        selected=tuple(tuple(_integers(labels)) for labels in _parts(selected)),
        main_top=int(main_top),
        n_objects=int(n_objects),
        objects=tuple(tuple(_integers(labels)) for labels in _parts(objects)),
        main_object=int(main_object),
        dataset_object=None if dataset_object is None or not dataset_object >= 0 else int(dataset_object),
    )


def load_selection_counts(path: Path) -> tuple[SelectionCounts, TestSet]:
    """How many saw and selected each label of each image in CONTAINS, and the images with their dataset labels."""
    frame = load_frame(path)
    queries, selected, totals, labels = _get_columns(path, frame, "query", "selected", "total", "imagenet_label")
    ids = [name_from_file(str(image)) for image in frame.index.tolist()]
    pairs: list[tuple[int, int, int, int]] = []
    for row, cells in enumerate(zip(queries, selected, totals, strict=True)):
        found = _read(path, f"row {row + 1}", partial(_join, cells))
        pairs += [(row, query, n_shown, n_selected) for query, n_selected, n_shown in sorted(found)]
    images, classes, shown, chosen = np.array(pairs, np.int64).reshape(-1, 4).T
    counts = SelectionCounts(np.array(ids, np.str_), images.astype(np.int32), classes.astype(np.int32), shown, chosen)
    test_set = TestSet(
        path.stem, np.array(ids, np.str_), np.array(_read(path, "labels", lambda: _integers(labels)), np.int32)
    )
    return counts, test_set


def load_model_predictions(path: Path, validation: TestSet) -> ReleasedSet:
    """The five answers of the authors' models on the validation set, whose rows are those of the validation set."""
    frame = load_frame(path)
    names = [name for name in frame.columns if name.startswith(_ANSWERS)]
    row_column = next((name for name in _ROW_COLUMNS if name in frame.columns), None)
    if not names or row_column is None or not len(frame):
        raise FormatError(path, f"predictions need {_ANSWERS}MODEL and {_ROW_COLUMNS[0]}; there are: {_list(frame)}.")
    rows = np.array(_read(path, row_column, lambda: _integers(frame.columns[row_column])), np.int64)
    if len(rows) and (rows.min() < 0 or rows.max() >= len(validation)):
        raise FormatError(path, f"{row_column} must be a row of the validation set, from 0 to {len(validation) - 1:,}.")
    answers = [_read(path, name, partial(_take_five, frame.columns[name])) for name in names]
    test_set = TestSet(validation.name, validation.image_ids[rows], validation.labels[rows])
    return ReleasedSet(test_set, tuple(name.removeprefix(_ANSWERS) for name in names), np.stack(answers))


def _join(cells: Iterable[object]) -> list[tuple[int, ...]]:
    """The lists of three cells, place by place."""
    return list(zip(*map(_integers, cells), strict=True))


def _take_five(cells: NDArray[Any]) -> NDArray[np.int16]:
    answers = np.array([_integers(cell)[:5] for cell in cells], np.int16)
    if answers.ndim != 2 or answers.shape[1] != 5:
        raise ValueError
    return answers


def _get_columns(path: Path, frame: PickledFrame, *names: str) -> list[NDArray[Any]]:
    if not len(frame):
        raise FormatError(path, f"the frame has no rows; its columns are: {_list(frame)}.")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise FormatError(
            path, f"the frame has no column {missing[0]}; it has {len(frame):,} rows and: {_list(frame)}."
        )
    return [frame.columns[name] for name in names]


def _list(frame: PickledFrame) -> str:
    return ", ".join(frame.columns) or "no columns"


def _read(path: Path, what: str, make: Callable[[], _Made]) -> _Made:
    try:
        return make()
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(path, f"{what} is not what the frame should hold ({type(error).__name__}).") from None


def _parts(cell: object) -> list[Any]:
    """The members of a cell that holds several, whatever they are kept in."""
    if isinstance(cell, dict):
        return list(cell.values())
    if isinstance(cell, set):
        return sorted(cell)
    if isinstance(cell, list | tuple | np.ndarray):
        return list(cell)
    raise TypeError


def _integers(cell: object) -> list[int]:
    return [int(one) for one in _parts(cell)]


def _number(path: Path, image: object) -> int:
    digits = name_from_file(str(image)).removeprefix("ILSVRC2012_val_")
    if not digits.isdigit():
        raise FormatError(path, f"images are files of the validation set, not {str(image)[:60]!r}.")
    return int(digits)
