"""Folders of images → test sets with the place of every image: one folder per class, or a metadata file beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.sizes import make_names
from regauge.formats.tables import rename_columns, rename_fields
from regauge.formats.text import name_from_file, name_from_files, read_json_lines, read_table
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

IMAGE_SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"})
METADATA_FILES = ("metadata.csv", "metadata.jsonl")
METADATA_FIELDS = ("file_name", "label")
N_NAMED = 5


def is_class_folder(path: Path) -> bool:
    """Whether a folder has folders with images in them."""
    return any(_find_images(folder) for folder in _list_folders(path))


def is_flat_folder(path: Path) -> bool:
    """Whether a folder has images right inside."""
    return bool(_find_images(path))


def load_image_folder(path: Path, *, taxonomy: Taxonomy | None = None) -> LocatedTestSet:
    """The images of a folder that has one folder per class, class after class."""
    folders = _list_folders(path)
    index_of = _find_folder_classes(path, folders, taxonomy)
    files = [(file, index_of[folder.name]) for folder in folders for file in _find_images(folder)]
    places = tuple(ImagePlace(f"{file.parent.name}/{file.name}") for file, _ in files)
    paths = [place.path for place in places]
    ids = name_from_files(paths)
    check_collisions(path, ids, files=paths)
    name = path.name or path.resolve().name
    test_set = TestSet(name, make_names(ids), np.array([index for _, index in files]))
    numbering = ", numbered in alphabetical order" if _is_alphabetical(folders, taxonomy) else ""
    notes = [
        f"{name}: {count_things(len(test_set), 'image')} in {count_things(len(folders), 'class folder')}{numbering}."
    ]
    n_beside = len(_find_images(path))
    if n_beside:
        notes.append(f"{name}: {count_things(n_beside, 'image')} beside the class folders left out.")
    return LocatedTestSet(test_set, TestSetKind.IMAGE_FOLDER, str(path.resolve()), places, tuple(notes))


def load_flat_folder(path: Path) -> LocatedTestSet:
    """The images that lie right in a folder, by the alphabet: a test set without labels."""
    files = [file.name for file in _find_images(path)]
    ids = name_from_files(files)
    check_collisions(path, ids, files=files)
    name = path.name or path.resolve().name
    test_set = TestSet(name, make_names(ids), np.full(len(ids), NO_CLASS, np.int32))
    note = f"{name}: {count_things(len(ids), 'image')} without labels."
    places = tuple(ImagePlace(file) for file in files)
    return LocatedTestSet(test_set, TestSetKind.IMAGE_FOLDER, str(path.resolve()), places, (note,))


def describe_folder(path: Path) -> str:
    """What lies in a folder without images, for an error."""
    entries = [entry for entry in path.iterdir() if not entry.name.startswith(".")]
    folders = [entry for entry in entries if entry.is_dir()]
    files = [entry for entry in entries if not entry.is_dir()]
    parts = []
    if files:
        kinds = sorted({file.suffix.lower() or "without extension" for file in files})
        parts.append(
            f"{count_things(len(files), 'file')} ({', '.join(kinds[:N_NAMED])}{', …' if len(kinds) > N_NAMED else ''})"
        )
    if folders:
        parts.append(count_things(len(folders), "folder"))
    deeper = next((folder for folder in sorted(folders) if is_class_folder(folder)), None)
    hint = f", and {deeper.name} holds folders with images: name that one" if deeper is not None else ""
    return f"this one holds {' and '.join(parts)}{hint}" if parts else "this one is empty"


def _list_folders(path: Path) -> list[Path]:
    return sorted(entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith("."))


def find_metadata(folder: Path) -> Path | None:
    """The metadata file of a folder of images, where it has one."""
    return next((folder / name for name in METADATA_FILES if (folder / name).is_file()), None)


def load_metadata_folder(
    metadata: Path, *, taxonomy: Taxonomy | None = None, columns: Mapping[str, str] | None = None
) -> LocatedTestSet:
    """The images that a metadata.csv or metadata.jsonl lists by `file_name` and `label`, in its order.

    An `image_id` beside them is used; otherwise files name the images.
    """
    folder = metadata.parent
    rows = list(_read_metadata(metadata, taxonomy, columns or {}))
    files = [file for _, file, _ in rows]
    unlabelled = [file for _, file, label in rows if label == NO_CLASS]
    if 0 < len(unlabelled) < len(rows):
        raise FormatError(metadata, f"{unlabelled[0]!r} has no label, as others do; give all files a label, or none.")
    ids = [given or named for (given, _, _), named in zip(rows, name_from_files(files), strict=True)]
    check_collisions(metadata, ids, files=files)
    check_files(metadata, folder, files=files)
    test_set = TestSet(folder.resolve().name, make_names(ids), np.array([label for _, _, label in rows]))
    note = f"{metadata.name}: {count_things(len(test_set), 'image')} {'without' if unlabelled else 'with'} labels."
    places = tuple(ImagePlace(file) for _, file, _ in rows)
    return LocatedTestSet(test_set, TestSetKind.METADATA_FOLDER, str(folder.resolve()), places, (note,))


def check_files(source: Path, root: Path, *, files: Sequence[str]) -> None:
    """Refuse a file that is not there or is not below the root."""
    top = root.resolve()
    for file in files:
        path = top / file
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise FormatError(source, f"{file!r} is not below {root}; files are written relative to that folder.")
        if not path.is_file():
            raise FormatError(source, f"there is no file {file!r} in {root}.")


def check_collisions(path: Path, ids: Sequence[str], *, files: Sequence[str]) -> None:
    """Refuse two files that stand for one image."""
    first: dict[str, str] = {}
    for image_id, file in zip(ids, files, strict=True):
        if image_id in first:
            raise FormatError(path, f"{first[image_id]} and {file} both stand for image {image_id!r}; rename one.")
        first[image_id] = file


def _read_metadata(path: Path, taxonomy: Taxonomy | None, columns: Mapping[str, str]) -> Iterator[tuple[str, str, int]]:
    """Image id, which may be empty, file and label of every line."""
    if path.suffix == ".csv":
        table = rename_columns(read_table(path), columns, own=METADATA_FIELDS)
        for number, cells in enumerate(table.frame.iter_rows(named=True)):
            try:
                yield _read_row(cells, taxonomy)
            except InputError as error:
                raise table.make_error(number, str(error)) from None
        return
    for line, row in read_json_lines(path):
        try:
            yield _read_row(rename_fields(row, columns), taxonomy)
        except InputError as error:
            raise FormatError(path, str(error), line=line) from None


def _read_row(row: Mapping[str, Any], taxonomy: Taxonomy | None) -> tuple[str, str, int]:
    file, label = row.get("file_name"), row.get("label")
    if not isinstance(file, str) or not name_from_file(file):
        raise InputError("every line needs a file_name.")
    index = NO_CLASS if label is None or label == "" else resolve_class(label, taxonomy)
    return str(row.get("image_id") or ""), file, index


def _find_folder_classes(path: Path, folders: Sequence[Path], taxonomy: Taxonomy | None) -> dict[str, int]:
    """The class of each folder: by the taxonomy, or else the folder's place in the alphabet, as torchvision counts."""
    if _is_alphabetical(folders, taxonomy):
        return {folder.name: position for position, folder in enumerate(folders)}
    try:
        return {folder.name: resolve_class(folder.name, taxonomy) for folder in folders}
    except InputError as error:
        raise FormatError(path, f"a class folder is not understood: {error}") from None


def _is_alphabetical(folders: Sequence[Path], taxonomy: Taxonomy | None) -> bool:
    return taxonomy is None and not all(folder.name.isdigit() for folder in folders)


def _find_images(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix.lower() in IMAGE_SUFFIXES and file.is_file())
