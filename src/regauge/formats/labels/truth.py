"""Truth files → dataset labels and label sets: one reader for everything that a user may have, told by extension and content.

Tables `image_id,label`, Kaggle's, and those of our own exports; JSON Lines with verdicts; JSON of ReaL, of ImageNetV2 and of
Shankar et al. (2020); lists and arrays of labels; folders and shards of images. docs/formats.md shows one of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from regauge.errors import FormatError, InputError
from regauge.formats.images.sources import find_located
from regauge.formats.labels.json_truths import load_json_truth
from regauge.formats.labels.lists import load_label_array, load_label_list
from regauge.formats.labels.sources import TruthSource
from regauge.formats.labels.truth_tables import VERDICT_COLUMNS, load_truth_table
from regauge.formats.labels.verdict_lines import load_verdict_lines
from regauge.formats.slices.folders import is_slice_folder, load_slice_folder
from regauge.formats.tables import list_columns
from regauge.formats.text import EmptyFileError, split_part
from regauge.records.labels.label_set import Truth, Unlisted
from regauge.records.taxonomy import Taxonomy

SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl", ".json", ".txt", ".npy", ".npz", ".tar")
EXPORTED = ("images", "labels")
"""The tables of our own export that hold a truth."""


def load_truth(  # noqa: PLR0913 - what a file cannot say of itself, all by name
    path: Path | str,
    *,
    taxonomy: Taxonomy | None = None,
    unlisted: Unlisted | None = None,
    columns: Mapping[str, str] | None = None,
    synsets: Path | None = None,
    ids: Path | None = None,
) -> Truth:
    """The truth in a file or folder; its kind is told by its extension and content.

    Args:
        path: the file, or a folder or shards of images; PATH#NAME chooses a test set or label set of an export.
        taxonomy: the classes; without it, classes must be given by index.
        unlisted: what a class in none of an image's lists means, when the file's own sign is not to be believed.
        columns: our name of a column → the file's.
        synsets: the class ids in the order in which the ILSVRC devkit numbers them.
        ids: image ids of an array of labels, one per line.
    """
    file, part = split_part(path)
    source = TruthSource(file, taxonomy, unlisted, columns or {}, synsets, ids, part)
    try:
        return _load(source)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(file, str(error)) from None


def find_exported(folder: Path) -> list[Path]:
    """The tables of images and labels in a folder that our export wrote; none in any other."""
    for suffix in (".parquet", ".jsonl", ".csv"):
        files = [folder / f"{name}{suffix}" for name in (*EXPORTED, "predictions", "scores")]
        if all(file.is_file() for file in files):
            return files[: len(EXPORTED)]
    return []


def _load(source: TruthSource) -> Truth:
    path = source.path
    exported = find_exported(path) if path.is_dir() else []
    if exported:
        return _load_exported(source, *exported)
    if path.is_dir() and is_slice_folder(path):
        return load_slice_folder(path, taxonomy=source.taxonomy).truth
    located = find_located(path, taxonomy=source.taxonomy, columns=source.columns, part=source.part)
    if located is not None:
        return Truth(located.test_set, notes=located.notes)
    suffix = path.suffix.lower()
    if suffix in _READERS:
        return _READERS[suffix](source)
    if not path.exists():
        raise FormatError(path, "there is no such file or folder.")
    raise FormatError(
        path,
        f"a truth is a {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file or a folder of images, not {suffix or 'this'}.",
    )


def _load_lines(source: TruthSource) -> Truth:
    """JSON Lines with one image each, or the rows of an export."""
    names = set(list_columns(source.path))
    is_exported = set(VERDICT_COLUMNS) <= names or {"test_set", "label_id"} <= names
    return load_truth_table(source) if is_exported else load_verdict_lines(source)


def _load_exported(source: TruthSource, images: Path, labels: Path) -> Truth:
    """The test set of an export and all label sets on its images."""
    found = load_truth_table(replace(source, path=images))
    if found.test_set is None:
        raise FormatError(images, "this table has no images.")
    kept = frozenset(found.test_set.image_ids.tolist())
    try:
        verdicts = load_truth_table(replace(source, path=labels, part=None, images=kept))
    except EmptyFileError:
        return found
    return replace(verdicts, test_set=found.test_set, notes=(*found.notes, *verdicts.notes))


_READERS: Mapping[str, Callable[[TruthSource], Truth]] = {
    ".csv": load_truth_table,
    ".tsv": load_truth_table,
    ".parquet": load_truth_table,
    ".jsonl": _load_lines,
    ".ndjson": _load_lines,
    ".json": load_json_truth,
    ".npy": load_label_array,
    ".npz": load_label_array,
    ".txt": load_label_list,
}
