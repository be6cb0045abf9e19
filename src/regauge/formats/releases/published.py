"""The papers' released data, compacted → records.

The layout is described in docs/reproductions.md: NPZ, JSON, JSON Lines and CSV files in one folder. A file that is not there
is said by a `FormatError`; nothing is unpickled.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import CountArray
from regauge.errors import FormatError
from regauge.formats.array_files import read_arrays
from regauge.formats.text import read_json, read_json_lines, read_text
from regauge.records.predictions import Predictions
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.testsets.test_set import TestSet

VALIDATION = "val"
MATCHED_FREQUENCY = "matched_frequency"
THRESHOLD = "threshold07"
_TOP1 = "recht2019_imagenet_top1.npz"
NO_CELL = 255
"""The role of a cell that a grid does not have."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedSet:
    """A test set with the answers of all models of a paper."""

    test_set: TestSet
    models: tuple[str, ...]
    answers: NDArray[np.int16]
    """[models, images, 5]; of CIFAR-10, one answer."""
    notes: tuple[str, ...] = ()
    """What had to be put right."""

    def get_predictions(self, model: str) -> Predictions:
        """The answers of one model."""
        classes = self.answers[self.models.index(model)].astype(np.int32)
        return Predictions(model, self.test_set.image_ids, classes)


@dataclass(frozen=True, slots=True, eq=False)
class PublishedGrids:
    """The annotation grids of Recht et al. (2019).

    Attributes:
        classes: the class of each grid.
        images: [grids, 48]; below 0 minus the number of a validation image, else a candidate.
        roles: [grids, 48]; 0 candidate, 1 control of the class, 2 control of a nearby class, `NO_CELL` beyond a smaller grid.
        nearest: for every class, the other class that is nearest to it.
    """

    classes: NDArray[np.int16]
    images: NDArray[np.int32]
    roles: NDArray[np.uint8]
    nearest: NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class ClassifiedImage:
    """One image of the CLASSIFY study of Tsipras et al. (2020), as released."""

    image: int
    label: int
    main: tuple[int, ...]
    selected: tuple[tuple[int, ...], ...]
    main_top: int
    n_objects: int
    objects: tuple[tuple[int, ...], ...]
    main_object: int
    dataset_object: int | None


def name_validation_image(number: int) -> str:
    """The id of a validation image of ImageNet."""
    return f"ILSVRC2012_val_{number:08d}"


def load_released_set(folder: Path, name: str) -> ReleasedSet:
    """One of the test sets `val`, `matched_frequency` and `threshold07` with the answers of 67 models."""
    path = folder / _TOP1
    top1 = read_arrays(path, "models", f"{name}_top1")
    rest = read_arrays(folder / "recht2019_imagenet_top2to5.npz", f"{name}_top2to5")
    answers = np.concatenate([top1[f"{name}_top1"][:, :, np.newaxis], rest[f"{name}_top2to5"]], axis=2)
    return ReleasedSet(load_test_set(folder, name), tuple(map(str, top1["models"])), answers)


def load_test_set(folder: Path, name: str) -> TestSet:
    """The images and labels of one of these test sets."""
    found = read_arrays(folder / _TOP1, f"{name}_labels", f"{name}_ids")
    raw = found[f"{name}_ids"]
    if name == VALIDATION:
        ids = np.array([name_validation_image(int(number)) for number in raw])
    else:
        ids = np.strings.decode(raw, "ascii")
    return TestSet(name, ids, found[f"{name}_labels"].astype(np.int32))


def load_annotated_rows(folder: Path) -> CountArray:
    """Rows of the validation set that were annotated."""
    return read_arrays(folder / _TOP1, "val20k_rows")["val20k_rows"].astype(np.int64)


def load_grids(folder: Path) -> PublishedGrids:
    """The grids that annotators saw, and the nearest class of every class."""
    grids = read_arrays(folder / "recht2019_mturk_grids.npz", "grid_class", "image", "role")
    similar = read_arrays(folder / "similar_classes.npz", "most_similar")
    return PublishedGrids(grids["grid_class"], grids["image"], grids["role"], similar["most_similar"][:, 1])


def load_classified_images(folder: Path) -> list[ClassifiedImage]:
    """Half of the CLASSIFY images with their answers and what was released about them."""
    path = folder / "tsipras2020_classify_half.jsonl"
    images = []
    for line, row in read_json_lines(path):
        try:
            images.append(
                ClassifiedImage(
                    image=int(row["image"]),
                    label=int(row["label"]),
                    main=tuple(map(int, row["main"])),
                    selected=tuple(tuple(map(int, labels)) for labels in row["selected"]),
                    main_top=int(row["main_top"]),
                    n_objects=int(row["num_objects"]),
                    objects=tuple(tuple(map(int, labels)) for labels in row["objects"]),
                    main_object=int(row["main_object"]),
                    dataset_object=None if row["imagenet_object"] in {None, -1} else int(row["imagenet_object"]),
                )
            )
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(path, f"this is not a row of the CLASSIFY release: {error!r}.", line=line) from None
    return images


def make_classify_responses(images: Sequence[ClassifiedImage]) -> ClassifyResponses:
    """The released answers as a record; who gave them is not in the file, so every answer has an annotator of its own."""
    sizes = [len(image.main) for image in images]
    lists = [labels for image in images for labels in image.selected]
    return ClassifyResponses(
        image_ids=np.array([name_validation_image(image.image) for image in images], np.str_),
        annotator_ids=np.array(
            [f"{image.image}-{n}" for image in images for n in range(1, len(image.main) + 1)], np.str_
        ),
        response_images=np.repeat(np.arange(len(images)), sizes).astype(np.int32),
        response_annotators=np.arange(sum(sizes), dtype=np.int32),
        starts=np.cumsum([0, *map(len, lists)]),
        selected=np.array([label for labels in lists for label in labels], np.int32),
        main=np.array([label for image in images for label in image.main], np.int32),
    )


def load_split(folder: Path) -> dict[int, str]:
    """The part of the study that each image of Tsipras et al. (2020) went to: easy, fu, amb or mis."""
    path = folder / "tsipras2020_split.csv"
    rows = list(csv.DictReader(io.StringIO(read_text(path))))
    if not rows or not {"image", "split"} <= set(rows[0]):
        raise FormatError(path, "the split needs the columns image and split.", line=1)
    return {int(row["image"]): row["split"] for row in rows}


def load_class_confusions(folder: Path) -> list[tuple[int, int, int]]:
    """Confused class pairs of Vasudevan et al. (2022) with their counts."""
    path = folder / "vasudevan2022_class_confusions.json"
    content: Any = read_json(path)
    rows = next(iter(content.values())) if isinstance(content, dict) else content
    try:
        return [(int(first), int(second), int(count)) for first, second, count in rows]
    except (TypeError, ValueError):
        raise FormatError(path, f"confusions are [class, class, count], not {json.dumps(rows)[:80]}.") from None
