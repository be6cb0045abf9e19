"""Predictions in arrays → records: NPZ archives, and `.npy` files whose rows are in an order that another file tells.

NPZ: `image_ids, classes, scores?, seconds?, active_seconds?` or `logits`; without image_ids the order of the rows is told as for
`.npy`: classes [n, k] as whole numbers, or outputs for all classes [n, classes] as floats. Arrays are read with pickling off.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, IdArray, IntArray, ScoreArray
from regauge.errors import FormatError, InputError
from regauge.formats.array_files import Archive, decode_texts, map_array, open_archive, read_archive_ids
from regauge.formats.classes import MAX_INDEX, check_indices, resolve_class
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.orders import RowOrder, find_order
from regauge.records.predictions import Logits, Predictions
from regauge.records.taxonomy import Taxonomy

IMAGE_IDS, CLASSES, SCORES, LOGITS, LABELS = "image_ids", "classes", "scores", "logits", "labels"
TIMES = ("seconds", "active_seconds")
ARRAYS = frozenset({IMAGE_IDS, CLASSES, SCORES, LOGITS, LABELS, *TIMES})


def load_archive(file: PredictionFile, *, taxonomy: Taxonomy | None, ids: Path | None) -> Predictions | Logits:
    """One participant's answers from an `.npz` file."""
    with open_archive(file.path) as archive:
        found = [name for name in archive.names if name in ARRAYS]
        if CLASSES not in found and LOGITS not in found:
            raise FormatError(
                file.path,
                f"an NPZ of predictions needs the arrays image_ids and classes or logits; {archive.describe()}.",
            )
        archive.check_room(ARRAYS)
        # Ids that are not ids tell a file that is none before the rest of it is unpacked.
        image_ids = _find_ids(archive, file, ids, taxonomy)
        if CLASSES not in found:
            values = archive.read(LOGITS, n_rows=len(image_ids))
            _check_logits(file.path, values, taxonomy, name=LOGITS)
            return Logits(file.participant, image_ids, values)
        classes = _read_classes(archive.read(CLASSES, n_rows=len(image_ids)), taxonomy)
        columns: dict[str, Any] = {
            name: _read_numbers(archive.read(name, n_rows=len(image_ids)), name)
            for name in (SCORES, *TIMES)
            if name in found
        }
    return Predictions(file.participant, image_ids, classes, **columns)


def load_array(file: PredictionFile, *, taxonomy: Taxonomy | None, ids: Path | None) -> Predictions | Logits:
    """One participant's answers, or its memory-mapped outputs, from a `.npy` file."""
    values = map_array(file.path)
    if values.dtype.kind in "iu" and values.ndim in {1, 2}:
        order = find_order(file.path, ids, what="classes", taxonomy=taxonomy)
        order.check(len(values), file.path)
        return Predictions(file.participant, order.image_ids, _read_classes(np.asarray(values), taxonomy))
    _check_logits(file.path, values, taxonomy)
    order = find_order(file.path, ids, taxonomy=taxonomy)
    order.check(len(values), file.path)
    return Logits(file.participant, order.image_ids, values)


def _check_logits(path: Path, values: NDArray[Any], taxonomy: Taxonomy | None, *, name: str = "the array") -> None:
    if values.ndim != 2 or values.dtype.kind != "f":
        raise FormatError(
            path,
            f"{name} must be logits, floats [images, classes], or classes, whole numbers [images, answers], not "
            f"{values.dtype} of shape {list(values.shape)}.",
        )
    if taxonomy is not None and values.shape[1] != len(taxonomy):
        background = " Drop the background class first." if values.shape[1] == len(taxonomy) + 1 else ""
        raise FormatError(
            path,
            f"the logits have {values.shape[1]:,} columns, but {taxonomy.name} has {len(taxonomy):,} classes.{background}",
        )


def _find_ids(archive: Archive, file: PredictionFile, ids: Path | None, taxonomy: Taxonomy | None) -> IdArray:
    """The ids in the archive, or those that another file tells in the order of its rows."""
    if IMAGE_IDS in archive.names:
        return read_archive_ids(archive, IMAGE_IDS, owner=file.participant)
    try:
        order = find_order(file.path, ids, what="the rows of an NPZ without image_ids", taxonomy=taxonomy)
    except FormatError as error:
        if LABELS not in archive.names or error.path != file.path:
            raise
        # Many images share a label, so that labels alone do not tell one row from another.
        raise FormatError(file.path, f"{error.problem} Its labels alone do not tell which image a row is.") from None
    name = CLASSES if CLASSES in archive.names else LOGITS
    order.check(archive.count_rows(name), file.path)
    _check_labels(archive, order, taxonomy)
    return order.image_ids


def _check_labels(archive: Archive, order: RowOrder, taxonomy: Taxonomy | None) -> None:
    """Refuse an order whose labels are not those that the archive has beside its answers."""
    if LABELS not in archive.names or order.labels is None:
        return
    labels = _read_classes(archive.read(LABELS, n_rows=len(order.image_ids)), taxonomy)
    differ = np.flatnonzero((labels != order.labels) & (order.labels != NO_CLASS))
    if differ.size:
        row = int(differ[0])
        raise InputError(
            f"row {row + 1:,} has the label {labels[row]}, but image {str(order.image_ids[row])!r}, which {order.path} has "
            f"there, has {order.labels[row]}: the rows are in another order ({differ.size:,} labels differ)."
        )


def _read_classes(classes: NDArray[Any], taxonomy: Taxonomy | None) -> IntArray:
    classes = decode_texts(classes, "classes")
    if classes.dtype.kind == "U":
        words, inverse = np.unique(classes, return_inverse=True)
        indices = np.array([resolve_class(str(word), taxonomy) for word in words], dtype=np.int32)
        return indices[inverse].reshape(classes.shape)
    if classes.dtype.kind not in "iu":
        raise InputError(f"classes must be class indices (integers) or ids (text), not {classes.dtype}.")
    check_indices(classes, taxonomy)
    if taxonomy is None and classes.size and classes.max() > MAX_INDEX:
        raise InputError(f"{classes.max()} is too large for a class index.")
    # A number far below 0 must not become an index by wrapping round; the record refuses what is below NO_CLASS.
    if classes.dtype.kind == "i":
        classes = np.maximum(classes, classes.dtype.type(NO_CLASS - 1))
    return classes.astype(np.int32, copy=False)


def _read_numbers(values: NDArray[Any], name: str) -> ScoreArray:
    if values.dtype.kind not in "fiu":
        raise InputError(f"{name} must be numbers, not {values.dtype}.")
    return shorten_scores(values)


def shorten_scores(scores: NDArray[Any]) -> ScoreArray:
    """Scores in single precision; what is too large for it becomes infinite, and the order stays."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32, copy=False)
