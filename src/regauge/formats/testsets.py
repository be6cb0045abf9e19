"""Test sets as they lie on disk → records with the place of every image; nothing is copied.

A folder of class folders; a folder with metadata.csv or metadata.jsonl; WebDataset shards; CSV `image_id,label[,file]`; any
truth file with dataset labels. docs/study.md shows one of each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from regauge.errors import FormatError, InputError
from regauge.formats.images.folders import check_files, find_metadata, load_image_folder, load_metadata_folder
from regauge.formats.images.shards import find_shards, load_shards
from regauge.formats.labels.truth import load_truth
from regauge.formats.text import read_table
from regauge.records.progress import Track, track_silently
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.taxonomy import Taxonomy


def load_located(path: Path | str, *, taxonomy: Taxonomy | None = None, images: Path | None = None) -> LocatedTestSet:
    """The test set in a file or folder; its kind is told by what is there.

    Args:
        path: the file or folder; of shards also a glob.
        taxonomy: the classes; without it, classes must be given by index.
        images: the folder that the column `file` of a table is relative to; unless given, that of the table.
    """
    path = Path(path)
    try:
        return _load(path, taxonomy, images)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(path, str(error)) from None


def add_checksums(located: LocatedTestSet, *, track: Track = track_silently) -> LocatedTestSet:
    """The same with the SHA-256 of every image.

    Args:
        located: a test set whose images are at hand.
        track: who is told how many images are read.

    Raises:
        InputError: the images are not at hand.
        FormatError: an image cannot be read.
    """
    if not all(place.path for place in located.places):
        raise InputError(f"Test set {located.test_set.name} does not say where its images are, so none can be checked.")
    return replace(located, places=tuple(_add_checksums(located, track)))


def _load(path: Path, taxonomy: Taxonomy | None, images: Path | None) -> LocatedTestSet:
    shards = find_shards(path)
    if shards:
        return load_shards(shards, taxonomy=taxonomy)
    if path.is_dir():
        metadata = find_metadata(path)
        if metadata is not None:
            return load_metadata_folder(metadata, taxonomy=taxonomy)
        return load_image_folder(path, taxonomy=taxonomy)
    return _load_table(path, taxonomy, images)


def _load_table(path: Path, taxonomy: Taxonomy | None, images: Path | None) -> LocatedTestSet:
    truth = load_truth(path, taxonomy=taxonomy)
    if truth.test_set is None:
        raise FormatError(path, "a test set needs a dataset label for every image, and this file has none.")
    root = path.parent if images is None else images
    files = [""] * len(truth.test_set)
    if path.suffix.lower() in {".csv", ".tsv"}:
        table = read_table(path)
        if "file" in table.frame.columns:
            files = table.get_column("file").to_list()
            check_files(path, root, files=files)
    note = (
        f"{path.name}: dataset labels of {len(truth.test_set):,} images{'' if any(files) else ', without image files'}."
    )
    digests = truth.test_set.digests
    known = [None] * len(files) if digests is None else [digest or None for digest in digests.tolist()]
    places = tuple(ImagePlace(file, sha256=digest) for file, digest in zip(files, known, strict=True))
    return LocatedTestSet(truth.test_set, TestSetKind.TABLE, str(root.resolve()), places, (note,))


def _add_checksums(located: LocatedTestSet, track: Track) -> Iterator[ImagePlace]:
    for place in track(located.places, "Reading images"):
        path = Path(located.root) / place.path
        try:
            with path.open("rb") as file:
                file.seek(place.offset or 0)
                content = file.read(-1 if place.n_bytes is None else place.n_bytes)
        except OSError as error:
            raise FormatError(path, f"the image cannot be read: {error.strerror}.") from error
        yield replace(place, sha256=hashlib.sha256(content).hexdigest())
