"""What a figure needs, from a clone or from the compact files, whichever the folders hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from regauge.errors import FormatError, MissingDataError
from regauge.formats.mistakes.coded import load_mistakes
from regauge.formats.releases import cifar, imagenetv2, multilabel, published
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.human_accuracy import HumanAccuracy, load_human_accuracy
from regauge.formats.releases.published import (
    MATCHED_FREQUENCY,
    THRESHOLD,
    VALIDATION,
    ClassifiedImage,
    PublishedGrids,
    ReleasedSet,
)
from regauge.formats.text import read_json
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.testsets.test_set import TestSet

TOP_IMAGES = "top_images"
ANNOTATED = "annotated_validation"

CLONED = {
    VALIDATION: "imagenet-validation-original",
    MATCHED_FREQUENCY: "imagenetv2-b-33",
    THRESHOLD: "imagenetv2-a-44",
    TOP_IMAGES: "imagenetv2-c-12",
    ANNOTATED: "imagenet-annotatedval20k-0",
}
"""What a clone of ImageNetV2 calls the sets."""

COMPACT = (VALIDATION, MATCHED_FREQUENCY, THRESHOLD)
"""The sets that the compact files hold."""

_TOP1 = "recht2019_imagenet_top1.npz"
_MISTAKES = {
    "vit3b": ("vasudevan2022_mistakes_vit3b.json", "metadata/vit3b_mistakes.json"),
    "greedy_soups": ("vasudevan2022_mistakes_greedy_soups.json", "metadata/greedy_soups_mistakes.json"),
}
_HUMAN_ACCURACY = "human_accuracy_v3.0.0.json"


_Load = TypeVar("_Load", bound=Callable[..., Any])


def _once(load: _Load) -> _Load:
    """The loader, which reads nothing twice from the same folders."""

    @wraps(load)
    def read(data: DataFolders, *args: str) -> object:
        return data.read_once((load.__name__, *args), lambda: load(data, *args))

    return cast("_Load", read)


@_once
def load_released_set(data: DataFolders, name: str) -> ReleasedSet:
    """A set of ImageNet or CIFAR-10 with the answers of all models.

    Raises:
        MissingDataError: no folder holds the set.
        FormatError: a file does not hold what it should.
    """
    if name in cifar.CIFAR_SETS:
        return cifar.load_cifar_set(data, name)
    compact = data.find(_TOP1) if name in COMPACT else None
    if compact is not None:
        return published.load_released_set(compact.parent, name)
    pattern = f"data/predictions/{CLONED[name]}/*.npy"
    try:
        paths = data.list_files(pattern)
        images = data.get(f"data/datasets/{CLONED[name]}.json")
    except MissingDataError as error:
        raise MissingDataError(*([_TOP1] if name in COMPACT else []), *error.names) from None
    return imagenetv2.load_predicted_set(imagenetv2.load_images(images, name), paths)


@_once
def load_images(data: DataFolders, name: str) -> TestSet:
    """The images and labels of a set of ImageNet, whether or not anybody's answers are there."""
    cloned = f"data/datasets/{CLONED[name]}.json"
    path = data.find(cloned)
    if path is not None:
        return imagenetv2.load_images(path, name)
    compact = data.find(_TOP1)
    if compact is None or name == TOP_IMAGES:
        raise MissingDataError(*([_TOP1] if name != TOP_IMAGES else []), cloned)
    validation = published.load_test_set(compact.parent, VALIDATION if name == ANNOTATED else name)
    if name != ANNOTATED:
        return validation
    rows = published.load_annotated_rows(compact.parent)
    return TestSet(name, validation.image_ids[rows], validation.labels[rows])


@_once
def load_grids(data: DataFolders) -> PublishedGrids:
    """The grids that annotators saw, and the nearest class of every class."""
    compact = data.find("recht2019_mturk_grids.npz")
    if compact is not None:
        return published.load_grids(compact.parent)
    try:
        return imagenetv2.load_grids(data)
    except MissingDataError as error:
        raise MissingDataError("recht2019_mturk_grids.npz", *error.names) from None


@_once
def load_classified_images(data: DataFolders) -> list[ClassifiedImage]:
    """The answers to CLASSIFY: all of them from a clone, half of them from the compact file."""
    path = data.get(multilabel.CLASSIFY, "tsipras2020_classify_half.jsonl")
    is_compact = path.suffix == ".jsonl"
    return published.load_classified_images(path.parent) if is_compact else multilabel.load_classified_images(path)


@_once
def load_split(data: DataFolders) -> dict[int, str]:
    """The part of the study that each image of Tsipras et al. (2020) went to: easy, fu, amb or mis."""
    path = data.get(multilabel.SPLIT, "tsipras2020_split.csv")
    return published.load_split(path.parent) if path.suffix == ".csv" else multilabel.load_split(path)


@_once
def load_contains_counts(data: DataFolders) -> tuple[SelectionCounts, TestSet]:
    """How often each label was selected in CONTAINS, and the images with their dataset labels."""
    return multilabel.load_selection_counts(data.get(multilabel.CONTAINS))


@_once
def load_own_predictions(data: DataFolders) -> ReleasedSet:
    """The answers of the models of Tsipras et al. (2020) on the validation set."""
    path = data.get(multilabel.PREDICTIONS)
    return multilabel.load_model_predictions(path, load_images(data, VALIDATION))


def load_superclasses(data: DataFolders) -> dict[str, list[int]]:
    """The classes of every superclass of Tsipras et al. (2020)."""
    return multilabel.load_superclasses(data.get(multilabel.SUPERCLASSES))


@_once
def load_coded_mistakes(data: DataFolders, model: str) -> CodedMistakes:
    """The coded mistakes of `vit3b` or `greedy_soups`."""
    return load_mistakes(find_coded_file(data, model))


def find_coded_file(data: DataFolders, model: str) -> Path:
    """The file of the coded mistakes of `vit3b` or `greedy_soups`.

    Raises:
        MissingDataError: no folder holds it.
    """
    return data.get(*_MISTAKES[model])


def load_class_confusions(data: DataFolders) -> list[tuple[int, int, int]]:
    """Confused class pairs of Vasudevan et al. (2022) with their counts."""
    path = data.get("vasudevan2022_class_confusions.json", "metadata/class_confusion_wnids.json")
    if path.parent.name != "metadata":
        return published.load_class_confusions(path.parent)
    rows, index_of = read_json(path), imagenetv2.index_wnids()
    try:
        return [(index_of[first], index_of[second], int(count)) for first, second, count in rows]
    except (KeyError, TypeError, ValueError):
        raise FormatError(path, f"confusions are [class id, class id, count], not {json.dumps(rows)[:80]}.") from None


@_once
def load_human_labels(data: DataFolders) -> HumanAccuracy:
    """Version 3 of the labels of Shankar et al. (2020)."""
    return load_human_accuracy(data.get(_HUMAN_ACCURACY))
