"""Pools of candidates: gathered images come into the study batch by batch, each with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.formats.images.checks import find_broken
from regauge.formats.pools.pool import Skip, load_gathered
from regauge.records.names import check_name
from regauge.records.studies import TestSetEntry
from regauge.records.testsets.fingerprints import Fingerprints
from regauge.records.testsets.pool import ExclusionChange, ExclusionRule, FieldNames, GatheredImages
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_originals
from regauge.storage.testsets.pool import find_excluded, insert_pool, list_pools
from regauge.storage.testsets.test_set import find_test_set, load_places, load_test_set
from regauge.workflows.pools.components import exclude_copies
from regauge.workflows.pools.fetches import find_fetched, join_files
from regauge.workflows.pools.fingerprints import describe_reading, list_checked_pools, read_fingerprints
from regauge.workflows.pools.rules import exclude_unreadable


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """How a batch is to be added.

    Attributes:
        name: what to call it; the file's or folder's name by default.
        images: for a table, the folder of its images.
        names: where to find each field of a row, and what holds where a row does not say.
        is_compared: whether exact duplicates are looked for.
        originals: the test sets of the original data; all that were not drawn from a pool by default.
        skips_known: whether images whose id another batch or an earlier row has are left out; else they are refused.
        skips_missing: whether rows whose image file is not there are left out; else they are refused.
    """

    name: str = ""
    images: Path | None = None
    names: FieldNames = field(default_factory=FieldNames)
    is_compared: bool = True
    originals: tuple[str, ...] = ()
    skips_known: bool = False
    skips_missing: bool = False

    @property
    def skips(self) -> tuple[Skip, ...]:
        """Which rows are left out rather than refused."""
        wanted = {Skip.REPEATED: self.skips_known, Skip.MISSING: self.skips_missing}
        return tuple(why for why, is_wanted in wanted.items() if is_wanted)


@dataclass(frozen=True, slots=True, eq=False)
class PreparedBatch:
    """A batch that was read and hashed, ready to be stored.

    Attributes:
        gathered: its images.
        source: the file or folder.
        prints: the checksums of the original test sets by name; None where no duplicates are looked for.
        problems: image id → why it cannot be decoded.
        there: the same batch, where the study has it already.
        is_fetched: whether that batch gets the files of these images, which it lacked.
        notes: what the reader should know, a sentence each.
    """

    gathered: GatheredImages
    source: str
    prints: Mapping[str, Fingerprints] | None
    problems: Mapping[str, str]
    there: TestSetEntry | None
    notes: tuple[str, ...]
    is_fetched: bool = False


@dataclass(frozen=True, slots=True)
class PoolEntry:
    """A batch of the pool, and how many of its images are excluded now."""

    batch: TestSetEntry
    n_excluded: int


@dataclass(frozen=True, slots=True)
class AddedBatch:
    """The new batch, and what the reader should know."""

    entry: PoolEntry
    notes: tuple[str, ...]


def prepare_batch(study: Study, path: str | Path, *, request: BatchRequest) -> PreparedBatch:
    """Read a batch of candidates, and the checksums of its images and of the original ones. This may take long.

    Args:
        study: the study, which may be only read.
        path: a folder, a table or search results.
        request: how it is to be added.

    Raises:
        FormatError: the files are not candidates.
        InputError: the study has other images of that name, or an image is in another batch.
    """
    gathered = load_gathered(
        path,
        taxonomy=study.taxonomy,
        images=request.images,
        names=request.names,
        skips=request.skips,
    )
    located = gathered.located
    name = request.name or located.test_set.name
    if find_test_set(study, name) is None:
        check_name(name, what="A batch")
    located = replace(located, test_set=replace(located.test_set, name=name))
    gathered, notes = _leave_known(study, replace(gathered, located=located), skips=request.skips_known)
    notes = (*gathered.located.notes, *notes)
    there = find_test_set(study, name)
    if there is not None:
        is_new = find_fetched(study, there, gathered)
        if not is_new.any():
            notes = (*notes, f"{name} is already there with the same candidates.")
            return PreparedBatch(gathered, str(Path(path).resolve()), None, {}, there, notes)
        notes = (*notes, f"{name} is already there; {int(is_new.sum()):,} of its images have a file now.")
        gathered = gathered.keep(is_new)
    prepared = PreparedBatch(gathered, str(Path(path).resolve()), None, {}, there, notes, there is not None)
    if request.is_compared:
        return _compare(study, prepared, request.originals)
    located = prepared.gathered.located
    broken = find_broken(Path(located.root), located.places, track=study.around.track)
    problems = {str(located.test_set.image_ids[row]): problem for row, problem in broken.items()}
    return replace(prepared, problems=problems)


def add_batch(study: Study, prepared: PreparedBatch) -> AddedBatch:
    """Store a batch of candidates; those that are exact duplicates, or cannot be decoded, are excluded at once.

    One that is there already is left as it is, with a note, so that a command that was stopped can be given again; but images
    that had no file before get theirs.

    Args:
        study: the study, inside a transaction.
        prepared: the batch.

    Raises:
        InputError: the study has other images of that name.
    """
    if prepared.there is not None and not prepared.is_fetched:
        return AddedBatch(_count_excluded(study, prepared.there), prepared.notes)
    entry = _store(study, prepared)
    unreadable = exclude_unreadable(study, entry, prepared.problems)
    notes = [*prepared.notes]
    notes += [f"{count_things(one.n_new, 'image')} of {one.pool} excluded: cannot be decoded." for one in unreadable]
    if prepared.prints is not None:
        notes += _exclude_copies(study, entry, prepared.prints)
    added = _count_excluded(study, entry)
    n_files = sum(bool(place.path) for place in prepared.gathered.located.places)
    parameters = {"name": entry.name, "path": prepared.source, "digest": entry.digest, "n_images": entry.n_images}
    add_event(study, "pool add", {**parameters, "n_files": n_files, "n_excluded": added.n_excluded})
    return AddedBatch(added, tuple(notes))


def list_batches(study: Study) -> tuple[PoolEntry, ...]:
    """All batches of the pool, the oldest first."""
    return tuple(_count_excluded(study, entry) for entry in list_pools(study))


def _store(study: Study, prepared: PreparedBatch) -> TestSetEntry:
    """The batch, new or with the files that it lacked; another command may have stored some of it while the images were read."""
    if prepared.there is not None:
        find_fetched(study, prepared.there, prepared.gathered)
        join_files(study, prepared.there, prepared.gathered)
        return prepared.there
    _leave_known(study, prepared.gathered, skips=False)
    provenance = {"path": prepared.source, "notes": list(prepared.gathered.located.notes)}
    return insert_pool(study, prepared.gathered, provenance=provenance)


def _exclude_copies(study: Study, entry: TestSetEntry, originals: Mapping[str, Fingerprints]) -> list[str]:
    """Exclude exact duplicates of a batch, and say what was found, a sentence each."""
    pools, unchecked = list_checked_pools(study)
    changes = exclude_copies(study, {**pools, **originals}, only=entry)
    return [
        *(note for one in changes for note in _describe_change(one)),
        *(f"{name} has no checksums, so it was not compared; regauge pool duplicates reads it." for name in unchecked),
    ]


def _describe_change(one: ExclusionChange) -> Iterator[str]:
    is_exact = one.rule is ExclusionRule.EXACT_DUPLICATE
    duplicates = "as an exact duplicate" if one.n_new == 1 else "as exact duplicates"
    if one.n_new:
        why = duplicates if is_exact else "by an earlier review of pairs"
        yield f"{count_things(one.n_new, 'image')} of {one.pool} excluded {why}."
    if one.n_back:
        yield (
            f"{count_things(one.n_back, 'image')} of {one.pool} back in the pool, kept for all that are the same: "
            f"no {one.rule} any more."
        )


def _count_excluded(study: Study, entry: TestSetEntry) -> PoolEntry:
    return PoolEntry(entry, len(find_excluded(study, entry)))


def _compare(study: Study, prepared: PreparedBatch, originals: Sequence[str]) -> PreparedBatch:
    """The batch with the checksums of its images and of the original ones."""
    located, facts = prepared.gathered.located, prepared.gathered.facts
    prints = read_fingerprints(study, Path(located.root), places=located.places)
    places = tuple(
        replace(place, sha256=sha256 or None)
        for place, sha256 in zip(located.places, prints.sha256.tolist(), strict=True)
    )
    hashed = GatheredImages(replace(located, places=places), replace(facts, pixels_sha256=prints.pixels_sha256))
    known = {
        entry.name: read_fingerprints(study, Path(entry.root), places=load_places(study, entry))
        for entry in find_originals(study, originals)
    }
    read = {located.test_set.name: prints, **known}
    described = [note for name, one in read.items() for note in describe_reading(name, one)]
    problems = {str(located.test_set.image_ids[row]): problem for row, problem in prints.problems.items()}
    return replace(prepared, gathered=hashed, prints=known, problems=problems, notes=(*prepared.notes, *described))


def _leave_known(study: Study, gathered: GatheredImages, *, skips: bool) -> tuple[GatheredImages, tuple[str, ...]]:
    """The batch without images that other batches have: an id stands for one image."""
    ids = gathered.located.test_set.image_ids.tolist()
    owners = {
        image_id: entry.name
        for entry in list_pools(study)
        if entry.name != gathered.located.test_set.name
        for image_id in load_test_set(study, entry).image_ids.tolist()
    }
    known = [one for one in ids if one in owners]
    if not known:
        return gathered, ()
    first = f"the first being {known[0]!r} in {owners[known[0]]}"
    if not skips:
        raise InputError(
            f"{len(known):,} of {len(ids):,} images are in the pool already, {first}; an id stands for one image. Leave them "
            "out with `skips_known=True`, or give them other ids."
        )
    if len(known) == len(ids):
        raise InputError(f"All {len(ids):,} images are in the pool already, {first}.")
    kept = np.array([one not in owners for one in ids], np.bool_)
    return gathered.keep(kept), (f"{count_things(len(known), 'image')} left out: in the pool already, {first}.",)
