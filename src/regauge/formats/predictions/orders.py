"""In which order the rows of an array are: image ids from a list, from a truth, or from the set that a release has beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.arrays import IdArray, IntArray, freeze_ids
from regauge.errors import FormatError
from regauge.formats.array_files import SHARED_IDS, decode_texts, map_array, read_ids
from regauge.formats.labels.lists import is_caffe_list
from regauge.formats.labels.truth import load_truth
from regauge.formats.sizes import make_names
from regauge.formats.tables import IMAGE_ID, TABLE_SUFFIXES, open_table
from regauge.formats.text import read_json
from regauge.records.taxonomy import Taxonomy

RELEASED = ("predictions", "datasets")
"""In ImageNetV2, predictions/NAME/MODEL.npy has the order of datasets/NAME.json."""


@dataclass(frozen=True, slots=True, eq=False)
class RowOrder:
    """The images of the rows of an array.

    Attributes:
        path: the file that tells.
        image_ids: one per row.
        labels: their dataset labels, where the file has them.
    """

    path: Path
    image_ids: IdArray
    labels: IntArray | None = None

    def check(self, n_rows: int, array: Path) -> None:
        """Refuse an order that has another number of rows than the array."""
        if len(self.image_ids) != n_rows:
            raise FormatError(
                self.path, f"there are {len(self.image_ids):,} ids for the {n_rows:,} rows of {array.name}."
            )


_last: dict[tuple[object, ...], RowOrder] = {}
"""The order that was read last: many participants have the same."""


def find_order(
    path: Path, ids: Path | None, *, what: str = "logits", option: str = "ids", taxonomy: Taxonomy | None = None
) -> RowOrder:
    """The order of an array: that of the file that is named, or of the one beside the array.

    Beside it may lie NAME.ids.txt or image_ids.txt with one id per line and, in a clone of ImageNetV2, the predicted set.

    Args:
        path: the array.
        ids: the file that tells the order, or a truth whose order is meant.
        what: what needs ids, for the error.
        option: where a user can name them, likewise.
        taxonomy: the classes of a truth.

    Raises:
        FormatError: there is no file that tells, or it cannot be read.
    """
    if ids is not None:
        return load_order(ids, taxonomy=taxonomy)
    lists = (path.with_suffix(".ids.txt"), path.with_name(SHARED_IDS))
    for candidate in (*lists, *_find_released(path)):
        if candidate.is_file():
            return load_order(candidate, taxonomy=taxonomy)
    raise FormatError(
        path,
        f"{what} need their image ids, one per line in row order: write them to {lists[0].name} or {SHARED_IDS} beside the "
        f"file, or name with `{option}=…` a file of ids, or the truth whose order the rows have.",
    )


def load_order(path: Path, *, taxonomy: Taxonomy | None = None) -> RowOrder:
    """The images that a file lists, in its order: ids one per line, a column or array of ids, or any truth."""
    key = _make_key(path, taxonomy)
    if key not in _last:
        order = _load(path, taxonomy)
        _last.clear()
        _last[key] = order
    return _last[key]


def _make_key(path: Path, taxonomy: Taxonomy | None) -> tuple[object, ...]:
    found = path.stat() if path.is_file() else None
    name = None if taxonomy is None else taxonomy.name
    return (str(path), found and (found.st_ino, found.st_mtime_ns, found.st_size), name)


def _load(path: Path, taxonomy: Taxonomy | None) -> RowOrder:
    suffix = path.suffix.lower()
    if path.is_dir() or suffix in {".npz", ".tar"}:
        return _load_truth(path, taxonomy)
    if suffix in {".npy", ".json"}:
        texts = _read_texts(path)
        return _load_truth(path, taxonomy) if texts is None else RowOrder(path, freeze_ids(texts, owner=path.name))
    if suffix in TABLE_SUFFIXES:
        return _load_table(path, taxonomy)
    return _load_truth(path, taxonomy) if is_caffe_list(path) else _load_list(path)


def _read_texts(path: Path) -> IdArray | None:
    """The ids of an array or a JSON list of texts; None where it holds something else."""
    if path.suffix.lower() == ".npy":
        values = map_array(path)
        return decode_texts(values, path.name).astype(np.str_) if values.dtype.kind in "US" else None
    content = read_json(path)
    is_list = isinstance(content, list) and content and all(isinstance(one, str) for one in content)
    return make_names(content) if is_list else None


def _load_table(path: Path, taxonomy: Taxonomy | None) -> RowOrder:
    """A truth with labels, a table of ids without, or a plain list in a file that is called as a table is."""
    columns = open_table(path).frame.columns
    if IMAGE_ID not in columns and len(columns) == 1 and path.suffix.lower() in {".csv", ".tsv"}:
        return _load_list(path)
    if IMAGE_ID in columns and "label" not in columns:
        return RowOrder(path, freeze_ids(make_names(open_table(path).get_column(IMAGE_ID)), owner=path.name))
    return _load_truth(path, taxonomy)


def _load_list(path: Path) -> RowOrder:
    return RowOrder(path, freeze_ids(make_names(read_ids(path)), owner=path.name))


def _load_truth(path: Path, taxonomy: Taxonomy | None) -> RowOrder:
    truth = load_truth(path, taxonomy=taxonomy)
    if truth.test_set is not None:
        return RowOrder(path, truth.test_set.image_ids, truth.test_set.labels)
    return RowOrder(path, truth.label_sets[0].image_ids)


def _find_released(path: Path) -> tuple[Path, ...]:
    """Where a clone of ImageNetV2 has the set of an array."""
    answers, sets = RELEASED
    folder = path.resolve().parent
    return (folder.parents[1] / sets / f"{folder.name}.json",) if folder.parent.name == answers else ()
