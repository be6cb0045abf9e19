"""Exact duplicates: the same bytes or the same pixels, within a batch, between batches, and in the study's test sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from regauge.records.testsets.fingerprints import Fingerprints
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_originals
from regauge.storage.testsets.pool import get_pools, list_pools, update_checksums
from regauge.storage.testsets.test_set import load_places, load_test_set
from regauge.workflows.pools.components import FoundCopies, exclude_copies
from regauge.workflows.pools.fingerprints import describe_reading, read_fingerprints
from regauge.workflows.pools.rules import exclude_unreadable


def read_all_fingerprints(
    study: Study, *, originals: Sequence[str] = ()
) -> tuple[dict[str, Fingerprints], tuple[str, ...]]:
    """The checksums of all batches and of the original test sets by name, and how many images were read for them.

    Args:
        study: the study, which may be only read.
        originals: the test sets of the original data; all that were not drawn from a pool by default.

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
        frequencies: label sets or tables by whose frequencies to choose; all label sets that have some by default.

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
