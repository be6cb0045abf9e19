"""Test sets as they lie on disk → records with the place of every image; nothing is copied.

Folders of images, with or without classes or metadata; WebDataset shards; datasets of Hugging Face; tables
`image_id,label[,file]`; any truth file with dataset labels. docs/study.md and docs/formats.md show one of each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from regauge.errors import FormatError, InputError
from regauge.formats.images.folders import check_files
from regauge.formats.images.sources import find_located
from regauge.formats.labels.sources import TruthSource
from regauge.formats.labels.truth import load_truth
from regauge.formats.labels.truth_tables import choose_test_set, open_truth_table
from regauge.formats.text import split_part
from regauge.records.labels.label_set import Truth
from regauge.records.progress import Track, track_silently
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.taxonomy import Taxonomy

FILE = "file"
"""The column of a table that says where an image is."""


def load_located(
    path: Path | str,
    *,
    taxonomy: Taxonomy | None = None,
    images: Path | None = None,
    columns: Mapping[str, str] | None = None,
    synsets: Path | None = None,
) -> LocatedTestSet:
    """The test set in a file or folder; its kind is told by what is there.

    Args:
        path: the file or folder; of shards also a glob.
        taxonomy: the classes; without it, classes must be given by index.
        images: the folder that the column `file` of a table is relative to; by default that of the table.
        columns: our name of a column → the file's.
        synsets: the class ids in the order in which the ILSVRC devkit numbers them.
    """
    file, part = split_part(path)
    try:
        located = find_located(file, taxonomy=taxonomy, columns=columns, part=part)
        if located is not None:
            return located
        truth = load_truth(path, taxonomy=taxonomy, columns=columns, synsets=synsets)
        return _locate(file, truth, images, TruthSource(file, columns=columns or {}, part=part))
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(file, str(error)) from None


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


def _locate(path: Path, truth: Truth, images: Path | None, source: TruthSource) -> LocatedTestSet:
    """The images of a truth that a file lists, with their files where it says them."""
    if truth.test_set is None:
        raise FormatError(path, "a test set needs the dataset labels of its images, and this file has none.")
    root = path.parent if images is None else images
    files = [""] * len(truth.test_set)
    if path.suffix.lower() in {".csv", ".tsv", ".parquet"}:
        table, _ = choose_test_set(open_truth_table(source), source)
        if FILE in table.frame.columns:
            files = table.get_column(FILE).to_list()
            check_files(path, root, files=files)
    without = () if any(files) else (f"{path.name}: the images themselves are not at hand.",)
    digests = truth.test_set.digests
    known = [None] * len(files) if digests is None else [digest or None for digest in digests.tolist()]
    places = tuple(ImagePlace(file, sha256=digest) for file, digest in zip(files, known, strict=True))
    return LocatedTestSet(truth.test_set, TestSetKind.TABLE, str(root.resolve()), places, (*truth.notes, *without))


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
