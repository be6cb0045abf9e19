"""A clone of modestyachts/CIFAR-10.1, and the labels of CIFAR-10, which come with CIFAR-10.

Predictions are lists of one class per image in the order of the label files; an image of CIFAR-10.1 is known by its place in Tiny
Images, so that what both versions hold has one id. Labels of the original test set are read from the Python or the binary
version of CIFAR-10, or from a plain array.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import IntArray
from regauge.errors import FormatError
from regauge.formats.array_files import read_array
from regauge.formats.pickles.files import load_pickle
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.published import ReleasedSet
from regauge.formats.text import read_json
from regauge.records.testsets.test_set import TestSet

CIFAR_ORIGINAL = "cifar10"
CIFAR_V4 = "cifar10.1_v4"
CIFAR_V6 = "cifar10.1_v6"
CIFAR_SETS = (CIFAR_ORIGINAL, CIFAR_V4, CIFAR_V6)

LABEL_FILES = (
    "cifar10_test_labels.npy",
    "test_batch",
    "cifar-10-batches-py/test_batch",
    "test_batch.bin",
    "cifar-10-batches-bin/test_batch.bin",
)
"""Where labels of the original test set are looked for."""

N_CLASSES = 10
_FOLDERS = {CIFAR_ORIGINAL: "original", CIFAR_V4: "v4", CIFAR_V6: "v6"}
_SUFFIX = "_predictions"
_IMAGE_BYTES = 32 * 32 * 3


def load_cifar_set(data: DataFolders, name: str) -> ReleasedSet:
    """One of the three sets with the answers of all models that have a file.

    Raises:
        MissingDataError: labels or predictions are in none of the folders.
        FormatError: a file does not hold what it should.
    """
    labels = _load_test_labels(data.get(*LABEL_FILES)) if name == CIFAR_ORIGINAL else _load_new_labels(data, name)
    paths = data.list_files(f"model_predictions/{_FOLDERS[name]}_predictions/*{_SUFFIX}.json")
    test_set = TestSet(name, _name_images(data, name, len(labels)), labels)
    answers = np.stack([_load_answers(path, len(labels)) for path in paths])
    return ReleasedSet(test_set, tuple(path.stem.removesuffix(_SUFFIX) for path in paths), answers[:, :, np.newaxis])


def _load_new_labels(data: DataFolders, name: str) -> IntArray:
    path = data.get(f"datasets/{name}_labels.npy")
    return _check_labels(path, read_array(path).tolist())


def _load_test_labels(path: Path) -> IntArray:
    if path.suffix == ".npy":
        return _check_labels(path, read_array(path).tolist())
    if path.suffix == ".bin":
        raw = np.memmap(path, np.uint8, mode="r") if path.stat().st_size else np.zeros(0, np.uint8)
        if not raw.size or raw.size % (_IMAGE_BYTES + 1):
            raise FormatError(path, "this is not the binary version of CIFAR-10: a label and 3,072 bytes per image.")
        return _check_labels(path, raw[:: _IMAGE_BYTES + 1].tolist())
    content = load_pickle(path)
    if not isinstance(content, dict) or not ({"labels", b"labels"} & set(content)):
        raise FormatError(path, "this is not the Python version of CIFAR-10: it has no labels.")
    return _check_labels(path, content["labels"] if "labels" in content else content[b"labels"])


def _check_labels(path: Path, labels: object) -> IntArray:
    if not isinstance(labels, list) or not labels or not all(_is_class(label) for label in labels):
        raise FormatError(path, f"labels of CIFAR-10 are whole numbers from 0 to {N_CLASSES - 1}.")
    return np.array(labels, np.int32)


def _is_class(label: object) -> bool:
    return isinstance(label, int) and not isinstance(label, bool) and 0 <= label < N_CLASSES


def _name_images(data: DataFolders, name: str, n_images: int) -> NDArray[np.str_]:
    path = None if name == CIFAR_ORIGINAL else data.find(f"other_data/{name}_ti_indices.json")
    if path is None:
        return np.array([f"{name}_{row:05d}" for row in range(n_images)], np.str_)
    places = read_json(path)
    if not isinstance(places, list) or len(places) != n_images or len(set(map(str, places))) != n_images:
        raise FormatError(path, f"there must be a different place in Tiny Images for each of {n_images:,} images.")
    return np.array([f"tiny_images_{place}" for place in places], np.str_)


def _load_answers(path: Path, n_images: int) -> NDArray[np.int16]:
    content = read_json(path)
    if not isinstance(content, list) or len(content) != n_images or not all(_is_class(answer) for answer in content):
        raise FormatError(path, f"predictions are a list of {n_images:,} whole numbers from 0 to {N_CLASSES - 1}.")
    return np.array(content, np.int16)


def count_shared(sets: Sequence[ReleasedSet]) -> int:
    """How many images are in all of the sets."""
    ids = [set(one.test_set.image_ids.tolist()) for one in sets]
    return len(set.intersection(*ids))
