"""Gathered images → records: folders, tables and search results, with where every image comes from; nothing is copied.

A folder of class folders, or of images of one class; a folder with metadata.csv, .tsv, .jsonl or .json; such a table alone, with
or without the folder of its images; or the JSON that an image search gives. docs/formats.md says by which names fields are
understood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from regauge.arrays import IdArray
from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.images.folders import load_image_folder
from regauge.formats.images.named_files import ImageFiles, NoFileError
from regauge.formats.pools.fields import Row, check_text, read_row
from regauge.formats.pools.search_results import read_search_results
from regauge.formats.sizes import make_names
from regauge.formats.text import name_from_file, read_json_lines, read_table
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.pool import FieldNames, GatheredImages, PoolFacts
from regauge.records.testsets.test_set import TestSet

METADATA = ("metadata.csv", "metadata.tsv", "metadata.jsonl", "metadata.json")
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")
MAX_BYTES = 4 * 2**30
"""A larger table would not fit into the memory of a laptop."""

DEFAULT_NAMES = FieldNames()


class Skip(StrEnum):
    """Rows of a table that may be left out."""

    REPEATED = "repeated"
    """A further row about an image: pages of a search overlap."""
    MISSING = "missing"
    """A row whose file is not there: not all that is found can be fetched."""


def load_gathered(
    path: Path | str,
    *,
    taxonomy: Taxonomy,
    images: Path | None = None,
    names: FieldNames = DEFAULT_NAMES,
    skips: Collection[Skip] = (),
) -> GatheredImages:
    """The candidates in a folder, a table or the results of a search.

    Args:
        path: the folder, the table (`.csv`, `.tsv`, `.jsonl`) or the search results (`.json`).
        taxonomy: the classes.
        images: for a table, the folder of its images: files are relative to it, and where the table names none they are found by
            image id. Without it, files are relative to the table's own folder, and images without one are not at hand.
        names: where to find each field, and what holds where a row does not say.
        skips: which rows are left out rather than refused.

    Raises:
        FormatError: nothing can be read there, or a row has a mistake; the message names the line.
    """
    path = Path(path)
    if not path.exists():
        raise FormatError(path, "there is no such file or folder.")
    if path.is_dir() and images is not None:
        raise FormatError(path, "this is a folder of images; `images=…` goes with a table.")
    try:
        if not path.is_dir():
            folder = _Folder(images, path.parent if images is None else images)
            return _load_table(path, path, _Reader(taxonomy, folder, names, skips))
        metadata = next((path / name for name in METADATA if (path / name).is_file()), None)
        if metadata is None:
            return _load_folder(path, taxonomy, names)
        return _load_table(path, metadata, _Reader(taxonomy, _Folder(path, path), names, skips))
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(path, str(error)) from None


@dataclass(frozen=True, slots=True)
class _Folder:
    """Where images are looked for by id, which may be nowhere; and the folder that named files are relative to."""

    searched: Path | None
    root: Path


@dataclass(frozen=True, slots=True)
class _Source:
    """The rows of a file, and how to say where in it a mistake is."""

    rows: Sequence[tuple[int, Mapping[str, Any]]]
    make_error: Callable[[int, str], FormatError]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One image with its class, its file and its facts."""

    image_id: str
    label: int
    file: str
    facts: tuple[str, ...]


def _load_folder(path: Path, taxonomy: Taxonomy, names: FieldNames) -> GatheredImages:
    if "class" in names.constants:
        return _load_plain_folder(path, taxonomy, names)
    located = load_image_folder(path, taxonomy=taxonomy)
    files = ImageFiles(path)
    blank = read_row({"image_id": "any"}, names=names).facts
    for image_id, place in zip(located.test_set.image_ids.tolist(), located.places, strict=True):
        check_text(image_id, "image id")
        files.check(place.path)
    return GatheredImages(located, _make_facts([blank] * len(located.places)))


def _load_plain_folder(path: Path, taxonomy: Taxonomy, names: FieldNames) -> GatheredImages:
    """All images below a folder, which are of one class."""
    files = [file for same in ImageFiles(path).by_id.values() for file in same]
    source = _Source([(row, {"file": file}) for row, file in enumerate(files)], lambda _, text: FormatError(path, text))
    if not files:
        raise FormatError(path, "the folder holds no images.")
    return _gather(path, path, source, _Reader(taxonomy, _Folder(None, path), names))


def _load_table(path: Path, table: Path, reader: _Reader) -> GatheredImages:
    source = _open(table)
    if not source.rows:
        raise FormatError(table, "there are no candidates in it.")
    _check_names(table, source, reader.names)
    return _gather(path, table, source, reader)


def _gather(path: Path, table: Path, source: _Source, reader: _Reader) -> GatheredImages:
    """All candidates of a source."""
    found, folder = list(_read_candidates(source, reader)), reader.folder
    test_set = TestSet(
        (path.name if path.is_dir() else path.stem) or path.resolve().name,
        make_names([one.image_id for one in found]),
        np.array([one.label for one in found], np.int32),
    )
    kind = TestSetKind.METADATA_FOLDER if path.is_dir() else TestSetKind.TABLE
    places = tuple(ImagePlace(one.file) for one in found)
    if not found:
        raise FormatError(table, "none of its images is at hand.")
    notes = _make_notes(table, found, reader)
    located = LocatedTestSet(test_set, kind, str(folder.root.resolve()), places, notes)
    return GatheredImages(located, _make_facts([one.facts for one in found]))


