"""A clone of modestyachts/ImageNetV2: test sets, predictions, grids.

Every set has a JSON file that lists its images with their classes; its rows are the rows of every prediction file of that set,
an array of five answers per image, best first. Two models are not called the same everywhere, and one is stored worst first on
all sets but the original; both are put right, and the second is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.errors import FormatError, MissingDataError
from regauge.formats.array_files import map_array
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.published import NO_CELL, PublishedGrids, ReleasedSet
from regauge.formats.taxonomies import load_taxonomy
from regauge.formats.text import name_from_file, read_json
from regauge.records.testsets.test_set import TestSet

N_ANSWERS = 5
_RENAMED = "_model"
"""fv_16k and fv_64k have this behind their names on some sets."""


def load_images(path: Path, name: str) -> TestSet:
    """The images of a set with their labels, in the order of its file."""
    content = read_json(path)
    rows = content.get("image_filenames") if isinstance(content, dict) else None
    if not isinstance(rows, list) or not rows:
        raise FormatError(path, "a set of ImageNetV2 is an object with image_filenames, a list of [image, class].")
    ids, labels = [], []
    for row in rows:
        label = find_index(row[1]) if isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) else None
        if label is None:
            raise FormatError(path, f"an image of ImageNetV2 is [image, class id], not {str(row)[:80]}.")
        ids.append(name_from_file(row[0]))
        labels.append(label)
    return TestSet(name, np.array(ids, np.str_), np.array(labels, np.int32))


@cache
def index_wnids() -> dict[str, int]:
    """The index of each class of ImageNet: the rank of its id."""
    return {wnid: index for index, wnid in enumerate(sorted(one.id for one in load_taxonomy("imagenet-1k").classes))}


def find_index(wnid: object) -> int | None:
    """The index of a class by its id, or None for anything else that a file may hold in its place."""
    return index_wnids().get(wnid) if isinstance(wnid, str) else None


def load_predicted_set(test_set: TestSet, paths: Sequence[Path]) -> ReleasedSet:
    """A set with the answers of all models that have a file."""
    answers = np.empty((len(paths), len(test_set), N_ANSWERS), np.int16)
    models, turned = [], []
    for place, path in enumerate(paths):
        model = path.stem.removesuffix(_RENAMED)
        answers[place] = _load_answers(path, len(test_set))
        if is_worst_first(answers[place], test_set.labels):
            answers[place] = answers[place, :, ::-1]
            turned.append(model)
        models.append(model)
    return ReleasedSet(test_set, tuple(models), answers, notes=tuple(_note_turned(test_set.name, turned)))


def _load_answers(path: Path, n_images: int) -> NDArray[Any]:
    array = map_array(path)
    if array.shape != (n_images, N_ANSWERS) or array.dtype.kind not in "iu":
        raise FormatError(
            path, f"predictions are whole numbers [{n_images}, {N_ANSWERS}], not {array.dtype} {array.shape}."
        )
    if array.size and (array.min() < 0 or array.max() >= len(index_wnids())):
        raise FormatError(
            path, f"a class is a number from 0 to {len(index_wnids()) - 1}, not {array.min()} or {array.max()}."
        )
    return array


def is_worst_first(answers: NDArray[np.int16], labels: NDArray[np.int32]) -> bool:
    """Whether the last answers are right more often than the first ones, which no ranking gives."""
    first, last = (int((answers[:, place] == labels).sum()) for place in (0, -1))
    return last > first


def _note_turned(name: str, turned: Sequence[str]) -> Iterator[str]:
    if turned:
        yield (
            f"On {name}, {', '.join(turned)} {'is' if len(turned) == 1 else 'are'} stored worst first (the last answers are "
            "right more often than the first) and read the other way round."
        )


def load_grids(data: DataFolders) -> PublishedGrids:
    """The grids of all files of tasks that were published, and the nearest class of every class."""
    nearest = _load_nearest(data.get("data/metadata/wnid_to_most_similar_wnids.json"))
    records = [
        (path, one)
        for path in data.list_files("data/mturk/hit_data_live/*.json")
        for one in _find_grids(read_json(path))
    ]
    if not records:
        raise MissingDataError("grids in data/mturk/hit_data_live/*.json")
    width = max(len(record["images_all"]) for _, record in records)
    classes = np.zeros(len(records), np.int16)
    images = np.zeros((len(records), width), np.int32)
    roles = np.full((len(records), width), NO_CELL, np.uint8)
    candidates: dict[str, int] = {}
    for row, (path, record) in enumerate(records):
        label = find_index(record.get("wnid"))
        if label is None:
            raise FormatError(path, f"a grid has a class id, not {str(record.get('wnid'))[:40]}.")
        classes[row] = label
        own, near = (_list_controls(record, kind) for kind in ("pos", "neg"))
        for cell, image in enumerate(map(str, record["images_all"])):
            images[row, cell] = _number(image, candidates)
            roles[row, cell] = 1 if image in own else 2 if image in near else 0
    return PublishedGrids(classes, images, roles, nearest)


def _list_controls(record: dict[str, Any], kind: str) -> set[str]:
    listed = record.get(f"images_{kind}_control")
    return set(map(str, listed)) if isinstance(listed, list) else set()


def _find_grids(content: object) -> Iterator[dict[str, Any]]:
    """The records of grids in a file, whether it is one, a list of them, or an object that holds them."""
    if isinstance(content, dict) and isinstance(content.get("images_all"), list):
        yield content
    elif isinstance(content, dict | list):
        for one in content.values() if isinstance(content, dict) else content:
            yield from _find_grids(one)


def _number(image: str, candidates: dict[str, int]) -> int:
    """Minus the number of a validation image; candidates are numbered as they come."""
    name = name_from_file(image)
    if name.startswith("ILSVRC2012_val_") and name[15:].isdigit():
        return -int(name[15:])
    return candidates.setdefault(image, len(candidates))


def _load_nearest(path: Path) -> NDArray[np.int16]:
    content = read_json(path)
    nearest = np.zeros(len(index_wnids()), np.int16)
    for wnid, index in index_wnids().items():
        others = content.get(wnid) if isinstance(content, dict) else None
        second = find_index(others[1]) if isinstance(others, list) and len(others) > 1 else None
        if second is None:
            raise FormatError(path, f"{wnid} has no list of class ids nearest to it, itself first.")
        nearest[index] = second
    return nearest
