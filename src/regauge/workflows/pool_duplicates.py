"""Near-duplicates: candidates that show the same as another image, by a review of pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.formats.image_folders import IMAGE_SUFFIXES
from regauge.formats.pairs import load_pairs
from regauge.formats.text import name_from_file
from regauge.records.pairs import PairVerdict, ReviewedPairs
from regauge.records.pools import ExclusionRule
from regauge.records.studies import TestSetEntry
from regauge.storage.events import add_event
from regauge.storage.pools import get_pools
from regauge.storage.study import Study
from regauge.storage.testsets import load_test_set
from regauge.testsets.copies import Copies, find_copies
from regauge.workflows.pool_copies import FoundCopies, find_originals
from regauge.workflows.pool_rules import find_by_rule, settle_rule

_SAMPLE = 3


class Unknown(StrEnum):
    """What images of pairs are that are neither in the pool nor in a test set of the study."""

    REFUSE = "refuse"
    """A mistake."""
    ORIGINAL = "original"
    """Original data, such as training images."""
    OTHER = "other"
    """Candidates of old: they join others, and need not be counted."""


@dataclass(frozen=True, slots=True)
class PairWishes:
    """How pairs are to be read.

    Attributes:
        is_unsure_same: whether pairs of which a reviewer was unsure count as the same.
        unknown: what images are that the study does not have.
        replaces: whether exclusions by earlier pairs that these do not bear out are taken back; else they are refused.
        originals: the test sets of the original data; all that were not drawn from a pool unless given.
    """

    is_unsure_same: bool = False
    unknown: Unknown = Unknown.REFUSE
    replaces: bool = False
    originals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Images:
    """The images of pairs: in which batch each is, if in any, and whether it is original."""

    ids: np.ndarray[tuple[int], np.dtype[np.str_]]
    pools: Sequence[str]
    is_original: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @property
    def is_candidate(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which of them are in the pool."""
        return np.array([bool(name) for name in self.pools], np.bool_)


def exclude_near_duplicates(study: Study, paths: Sequence[str | Path], *, wishes: PairWishes) -> FoundCopies:
    """Exclude candidates that show the same as another image: of all that do the first by id stays, or none if one is original.

    Pairs chain, so all that were reviewed must come together: what earlier files excluded and these do not is refused, unless
    it is to be taken back.

    Args:
        study: the study, inside a transaction.
        paths: CSV files with image_a, image_b and verdict.
        wishes: how to read them.

    Raises:
        FormatError: a file is no list of pairs.
        InputError: an image is not known, or earlier exclusions are not borne out.
    """
    pools = get_pools(study)
    pairs = _join([load_pairs(path) for path in paths])
    is_same = _find_same(pairs, wishes)
    images, rows = _find_images(study, pairs, pools=pools, wishes=wishes)
    found = find_copies(images.ids, rows[is_same], is_original=images.is_original, is_candidate=images.is_candidate)
    excluded = _explain(images, found, pools)
    n_gone = _count_gone(study, pools, excluded)
    if n_gone and not wishes.replaces:
        raise InputError(
            f"{n_gone:,} images are excluded by earlier pairs that these do not bear out; give all files of pairs together, or "
            "take those images back with --replace."
        )
    back = f"The pairs of {', '.join(Path(path).name for path in paths)} do not bear it out."
    changes = tuple(
        settle_rule(study, entry, ExclusionRule.NEAR_DUPLICATE, excluded=excluded[entry.name], back=back)
        for entry in pools
    )
    parameters = {"files": {Path(path).name: _hash(path) for path in paths}, "n_pairs": len(pairs)}
    counts = {"n_excluded": sum(one.n_excluded for one in changes), "n_back": sum(one.n_back for one in changes)}
    add_event(study, "pool duplicates", {**parameters, **counts})
    return FoundCopies(changes, tuple(_describe(pairs, is_same, images)))


def _join(files: Sequence[ReviewedPairs]) -> ReviewedPairs:
    columns = [
        np.concatenate([getattr(one, name) for one in files], dtype=np.str_) for name in ("first", "second", "verdicts")
    ]
    return ReviewedPairs(*columns)


