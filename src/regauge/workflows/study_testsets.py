"""The test sets of a study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from regauge.formats.testsets import add_checksums, load_located
from regauge.records.studies import TestSetEntry
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets import insert_test_set, list_test_sets

__all__ = ["AddedTestSet", "add_test_set", "list_test_sets"]


@dataclass(frozen=True, slots=True)
class AddedTestSet:
    """The new test set, and what the reader found."""

    entry: TestSetEntry
    notes: tuple[str, ...]


def add_test_set(
    study: Study, path: str | Path, *, name: str | None = None, images: Path | None = None, checksums: bool = False
) -> AddedTestSet:
    """Add a test set by reference; the images stay where they are.

    Args:
        study: the study, inside a transaction.
        path: a folder of class folders, a folder with metadata.csv or metadata.jsonl, shards, or a table.
        name: what to call it; the file's or folder's name unless given.
        images: the folder that the files of a table are relative to.
        checksums: whether to read every image and store its SHA-256.

    Raises:
        InputError: the study has a test set of that name.
        FormatError: the files are not a test set.
    """
    located = load_located(path, taxonomy=study.taxonomy, images=images)
    if name is not None:
        located = replace(located, test_set=replace(located.test_set, name=name))
    if checksums:
        located = add_checksums(located)
    source = str(Path(path).resolve())
    entry = insert_test_set(study, located, provenance={"path": source, "notes": list(located.notes)})
    add_event(study, "testset add", {"name": entry.name, "path": source, "digest": entry.digest})
    return AddedTestSet(entry, located.notes)
