"""Exclude duplicates: the images that are the same are joined, one of them stays, and the others are written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.records.testsets.fingerprints import Fingerprints
from regauge.records.testsets.pool import Exclusion, ExclusionChange, ExclusionRule
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_drawn_images
from regauge.storage.testsets.pool import find_excluded, insert_exclusions
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.testsets.albums import ComparedImages, HeldExclusions, PairArray, make_album
from regauge.testsets.copies import Merits
from regauge.testsets.counts import look_up
from regauge.testsets.same_images import (
    EXACT,
    NEAR,
    Duplicates,
    Links,
    RuleDecision,
    choose_images,
    decide,
    link_images,
)
from regauge.workflows.labels.frequencies import load_counts, settle_label_set


@dataclass(frozen=True, slots=True)
class FoundCopies:
    """What looking for exact duplicates changed, batch by batch, and what the reader should know."""

    changes: tuple[ExclusionChange, ...]
    notes: tuple[str, ...]


def exclude_copies(
    study: Study,
    prints: Mapping[str, Fingerprints],
    *,
    only: TestSetEntry | None = None,
    frequencies: Sequence[str] = (),
) -> tuple[ExclusionChange, ...]:
    """Exclude candidates that are the same as another, by their checksums or by earlier reviews of pairs.

    Of all that are the same one candidate stays, or none where an original image is among them. Where a reviewer or a list
    excludes one, no copy of it can be taken under another id.

    Args:
        study: the study, inside a transaction.
        prints: the checksums of batches and of test sets, by name; images of test sets are original.
        only: change nothing but what images of this batch are the same as.
        frequencies: label sets or tables by whose frequencies to choose; all label sets that have some by default.
    """
    strangers = find_strangers(study, tuple(get_test_set(study, name) for name in prints))
    found = join_images(study, load_album(study, prints, strangers=strangers), frequencies=frequencies)
    changes = settle_components(study, found, only=only)
    return tuple(one for one in changes if one.n_new or one.n_back or (one.rule is EXACT and one.n_excluded))


def load_album(study: Study, prints: Mapping[str, Fingerprints], *, strangers: Mapping[str, bool]) -> ComparedImages:
    """The images of all sets that are named, with their checksums.

    Args:
        study: the study, inside a transaction.
        prints: the checksums of batches and of test sets, by name; images of test sets are original.
        strangers: id of an image that may be in none of them → whether it belongs to the original data.
    """
    entries = [get_test_set(study, name) for name in prints]
    sets = [(entry, load_test_set(study, entry), prints[entry.name]) for entry in entries]
    return make_album(sets, strangers=strangers)


def find_strangers(study: Study, entries: tuple[TestSetEntry, ...]) -> dict[str, bool]:
    """The images that duplicates were found to be the same as, any of which is original if no set has it."""
    held = load_held(study, entries)
    return {other: True for rule in (EXACT, NEAR) for other in held.find_same(rule).values()}


def join_images(
    study: Study, album: ComparedImages, *, reviewed: PairArray | None = None, frequencies: Sequence[str] = ()
) -> Duplicates:
    """Join all images that are the same, and choose one of each component to stay.

    Args:
        study: the study, inside a transaction.
        album: the images, with all strangers that `find_strangers` found.
        reviewed: pairs of places that show the same, by a review; those of earlier reviews by default.
        frequencies: label sets or tables by whose frequencies to choose; all label sets that have some by default.

    Raises:
        InputError: there is no such label set or table.
    """
    links = link_images(album, load_held(study, album.entries), reviewed=reviewed)
    # Frequencies and draws are looked up only where there is something to choose.
    merits = _weigh(study, links, frequencies=frequencies) if links.has_choice else links.merits
    return choose_images(links, merits)


def settle_components(
    study: Study, found: Duplicates, *, only: TestSetEntry | None = None, gone: str = ""
) -> tuple[ExclusionChange, ...]:
    """Write down what is excluded as a duplicate now and what no longer is; the same again writes nothing.

    Args:
        study: the study, inside a transaction.
        found: which candidates stay.
        only: change nothing but what images of this batch are the same as.
        gone: why near-duplicates are taken back that no pair bears out; they are left as they are by default.
    """
    return tuple(_write(study, one) for one in decide(found, only=only, gone=gone))


def load_held(study: Study, entries: tuple[TestSetEntry, ...]) -> HeldExclusions:
    """What excludes the candidates of the batches among the sets now."""
    found: dict[tuple[str, ExclusionRule], dict[str, Exclusion]] = {}
    for entry in entries:
        if entry.role is TestSetRole.POOL:
            for image_id, ones in find_excluded(study, entry).items():
                for one in ones:
                    found.setdefault((entry.name, one.rule), {})[image_id] = one
    return HeldExclusions(found)


def _weigh(study: Study, links: Links, *, frequencies: Sequence[str]) -> Merits:
    """What speaks for every image, with what annotators said and which of them are in a drawn test set."""
    album = links.album
    # As a draw sees the pool, whatever its strategy.
    plan = SamplingPlan(strategy=Strategy.TOP_IMAGES, min_annotations=0)
    known = load_counts(study, frequencies, votes=partial(settle_label_set, study, plan=plan))
    classes = np.concatenate((album.labels, np.zeros(len(album.strangers), album.labels.dtype)))
    n_shown, n_selected = look_up(known.counts, album.image_ids, classes=classes)
    pools = [entry for entry in album.entries if entry.role is TestSetRole.POOL]
    is_drawn = album.mark({one for entry in pools for one in find_drawn_images(study, entry)})
    return replace(links.merits, classes=classes, n_shown=n_shown, n_selected=n_selected, is_drawn=is_drawn)


def _write(study: Study, decided: RuleDecision) -> ExclusionChange:
    insert_exclusions(study, decided.entry, decided.list_written())
    return decided.count()