def _open(path: Path) -> _Source:
    suffix = path.suffix.lower()
    if suffix not in TABLES:
        raise FormatError(path, f"candidates are a folder or a file of {', '.join(TABLES)}, not {suffix or 'this'}.")
    if path.is_file() and path.stat().st_size > MAX_BYTES:
        raise FormatError(path, f"a file of more than {MAX_BYTES // 2**30} GiB is not read; split it into several.")
    if suffix == ".json":
        return _Source(
            list(read_search_results(path)), lambda where, problem: FormatError(path, f"entry {where}: {problem}")
        )
    if suffix in {".jsonl", ".ndjson"}:
        return _Source(list(read_json_lines(path)), lambda where, problem: FormatError(path, problem, line=where))
    table = read_table(path)
    return _Source(list(enumerate(table.frame.iter_rows(named=True))), table.make_error)


def _check_names(path: Path, source: _Source, names: FieldNames) -> None:
    for field, name in names.names.items():
        if not any(name in row for _, row in source.rows):
            known = ", ".join(list(source.rows[0][1])[:20])
            raise FormatError(path, f"no row has {name!r}, which {field} was to be taken from; the first has: {known}.")


class _Reader:
    """Reads rows one after the other, and knows which images came before."""

    def __init__(self, taxonomy: Taxonomy, folder: _Folder, names: FieldNames, skips: Collection[Skip] = ()) -> None:
        self.folder, self.names = folder, names
        self.n_skipped: Counter[Skip] = Counter()
        self._taxonomy, self._skips = taxonomy, skips
        self._files = ImageFiles(folder.root)
        self._classes: dict[str, int] = {}
        self._seen: set[str] = set()

    def read(self, cells: Mapping[str, Any]) -> _Candidate | None:
        """The candidate that a row is about; None where the row is left out.

        Raises:
            InputError: the row has a mistake, or is the second about its image.
        """
        row = read_row(cells, names=self.names)
        image_id = row.image_id or check_text(name_from_file(row.file), "image id")
        if image_id in self._seen:
            problem = f"image {image_id!r} occurs a second time; an id stands for one image. `skips_known=True` leaves it out."
            self._leave_out(Skip.REPEATED, InputError(problem))
            return None
        try:
            file = self._find_file(row)
        except NoFileError as error:
            self._leave_out(Skip.MISSING, error)
            return None
        self._seen.add(image_id)
        label = row.label if row.label is not None else _find_class_folder(file)
        return _Candidate(image_id, self._resolve(label), file, row.facts)

    def _leave_out(self, why: Skip, error: InputError) -> None:
        """Count a row that is left out, or refuse it."""
        if why not in self._skips:
            raise error
        self.n_skipped[why] += 1

    def _find_file(self, row: Row) -> str:
        """The file of a candidate; empty where it is not at hand."""
        if row.file:
            self._files.check(row.file)
            return row.file
        return self._files.get(row.image_id) if self.folder.searched is not None else ""

    def _resolve(self, label: object) -> int:
        if not isinstance(label, str):
            return resolve_class(label, self._taxonomy)
        if label not in self._classes:
            self._classes[label] = resolve_class(label, self._taxonomy)
        return self._classes[label]


def _read_candidates(source: _Source, reader: _Reader) -> Iterator[_Candidate]:
    """Every candidate, in the order of the file; the first mistake is told with its line."""
    for where, cells in source.rows:
        try:
            found = reader.read(cells)
        except InputError as error:
            raise source.make_error(where, str(error)) from None
        if found is not None:
            yield found


def _find_class_folder(file: str) -> str:
    """The folder that a file lies in stands for its class, where nothing else does."""
    parts = Path(file).parts
    if len(parts) < 2:
        raise InputError("every candidate needs a class: a column class, a class folder, or one class for all.")
    return parts[0]


def _make_notes(table: Path, found: Sequence[_Candidate], reader: _Reader) -> tuple[str, ...]:
    folder, n_skipped = reader.folder, reader.n_skipped
    n_files = sum(bool(one.file) for one in found)
    absent = "" if n_files == len(found) else f", {len(found) - n_files:,} of them without image files"
    notes = [f"{table.name}: {count_things(len(found), 'candidate')} found{absent}."]
    if n_skipped[Skip.REPEATED]:
        notes.append(f"{count_things(n_skipped[Skip.REPEATED], 'row')} left out: the image came before.")
    if n_skipped[Skip.MISSING]:
        notes.append(f"{count_things(n_skipped[Skip.MISSING], 'row')} left out: the image is not at hand.")
    if folder.searched is not None and folder.searched == table.parent:
        used = {one.file for one in found}
        n_left = sum(file not in used for files in ImageFiles(folder.root).by_id.values() for file in files)
        notes += [f"{count_things(n_left, 'image')} in the folder left out: not in {table.name}."] if n_left else []
    return tuple(notes)


def _make_facts(rows: Sequence[tuple[str, ...]]) -> PoolFacts:
    known: list[IdArray] = [make_names(column) for column in zip(*rows, strict=True)]
    keywords, taken, uploaded, sources, licences, urls = known
    return PoolFacts(keywords, taken, uploaded, sources, licences, urls, np.full(len(rows), "", np.str_))
