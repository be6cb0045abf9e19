"""Exact duplicates: the same bytes or the same pixels, within a batch, between batches, and in the study's test sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.errors import InputError
from regauge.formats.fingerprints import CHUNK, read_checksums
from regauge.records.fingerprints import Fingerprints
from regauge.records.pools import ExclusionRule
from regauge.records.studies import ImagePlace, TestSetEntry, TestSetRole
from regauge.storage.draws import find_draw
from regauge.storage.events import add_event
from regauge.storage.fingerprints import add_checksums, load_checksums, make_keys
from regauge.storage.pools import get_pools, list_pools, load_fact, update_checksums
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, list_test_sets, load_places, load_test_set
from regauge.workflows.pool_albums import make_album
from regauge.workflows.pool_components import EXACT, find_strangers, join_images, settle_components
from regauge.workflows.pool_rules import RuleChange, extend_rule


def find_originals(study: Study, names: Sequence[str] = ()) -> tuple[TestSetEntry, ...]:
    """The test sets whose images must not come back: those named, or else all that were not drawn from a pool.

    Raises:
        InputError: there is no such test set.
    """
    if not names:
        return tuple(entry for entry in list_test_sets(study) if find_draw(study, entry) is None)
    found = tuple(get_test_set(study, name) for name in names)
    pool = next((entry.name for entry in found if entry.role is TestSetRole.POOL), None)
    if pool is not None:
        raise InputError(f"{pool!r} is a pool of candidates; the original data are a test set.")
    return found


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


def exclude_copies(
    study: Study,
    prints: Mapping[str, Fingerprints],
    *,
    only: TestSetEntry | None = None,
    frequencies: Sequence[str] = (),
) -> tuple[RuleChange, ...]:
    """Exclude candidates that are the same as another, by their checksums or by earlier reviews of pairs.

    Of all that are the same one candidate stays, or none where an original image is among them. Where a reviewer or a list
    excludes one, no copy of it can be taken under another id.

    Args:
        study: the study, inside a transaction.
        prints: the checksums of batches and of test sets, by name; images of test sets are original.
        only: change nothing but what images of this batch are the same as.
        frequencies: label sets or tables by whose frequencies to choose; all label sets that have some unless given.
    """
    strangers = find_strangers(study, tuple(get_test_set(study, name) for name in prints))
    found = join_images(study, make_album(study, prints, strangers=strangers), frequencies=frequencies)
    changes = settle_components(study, found, only=only)
    return tuple(one for one in changes if one.n_new or one.n_back or (one.rule is EXACT and one.n_excluded))


@dataclass(frozen=True, slots=True)
class FoundCopies:
    """What looking for exact duplicates changed, batch by batch, and what the reader should know."""

    changes: tuple[RuleChange, ...]
    notes: tuple[str, ...]


def read_all_fingerprints(
    study: Study, *, originals: Sequence[str] = ()
) -> tuple[dict[str, Fingerprints], tuple[str, ...]]:
    """The checksums of all batches and of the original test sets by name, and how many images were read for them.

    Args:
        study: the study, which may be only read.
        originals: the test sets of the original data; all that were not drawn from a pool unless given.

    Raises:
        InputError: there is no pool, or no such test set.
        FormatError: a file cannot be read.
    """
    prints: dict[str, Fingerprints] = {}
    for entry in (*get_pools(study), *find_originals(study, originals)):
        prints[entry.name] = read_fingerprints(study, Path(entry.root), places=load_places(study, entry))
    return prints, tuple(note for name, one in prints.items() for note in describe_reading(name, one))


def store_copies(study: Study, prints: Mapping[str, Fingerprints], *, frequencies: Sequence[str] = ()) -> FoundCopies:
    """Exclude the exact duplicates of all batches and what cannot be decoded, and keep the checksums of those that had none.

    Args:
        study: the study, inside a transaction.
        prints: the checksums of all batches and of the original test sets, by name.
        frequencies: label sets or tables by whose frequencies to choose; all label sets that have some unless given.

    Raises:
        InputError: there is no such label set or table.
    """
    unreadable = []
    for entry in list_pools(study):
        if entry.name in prints:
            found, ids = prints[entry.name], load_test_set(study, entry).image_ids
            update_checksums(study, entry, found)
            unreadable += exclude_unreadable(study, entry, {str(ids[row]): why for row, why in found.problems.items()})
    changes = (*unreadable, *exclude_copies(study, prints, frequencies=frequencies))
    parameters = {"exact": list(prints), "n_new": sum(one.n_new for one in changes)}
    add_event(study, "pool duplicates", parameters)
    return FoundCopies(changes, ())


def exclude_unreadable(study: Study, entry: TestSetEntry, problems: Mapping[str, str]) -> list[RuleChange]:
    """Exclude images of a batch that cannot be decoded.

    Args:
        study: the study, inside a transaction.
        entry: the batch.
        problems: image id → why.
    """
    if not problems:
        return []
    reasons = {image_id: problem[:1].upper() + problem[1:] for image_id, problem in problems.items()}
    return [extend_rule(study, entry, ExclusionRule.UNREADABLE, excluded=reasons)]


def describe_reading(name: str, prints: Fingerprints) -> tuple[str, ...]:
    """How many images of a set were read, and which could not be compared."""
    n_known = int((prints.sha256 != "").sum())
    if not n_known:
        return (f"{name} has no image files, so it was compared by image id alone.",)
    notes = [f"{name}: checksums of {n_known:,} images, {prints.n_read:,} of them read now."]
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
