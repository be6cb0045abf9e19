"""The checksums of images, read once and kept: those of batches with them, those of test sets in the study's cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from regauge.estimates import count_things
from regauge.formats.images.fingerprints import CHUNK, read_checksums
from regauge.records.studies import ImagePlace, TestSetEntry, TestSetRole
from regauge.records.testsets.fingerprints import Fingerprints
from regauge.storage.fingerprints import add_checksums, load_checksums, make_keys
from regauge.storage.study import Study
from regauge.storage.testsets.pool import list_pools, load_fact
from regauge.storage.testsets.test_set import load_places


def read_fingerprints(
    study: Study, root: Path, *, places: Sequence[ImagePlace], only_known: bool = False
) -> Fingerprints:
    """The checksums of images; those that were read before, by whatever command, are taken from the study's cache.

    Args:
        study: the study, which may be only read.
        root: the folder of the images.
        places: where they lie below it.
        only_known: read none, so that those not read before have no checksums.

    Raises:
        FormatError: a file cannot be read.
    """
    rows = [row for row, place in enumerate(places) if place.path]
    keys = make_keys(root, [places[row] for row in rows])
    known = load_checksums(study, root) if rows else {}
    new = [] if only_known else [at for at, key in enumerate(keys) if key not in known]
    checksums = read_checksums(root, [places[rows[at]] for at in new], track=study.around.track)
    for number, chunk in enumerate(checksums):
        of_chunk = [keys[at] for at in new[number * CHUNK : number * CHUNK + len(chunk)]]
        add_checksums(study, root, keys=of_chunk, checksums=chunk)
        known |= zip(of_chunk, chunk, strict=True)
    found = {row: known[key] for row, key in zip(rows, keys, strict=True) if key in known}
    nothing = ("", "", "")
    return Fingerprints(
        np.array([found.get(row, nothing)[0] for row in range(len(places))], np.str_),
        np.array([found.get(row, nothing)[1] for row in range(len(places))], np.str_),
        {row: one[2] for row, one in found.items() if one[2]},
        len(new),
    )


def load_fingerprints(study: Study, entry: TestSetEntry) -> Fingerprints:
    """The checksums that are known of a set, those of a pool from where they are stored with it; no image is read."""
    places = load_places(study, entry)
    if entry.role is not TestSetRole.POOL:
        return read_fingerprints(study, Path(entry.root), places=places, only_known=True)
    return Fingerprints(
        np.array([one.sha256 or "" for one in places], np.str_), load_fact(study, entry, name="pixels_sha256")
    )


def describe_reading(name: str, prints: Fingerprints) -> tuple[str, ...]:
    """How many images of a set were read, and which could not be compared."""
    n_known = int((prints.sha256 != "").sum())
    if not n_known:
        return (f"{name} has no image files, so it was compared by image id alone.",)
    notes = [f"{name}: checksums of {count_things(n_known, 'image')}, {prints.n_read:,} of them read now."]
    if prints.problems:
        first = next(iter(prints.problems.values()))
        notes.append(f"{name}: of {len(prints.problems):,} images the pixels are not known; of the first, {first}")
    return tuple(notes)


def list_checked_pools(study: Study) -> tuple[dict[str, Fingerprints], tuple[str, ...]]:
    """The stored checksums of batches by name, and the batches that have none although their images are at hand."""
    entries = list_pools(study)
    prints = {entry.name: load_fingerprints(study, entry) for entry in entries}
    unread = [entry for entry in entries if not (prints[entry.name].sha256 != "").any()]
    return prints, tuple(entry.name for entry in unread if any(place.path for place in load_places(study, entry)))
