"""Exact duplicates: the same bytes or the same pixels, within a batch, between batches, and in the study's test sets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.errors import InputError
from regauge.formats.fingerprints import CHUNK, read_checksums
from regauge.records.arrays import BoolArray, CountArray, IdArray
from regauge.records.fingerprints import Fingerprints
from regauge.records.pools import ExclusionRule
from regauge.records.studies import ImagePlace, TestSetEntry, TestSetRole
from regauge.storage.draws import find_draw
from regauge.storage.events import add_event
from regauge.storage.fingerprints import add_checksums, load_checksums, make_keys
from regauge.storage.pools import find_excluded, get_pools, list_pools, load_fact, update_checksums
from regauge.storage.study import Study
from regauge.storage.testsets import get_test_set, list_test_sets, load_places, load_test_set
from regauge.testsets.copies import Copies, find_copies, link_equal
from regauge.workflows.pool_rules import RuleChange, extend_rule

_BY_CONTENT = frozenset({ExclusionRule.NEAR_DUPLICATE, ExclusionRule.REVIEW, ExclusionRule.LIST})
"""What these rules hold against an image, they hold against its copies."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Album:
    """Images of several sets in one column, to be compared with each other.

    Attributes:
        entries: the sets.
        numbers: per image, which set it is of.
        image_ids: its id.
        prints: its checksums.
    """

    entries: tuple[TestSetEntry, ...]
    numbers: CountArray
    image_ids: IdArray
    prints: Fingerprints

    @property
    def is_candidate(self) -> BoolArray:
        """Per image, whether it is in the pool; all others are original."""
        return np.array([entry.role is TestSetRole.POOL for entry in self.entries], np.bool_)[self.numbers]

    def link_copies(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Pairs of images that are the same, by id, bytes or pixels."""
        return link_equal((self.image_ids, self.prints.sha256, self.prints.pixels_sha256))

    def find_held(self, study: Study, rules: Collection[ExclusionRule]) -> BoolArray:
        """Per image, whether one of the rules excludes it now."""
        is_held = np.zeros(len(self.image_ids), np.bool_)
        for number, entry in enumerate(self.entries):
            if entry.role is TestSetRole.POOL:
                held = find_excluded(study, entry)
                ids = [one for one, found in held.items() if any(exclusion.rule in rules for exclusion in found)]
                is_held |= (self.numbers == number) & np.isin(self.image_ids, ids)
        return is_held

    def explain(self, row: int, other: int) -> str:
        """Why an image is the same as another, in a sentence."""
        entry = self.entries[int(self.numbers[other])]
        what = "the pool" if entry.role is TestSetRole.POOL else "the test set"
        name = f"image {str(self.image_ids[other])!r} of {what} {entry.name}"
        prints = self.prints
        if prints.sha256[row] and prints.sha256[row] == prints.sha256[other]:
            return f"It has the same bytes as {name}."
        if prints.pixels_sha256[row] and prints.pixels_sha256[row] == prints.pixels_sha256[other]:
            return f"It has the same pixels as {name}."
        return f"It is the same as {name}."


def make_album(study: Study, prints: Mapping[str, Fingerprints]) -> Album:
    """The images of all sets that are named, with their checksums."""
    entries = tuple(get_test_set(study, name) for name in prints)
    ids = [load_test_set(study, entry).image_ids for entry in entries]
    numbers = np.repeat(np.arange(len(entries)), [len(one) for one in ids])
    columns = [
        np.concatenate([getattr(one, name) for one in prints.values()], dtype=np.str_)
        for name in ("sha256", "pixels_sha256")
    ]
    return Album(entries, numbers, np.concatenate(ids, dtype=np.str_), Fingerprints(columns[0], columns[1]))


def exclude_copies(
    study: Study, prints: Mapping[str, Fingerprints], *, only: TestSetEntry | None = None
) -> tuple[RuleChange, ...]:
    """Exclude candidates that are the same as another: of these the first by id stays, none where an original image is the same.

    Where a reviewer, a list or a review of pairs excludes one of them, that one stands for all, so that no copy of it can be
    taken under another id.

    Args:
        study: the study, inside a transaction.
        prints: the checksums of batches and of test sets, by name; images of test sets are original.
        only: change nothing but what images of this batch are the same as.
    """
    album = make_album(study, prints)
    found = find_copies(
        album.image_ids,
        album.link_copies(),
        is_original=~album.is_candidate,
        is_candidate=album.is_candidate,
        is_favoured=album.find_held(study, _BY_CONTENT),
    )
    is_chosen = found.is_excluded & _touch(album, found, only)
    changes = []
    for number, entry in enumerate(album.entries):
        rows = np.flatnonzero(is_chosen & (album.numbers == number)).tolist()
        if rows or (only is not None and entry.name == only.name):
            excluded = {str(album.image_ids[row]): album.explain(row, int(found.stands[row])) for row in rows}
            changes.append(extend_rule(study, entry, ExclusionRule.EXACT_DUPLICATE, excluded=excluded))
    return tuple(changes)


def _touch(album: Album, found: Copies, only: TestSetEntry | None) -> BoolArray:
    """Per image, whether one of the batch is the same."""
    if only is None:
        return np.ones(len(album.image_ids), np.bool_)
    number = next(number for number, entry in enumerate(album.entries) if entry.name == only.name)
    return np.isin(found.stands, found.stands[album.numbers == number])


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


def store_copies(study: Study, prints: Mapping[str, Fingerprints]) -> FoundCopies:
    """Exclude the exact duplicates of all batches and what cannot be decoded, and keep the checksums of those that had none."""
    unreadable = []
    for entry in list_pools(study):
        if entry.name in prints:
            found, ids = prints[entry.name], load_test_set(study, entry).image_ids
            update_checksums(study, entry, found)
            unreadable += exclude_unreadable(study, entry, {str(ids[row]): why for row, why in found.problems.items()})
    changes = (*unreadable, *exclude_copies(study, prints))
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
