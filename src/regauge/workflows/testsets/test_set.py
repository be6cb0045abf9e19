"""The test sets of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.formats.images.checks import find_broken
from regauge.formats.images.contents import check_places
from regauge.formats.testsets import add_checksums, load_located
from regauge.records.names import check_name
from regauge.records.studies import LocatedTestSet, TestSetEntry, compute_digest
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import (
    find_test_set,
    get_test_set,
    insert_test_set,
    load_places,
    update_root,
)
from regauge.storage.testsets.test_set import list_test_sets as list_stored

FOLLOWS_LINKS = "follows_links"
"""Where the provenance of a test set says whether links may lead out of its folder; older ones do not say."""
N_NAMED = 3
"""Images that a sentence names; the others are counted."""


@dataclass(frozen=True, slots=True)
class TestSetRequest:
    """How a test set is to be added.

    Attributes:
        name: what to call it; the file's or folder's name by default.
        images: the folder that the files of a table are relative to.
        checksums: whether to read every image and store its SHA-256.
        skips_broken: whether images that cannot be shown are left out; else they are refused.
        follows_links: whether links may lead out of the folder; else what they lead to is not shown.
        columns: what a table calls our columns.
        synsets: a file with the class ids in the order in which the ILSVRC devkit numbers them.
    """

    __test__ = False

    name: str | None = None
    images: Path | None = None
    checksums: bool = False
    skips_broken: bool = False
    follows_links: bool = False
    columns: Mapping[str, str] | None = None
    synsets: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PreparedTestSet:
    """A test set that was read and looked through, ready to be stored; or the same, where the study has it already."""

    located: LocatedTestSet
    source: str
    follows_links: bool
    there: TestSetEntry | None


@dataclass(frozen=True, slots=True)
class AddedTestSet:
    """The new test set, and what the reader found."""

    entry: TestSetEntry
    notes: tuple[str, ...]


def list_test_sets(study: Study) -> tuple[TestSetEntry, ...]:
    """All test sets, the oldest first; batches of candidates are none."""
    return list_stored(study)


def add_test_set(
    study: Study, path: str | Path, *, name: str | None = None, images: Path | None = None, checksums: bool = False
) -> AddedTestSet:
    """Add a test set by reference; the images stay where they are.

    One that is there already is left as it is, with a note, so that a command that was stopped can be given again.

    Args:
        study: the study, inside a transaction.
        path: a folder of class folders, a folder with metadata.csv or metadata.jsonl, shards, or a table.
        name: what to call it; the file's or folder's name by default.
        images: the folder that the files of a table are relative to.
        checksums: whether to read every image and store its SHA-256.

    Raises:
        InputError: the study has another test set of that name, or an image cannot be shown.
        FormatError: the files are not a test set.
    """
    return store_test_set(study, prepare_test_set(study, path, request=TestSetRequest(name, images, checksums)))


def prepare_test_set(study: Study, path: str | Path, *, request: TestSetRequest) -> PreparedTestSet:
    """Read a test set and look at every image of it: header, limits, and whether it lies below its folder. This may take long.

    Args:
        study: the study, which may be only read.
        path: as for `add_test_set`.
        request: how it is to be added.

    Raises:
        InputError: an image cannot be shown.
        FormatError: the files are not a test set.
    """
    located = load_located(
        path, taxonomy=study.taxonomy, images=request.images, columns=request.columns, synsets=request.synsets
    )
    if request.name is not None:
        located = replace(located, test_set=replace(located.test_set, name=request.name))
    if not _find_same(study, located):
        check_name(located.test_set.name, what="A test set")
        broken = find_broken(
            Path(located.root), located.places, follows_links=request.follows_links, track=study.around.track
        )
        located = _leave_broken(located, broken, skips=request.skips_broken)
    if request.checksums:
        located = add_checksums(located, track=study.around.track)
    source = str(Path(path).resolve())
    return PreparedTestSet(located, source, request.follows_links, _find_same(study, located))


def store_test_set(study: Study, prepared: PreparedTestSet) -> AddedTestSet:
    """Store a test set that was prepared.

    Args:
        study: the study, inside a transaction.
        prepared: the test set.

    Raises:
        InputError: the study has another test set of that name.
    """
    located, there = prepared.located, prepared.there
    if there is not None:
        return AddedTestSet(there, (*located.notes, f"{there.name} is already there with the same images."))
    provenance = {
        "path": prepared.source,
        "notes": list(located.notes),
        FOLLOWS_LINKS: prepared.follows_links,
    }
    entry = insert_test_set(study, located, provenance=provenance)
    add_event(study, "testset add", {"name": entry.name, "path": prepared.source, "digest": entry.digest})
    return AddedTestSet(entry, located.notes)


def _find_same(study: Study, located: LocatedTestSet) -> TestSetEntry | None:
    there = find_test_set(study, located.test_set.name)
    return there if there is not None and _is_same(study, there, located) else None


def _leave_broken(located: LocatedTestSet, broken: Mapping[int, str], *, skips: bool) -> LocatedTestSet:
    """The test set without images that cannot be shown, or a refusal."""
    if not broken:
        return located
    n, ids = len(located.places), located.test_set.image_ids
    named = [f"{ids[row]} ({why.rstrip('.')})" for row, why in broken.items()][:N_NAMED]
    more = f" and {len(broken) - N_NAMED:,} more" if len(broken) > N_NAMED else ""
    told = f"{len(broken):,} of {n:,} images of {located.test_set.name} cannot be shown: {', '.join(named)}{more}"
    if not skips or len(broken) == n:
        has_links = any("leads out of" in why for why in broken.values())
        links = " Where links lead is up to you: `follows_links=True` takes them." if has_links else ""
        raise InputError(f"{told}. Mend or remove them, or leave them out with `skips_broken=True`.{links}")
    kept = np.array([row not in broken for row in range(n)], np.bool_)
    digests = located.test_set.digests
    test_set = replace(
        located.test_set,
        image_ids=ids[kept],
        labels=located.test_set.labels[kept],
        digests=None if digests is None else digests[kept],
    )
    places = tuple(place for place, is_kept in zip(located.places, kept.tolist(), strict=True) if is_kept)
    return replace(located, test_set=test_set, places=places, notes=(*located.notes, f"{told}; they were left out."))


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
        FormatError: an image is missing there, cannot be shown, or is another than the one whose checksum was stored.
    """
    entry = get_test_set(study, name)
    places = load_places(study, entry)
    if not any(place.path for place in places):
        raise InputError(f"Test set {name!r} was added without image files, so there are none to move.")
    top = Path(root).resolve()
    if not top.is_dir():
        raise InputError(f"{root} is not a folder; name the one that the images are below.")
    n_checked = check_places(top, places)
    # Sets of earlier versions were added with whatever links there were.
    follows = bool(entry.provenance.get(FOLLOWS_LINKS, True))
    broken = find_broken(top, places, follows_links=follows, track=study.around.track)
    if broken:
        row, why = next(iter(broken.items()))
        raise FormatError(
            top / places[row].path, f"{len(broken):,} of {len(places):,} images cannot be shown; of this, {why}"
        )
    moved = update_root(study, entry, root=str(top))
    parameters = {"name": name, "from": entry.root, "to": moved.root, "n_images": len(places), "n_checksums": n_checked}
    add_event(study, "testset relocate", parameters)
    note = f"All {len(places):,} images of {name} are below {moved.root}; {n_checked:,} checksums were compared."
    return AddedTestSet(moved, (note,))