def _find_same(pairs: ReviewedPairs, wishes: PairWishes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    counted = [PairVerdict.SAME.value, *([PairVerdict.UNSURE.value] if wishes.is_unsure_same else [])]
    return np.isin(pairs.verdicts, counted)


def _find_images(
    study: Study, pairs: ReviewedPairs, *, pools: Sequence[TestSetEntry], wishes: PairWishes
) -> tuple[_Images, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """The distinct images of the pairs, and per pair the positions of both."""
    owners = {one: entry.name for entry in pools for one in load_test_set(study, entry).image_ids.tolist()}
    originals = {
        one
        for entry in find_originals(study, wishes.originals)
        for one in load_test_set(study, entry).image_ids.tolist()
    }
    written, places = np.unique(np.concatenate((pairs.first, pairs.second)), return_inverse=True)
    ids = [_find_id(one, owners, originals) for one in written.tolist()]
    unknown = [one for one in ids if one not in owners and one not in originals]
    if unknown and wishes.unknown is Unknown.REFUSE:
        raise InputError(
            f"{len(unknown):,} images of the pairs are neither in the pool nor in a test set, the first being {unknown[0]!r}. "
            "Say what they are with --unknown original, for training images say, or --unknown other."
        )
    strangers = set(unknown) if wishes.unknown is Unknown.ORIGINAL else set()
    distinct = sorted(set(ids))
    number = {one: at for at, one in enumerate(distinct)}
    rows = np.array([number[one] for one in ids], np.int64)[places.reshape(2, -1).T]
    images = _Images(
        np.array(distinct, np.str_),
        [owners.get(one, "") for one in distinct],
        np.array([one in originals or one in strangers for one in distinct], np.bool_),
    )
    return images, rows


def _find_id(written: str, owners: Mapping[str, str], originals: set[str]) -> str:
    """The image id that a list means, which may name the file instead."""
    if written in owners or written in originals or Path(written).suffix.lower() not in IMAGE_SUFFIXES:
        return written
    return name_from_file(written)


def _explain(images: _Images, found: Copies, pools: Sequence[TestSetEntry]) -> dict[str, dict[str, str]]:
    """Per batch, image id → why it is excluded."""
    excluded: dict[str, dict[str, str]] = {entry.name: {} for entry in pools}
    for row in np.flatnonzero(found.is_excluded).tolist():
        other = int(found.stands[row])
        kind = "the original image" if images.is_original[other] else "image"
        reason = f"It shows the same as {kind} {str(images.ids[other])!r}, by a review of pairs."
        excluded[images.pools[row]][str(images.ids[row])] = reason
    return excluded


def _count_gone(study: Study, pools: Sequence[TestSetEntry], excluded: Mapping[str, Mapping[str, str]]) -> int:
    before = {entry.name: find_by_rule(study, entry, ExclusionRule.NEAR_DUPLICATE) for entry in pools}
    return sum(one not in excluded[name] for name, found in before.items() for one in found)


def _describe(pairs: ReviewedPairs, is_same: np.ndarray[tuple[int], np.dtype[np.bool_]], images: _Images) -> list[str]:
    verdicts = dict(zip(*(part.tolist() for part in np.unique(pairs.verdicts, return_counts=True)), strict=True))
    counts = ", ".join(f"{n:,} {verdict}" for verdict, n in verdicts.items())
    n_candidates, n_original = int(images.is_candidate.sum()), int(images.is_original.sum())
    notes = [
        f"{len(pairs):,} reviews of pairs: {counts}; {n_candidates:,} candidates and {n_original:,} original images are in them."
    ]
    n_alone = int((pairs.first == pairs.second).sum())
    notes += [f"{n_alone:,} of them pair an image with itself, which says nothing."] if n_alone else []
    keys = [tuple(sorted(pair)) for pair in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)]
    same = {key for key, one in zip(keys, is_same.tolist(), strict=True) if one}
    disputed = same & {
        key for key, one in zip(keys, pairs.verdicts.tolist(), strict=True) if one == PairVerdict.DIFFERENT.value
    }
    if disputed:
        named = "; ".join(" and ".join(key) for key in sorted(disputed)[:_SAMPLE])
        notes.append(
            f"{len(disputed):,} pairs are the same by one review and different by another: {named}. They count as the same."
        )
    return notes


def _hash(path: str | Path) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror}.") from error
