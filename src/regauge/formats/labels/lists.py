"""Lists of labels → dataset labels: Caffe's `val.txt`, TensorFlow's list of class ids, the ILSVRC devkit's ground truth, arrays.

Only Caffe's list names its images. The others go by place: those of the ImageNet validation set are known by their number, and of
any other set images are called by their place, which is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import IdArray, freeze_ids
from regauge.errors import FormatError
from regauge.estimates import count_things
from regauge.formats.array_files import SHARED_IDS, map_array, open_archive, read_archive_ids, read_ids
from regauge.formats.classes import check_indices
from regauge.formats.images.folders import IMAGE_SUFFIXES, check_collisions
from regauge.formats.labels.devkit import META, SYNSETS, find_order_file, load_class_order
from regauge.formats.labels.sources import (
    N_VALIDATION,
    Resolved,
    TruthSource,
    describe_rows,
    name_rows,
    name_validation_images,
    resolve_words,
)
from regauge.formats.releases.imagenetv2 import index_wnids
from regauge.formats.sizes import make_names
from regauge.formats.text import name_from_files, read_lines, read_text
from regauge.records.labels.label_set import Truth
from regauge.records.testsets.test_set import TestSet

VALIDATION_LISTS = ("ilsvrc2012_validation", "imagenet_2012_validation")
"""How the devkit's ground truth and TensorFlow's list of class ids are called, in small letters."""

GROUND_TRUTH = "ground_truth"

_CAFFE = re.compile(r"(\S.*?)\s+(\S+)")


def is_caffe_list(path: Path) -> bool:
    """Whether every line of a text file is the name of an image file and a label."""
    return all(_is_caffe(line.strip()) for line in read_text(path).strip().split("\n"))


def load_label_list(source: TruthSource) -> Truth:
    """Dataset labels from a text file, told by its lines: images with labels, or labels alone."""
    lines = read_lines(source.path)
    n_caffe = sum(_is_caffe(line) for line in lines)
    if n_caffe == len(lines):
        return _load_caffe(source, lines)
    if n_caffe:
        number = next(number for number, line in enumerate(lines, start=1) if not _is_caffe(line))
        problem = f"{lines[number - 1][:80]!r} is not an image file with a label behind it, as other lines are."
        raise FormatError(source.path, problem, line=number)
    if all(line.isascii() and line.isdigit() for line in lines):
        if _is_ground_truth(source, lines):
            return _load_ground_truth(source, lines)
    elif source.synsets is not None:
        raise FormatError(
            source.path, "`synsets=…` says how the devkit numbers classes, and these are not numbers.", line=1
        )
    return _make_by_place(source, resolve_words(lines, source.taxonomy, path=source.path))


def load_label_array(source: TruthSource) -> Truth:
    """Dataset labels from a `.npy` array of class indices, or from `labels` (and `image_ids`) of an NPZ."""
    if source.path.suffix.lower() == ".npy":
        return _make_from_array(source, np.asarray(map_array(source.path)), None)
    with open_archive(source.path) as archive:
        if "labels" not in archive.names:
            raise FormatError(
                source.path, f"an NPZ with a truth needs an array labels and may have image_ids; {archive.describe()}."
            )
        archive.check_room(("labels", "image_ids"))
        ids = read_archive_ids(archive, "image_ids", owner=source.name) if "image_ids" in archive.names else None
        return _make_from_array(source, archive.read("labels"), ids)


def _is_caffe(line: str) -> bool:
    found = _CAFFE.fullmatch(line)
    return found is not None and Path(found[1]).suffix.lower() in IMAGE_SUFFIXES


def _load_caffe(source: TruthSource, lines: Sequence[str]) -> Truth:
    pairs = [match.groups() for line in lines if (match := _CAFFE.fullmatch(line)) is not None]
    files = [file for file, _ in pairs]
    ids = name_from_files(files)
    check_collisions(source.path, ids, files=files)
    found = resolve_words([label for _, label in pairs], source.taxonomy, path=source.path)
    test_set = TestSet(source.name, make_names(ids), found.indices)
    note = f"{source.path.name}: a list of image files, dataset labels of {count_things(len(test_set), 'image')}."
    return Truth(test_set, notes=(note, *found.notes))


def _is_ground_truth(source: TruthSource, lines: Sequence[str]) -> bool:
    """Whether numbers are those of the devkit: by the name of the file, by what it holds, or because its order is given."""
    numbers = {int(line) for line in lines if len(line) < len(str(N_VALIDATION))}
    whole = len(lines) == N_VALIDATION and 0 not in numbers and len(index_wnids()) in numbers
    return source.synsets is not None or GROUND_TRUTH in source.path.name.lower() or whole


def _load_ground_truth(source: TruthSource, lines: Sequence[str]) -> Truth:
    path = source.synsets or find_order_file(source.path)
    if path is None:
        raise FormatError(
            source.path,
            f"the ground truth of the ILSVRC devkit numbers classes from 1 in an order of its own (ILSVRC2012_ID in {META}): "
            f"put the devkit's {META} beside the file, or the class ids in that order, one per line, as {SYNSETS}, or name "
            "either with `synsets=…`.",
        )
    wnids = load_class_order(path)
    words = []
    for number, line in enumerate(lines, start=1):
        if not 1 <= int(line[:9]) <= len(wnids):
            problem = f"{line[:20]} is none of the {len(wnids):,} classes that {path.name} lists from 1."
            raise FormatError(source.path, problem, line=number)
        words.append(wnids[int(line) - 1])
    return _make_by_place(source, resolve_words(words, source.taxonomy, path=source.path))


def _make_by_place(source: TruthSource, found: Resolved) -> Truth:
    """Labels of images that are known by their place."""
    n = len(found.indices)
    ids, note = _find_beside(source, n)
    if ids is None and (n == N_VALIDATION or source.path.name.lower().startswith(VALIDATION_LISTS)):
        ids = make_names(name_validation_images(n))
        note = f"{source.path.name}: line i is taken for the image ILSVRC2012_val_%08d of i."
    if ids is None:
        ids, note = name_rows(n), describe_rows(source.path, n)
    about = f"{source.path.name}: dataset labels of {count_things(n, 'image')}."
    return Truth(TestSet(source.name, ids, found.indices), notes=(about, note, *found.notes))


def _find_beside(source: TruthSource, n: int) -> tuple[IdArray | None, str]:
    """The ids of the images, from the file that is named for them or lies beside the labels, and what is said of it."""
    candidates = [source.path.with_suffix(".ids.txt"), source.path.with_name(SHARED_IDS)]
    if source.ids is not None:
        # A file that tells the order of answers may be this very one.
        is_list = source.ids.suffix.lower() == ".txt" and source.ids.resolve() != source.path.resolve()
        candidates = [source.ids] if is_list and not is_caffe_list(source.ids) else []
    for path in candidates:
        if path.is_file() or path == source.ids:
            ids = read_ids(path)
            if len(ids) != n:
                raise FormatError(path, f"there are {len(ids):,} ids for the {n:,} labels of {source.path.name}.")
            return freeze_ids(
                make_names(ids), owner=path.name
            ), f"{source.path.name}: image ids are those of {path.name}."
    return None, ""


def _make_from_array(source: TruthSource, labels: NDArray[Any], ids: IdArray | None) -> Truth:
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise FormatError(
            source.path,
            f"an array of labels is whole numbers [images], not {labels.dtype} of shape {list(labels.shape)}.",
        )
    if not labels.size:
        raise FormatError(source.path, "the array of labels is empty.")
    if labels.min() < 0:
        raise FormatError(
            source.path, f"row {int(labels.argmin()) + 1:,} has the label {labels.min()}; indices start at 0."
        )
    check_indices(labels, source.taxonomy)
    if ids is None:
        return _make_by_place(source, Resolved(labels))
    about = f"{source.path.name}: dataset labels of {count_things(len(labels), 'image')}."
    return Truth(TestSet(source.name, ids, labels), notes=(about,))
