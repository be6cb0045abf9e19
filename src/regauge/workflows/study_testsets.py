"""The test sets of a study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from regauge.errors import InputError
from regauge.formats.images import check_places
from regauge.formats.testsets import add_checksums, load_located
from regauge.records.names import check_name
from regauge.records.studies import LocatedTestSet, TestSetEntry, compute_digest
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets import (
    find_test_set,
    get_test_set,
    insert_test_set,
    list_test_sets,
    load_places,
    update_root,
)

__all__ = ["AddedTestSet", "add_test_set", "list_test_sets", "relocate_test_set"]


@dataclass(frozen=True, slots=True)
class AddedTestSet:
    """The new test set, and what the reader found."""

    entry: TestSetEntry
    notes: tuple[str, ...]


def add_test_set(
    study: Study, path: str | Path, *, name: str | None = None, images: Path | None = None, checksums: bool = False
) -> AddedTestSet:
    """Add a test set by reference; the images stay where they are.

    One that is there already is left as it is, with a note, so that a command that was stopped can be given again.

    Args:
        study: the study, inside a transaction.
        path: a folder of class folders, a folder with metadata.csv or metadata.jsonl, shards, or a table.
        name: what to call it; the file's or folder's name unless given.
        images: the folder that the files of a table are relative to.
        checksums: whether to read every image and store its SHA-256.

    Raises:
        InputError: the study has another test set of that name.
        FormatError: the files are not a test set.
    """
    located = load_located(path, taxonomy=study.taxonomy, images=images)
    if name is not None:
        located = replace(located, test_set=replace(located.test_set, name=name))
    if checksums:
        located = add_checksums(located, track=study.around.track)
    there = find_test_set(study, located.test_set.name)
    if there is not None and _is_same(study, there, located):
        return AddedTestSet(there, (*located.notes, f"{there.name} is already there with the same images."))
    if there is None:
        check_name(located.test_set.name, what="A test set")
    source = str(Path(path).resolve())
    entry = insert_test_set(study, located, provenance={"path": source, "notes": list(located.notes)})
    add_event(study, "testset add", {"name": entry.name, "path": source, "digest": entry.digest})
    return AddedTestSet(entry, located.notes)


def _is_same(study: Study, there: TestSetEntry, located: LocatedTestSet) -> bool:
    """Whether the stored test set has the same images with the same labels in the same places."""
    same_rows = (there.digest, there.root) == (compute_digest(located.test_set), located.root)
    return same_rows and load_places(study, there) == located.places


def relocate_test_set(study: Study, name: str, *, root: str | Path) -> AddedTestSet:
    """Say where the images of a test set are now, after checking that every one of them is there.

    Args:
        study: the study, inside a transaction.
        name: the test set.
        root: the folder that takes the place of its root; what is below it is as it was.

    Raises:
        InputError: there is no such test set, or it has no image files.
        FormatError: an image is missing there, or is another than the one whose checksum was stored.
    """
    entry = get_test_set(study, name)
    places = load_places(study, entry)
    if not any(place.path for place in places):
        raise InputError(f"Test set {name!r} was added without image files, so there are none to move.")
    top = Path(root).resolve()
    if not top.is_dir():
        raise InputError(f"{root} is no folder; name the one that the images are below.")
    n_checked = check_places(top, places)
    moved = update_root(study, entry, root=str(top))
    parameters = {"name": name, "from": entry.root, "to": moved.root, "n_images": len(places), "n_checksums": n_checked}
    add_event(study, "testset relocate", parameters)
    note = f"All {len(places):,} images of {name} are below {moved.root}; {n_checked:,} checksums were compared."
    return AddedTestSet(moved, (note,))
