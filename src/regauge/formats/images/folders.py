"""Folders of images → test sets with the place of every image: one folder per class, or a metadata file beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.formats.classes import resolve_class
from regauge.formats.sizes import make_names
from regauge.formats.text import name_from_file, read_json_lines, read_table
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

IMAGE_SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"})
METADATA_FILES = ("metadata.csv", "metadata.jsonl")


def load_image_folder(path: Path, *, taxonomy: Taxonomy | None = None) -> LocatedTestSet:
    """The images of a folder that has one folder per class, class after class."""
    folders = sorted(entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    index_of = _find_folder_classes(path, folders, taxonomy)
    files = [(file, index_of[folder.name]) for folder in folders for file in _find_images(folder)]
    if not files:
        raise FormatError(path, "the folder holds no images; it must hold one folder per class with the images inside.")
    places = tuple(ImagePlace(f"{file.parent.name}/{file.name}") for file, _ in files)
    ids = [name_from_file(file.name) for file, _ in files]
    check_collisions(path, ids, files=[place.path for place in places])
    name = path.name or path.resolve().name
    test_set = TestSet(name, make_names(ids), np.array([index for _, index in files]))
    numbering = ", numbered in alphabetical order" if _is_alphabetical(folders, taxonomy) else ""
    note = f"{name}: {len(test_set):,} images in {len(folders):,} class folders{numbering}."
    return LocatedTestSet(test_set, TestSetKind.IMAGE_FOLDER, str(path.resolve()), places, (note,))


def find_metadata(folder: Path) -> Path | None:
    """The metadata file of a folder of images, where it has one."""
    return next((folder / name for name in METADATA_FILES if (folder / name).is_file()), None)


def load_metadata_folder(metadata: Path, *, taxonomy: Taxonomy | None = None) -> LocatedTestSet:
    """The images that a metadata.csv or metadata.jsonl lists by `file_name` and `label`, in its order.

    An `image_id` beside them is used; otherwise the id is the file's base name without extension.
    """
    folder = metadata.parent
    rows = list(_read_metadata(metadata, taxonomy))
    ids = [image_id for image_id, _, _ in rows]
    check_collisions(metadata, ids, files=[file for _, file, _ in rows])
    check_files(metadata, folder, files=[file for _, file, _ in rows])
    test_set = TestSet(folder.resolve().name, make_names(ids), np.array([label for _, _, label in rows]))
    note = f"{metadata.name}: {len(test_set):,} images with labels."
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


def _read_metadata(path: Path, taxonomy: Taxonomy | None) -> Iterator[tuple[str, str, int]]:
    """Image id, file and label of every line."""
    if path.suffix == ".csv":
        table = read_table(path)
        for number, cells in enumerate(table.frame.iter_rows(named=True)):
            try:
                yield _read_row(cells, taxonomy)
            except InputError as error:
                raise table.make_error(number, str(error)) from None
        return
    for line, row in read_json_lines(path):
        try:
            yield _read_row(row, taxonomy)
        except InputError as error:
            raise FormatError(path, str(error), line=line) from None


def _read_row(row: Mapping[str, Any], taxonomy: Taxonomy | None) -> tuple[str, str, int]:
    file, label = row.get("file_name"), row.get("label")
    if not isinstance(file, str) or not name_from_file(file):
        raise InputError("every line needs a file_name.")
    if label is None or label == "":
        raise InputError("every line needs a label.")
    return str(row.get("image_id") or name_from_file(file)), file, resolve_class(label, taxonomy)


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
