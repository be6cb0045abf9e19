"""Near-duplicates: candidates that show the same as another image, by a review of pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.formats.image_folders import IMAGE_SUFFIXES
from regauge.formats.pairs import load_pairs
from regauge.formats.text import name_from_file
from regauge.records.arrays import BoolArray, IdArray
from regauge.records.pairs import PairVerdict, ReviewedPairs
from regauge.records.pools import ExclusionRule
from regauge.records.studies import TestSetEntry
from regauge.storage.events import add_event
from regauge.storage.pools import get_pools
from regauge.storage.study import Study
from regauge.testsets.copies import Copies, find_copies
from regauge.workflows.pool_copies import Album, FoundCopies, find_originals, load_fingerprints, make_album
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
class _Review:
    """Pairs beside all images that the study has: a copy of a reviewed image shows the same as it does.

    Attributes:
        album: the candidates and the original images.
        strangers: images of the pairs that are neither.
        are_strangers_original: whether they are original data all the same.
        rows: [n, 2], per pair the places of both images in the album, or behind it among the strangers.
    """

    album: Album
    strangers: tuple[str, ...]
    are_strangers_original: bool
    rows: np.ndarray[tuple[int, int], np.dtype[np.int64]]

    @property
    def ids(self) -> IdArray:
        """All images."""
        return np.concatenate((self.album.image_ids, np.array(self.strangers, np.str_)), dtype=np.str_)

    @property
    def is_candidate(self) -> BoolArray:
        """Which of them are in the pool."""
        return np.concatenate((self.album.is_candidate, np.zeros(len(self.strangers), np.bool_)))

    @property
    def is_original(self) -> BoolArray:
        """Which of them are original data."""
        return np.concatenate(
            (~self.album.is_candidate, np.full(len(self.strangers), self.are_strangers_original, np.bool_))
        )


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
    review = _find_images(study, pairs, pools=pools, wishes=wishes)
    is_same = _find_same(pairs, wishes)
    excluded = _explain(review, _find_copies(study, review, is_same), pools)
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
    return FoundCopies(changes, tuple(_describe(pairs, is_same, review)))


def _join(files: Sequence[ReviewedPairs]) -> ReviewedPairs:
    columns = [
        np.concatenate([getattr(one, name) for one in files], dtype=np.str_) for name in ("first", "second", "verdicts")
    ]
    return ReviewedPairs(*columns)


def _find_same(pairs: ReviewedPairs, wishes: PairWishes) -> BoolArray:
    counted = [PairVerdict.SAME.value, *([PairVerdict.UNSURE.value] if wishes.is_unsure_same else [])]
    return np.isin(pairs.verdicts, counted)


def _find_images(study: Study, pairs: ReviewedPairs, *, pools: Sequence[TestSetEntry], wishes: PairWishes) -> _Review:
    entries = (*pools, *find_originals(study, wishes.originals))
    album = make_album(study, {entry.name: load_fingerprints(study, entry) for entry in entries})
    place_of = {one: place for place, one in enumerate(album.image_ids.tolist())}
    written, places = np.unique(np.concatenate((pairs.first, pairs.second)), return_inverse=True)
    ids = [_find_id(one, place_of) for one in written.tolist()]
    strangers = tuple(dict.fromkeys(one for one in ids if one not in place_of))
    if strangers and wishes.unknown is Unknown.REFUSE:
        raise InputError(
            f"{len(strangers):,} images of the pairs are neither in the pool nor in a test set, the first being "
            f"{strangers[0]!r}. Say what they are with --unknown original, for training images say, or --unknown other."
        )
    place_of |= {one: place for place, one in enumerate(strangers, start=len(album.image_ids))}
    rows = np.array([place_of[one] for one in ids], np.int64)[places.reshape(2, -1).T]
    return _Review(album, strangers, wishes.unknown is Unknown.ORIGINAL, rows)


def _find_id(written: str, known: Container[str]) -> str:
    """The image id that a list means, which may name the file instead."""
    is_file = written not in known and Path(written).suffix.lower() in IMAGE_SUFFIXES
    return name_from_file(written) if is_file else written


def _find_copies(study: Study, review: _Review, is_same: BoolArray) -> Copies:
    """What shows the same as another image, by the pairs and by what is a copy of an image in them."""
    album, same = review.album, review.rows[is_same]
    same = same[same[:, 0] != same[:, 1]]
    is_copy = np.zeros(len(review.ids), np.bool_)
    is_copy[: len(album.image_ids)] = album.find_held(study, [ExclusionRule.EXACT_DUPLICATE])
    found = find_copies(
        review.ids,
        np.concatenate((same, album.link_copies())),
        is_original=review.is_original,
        is_candidate=review.is_candidate,
        is_favoured=~is_copy,
    )
    # Copies of images that nobody reviewed are exact duplicates and nothing else.
    return Copies(found.is_excluded & np.isin(found.stands, found.stands[same.ravel()]), found.stands)


def _explain(review: _Review, found: Copies, pools: Sequence[TestSetEntry]) -> dict[str, dict[str, str]]:
    """Per batch, image id → why it is excluded."""
    excluded: dict[str, dict[str, str]] = {entry.name: {} for entry in pools}
    ids, is_original = review.ids, review.is_original
    for row in np.flatnonzero(found.is_excluded).tolist():
        other = int(found.stands[row])
        kind = "the original image" if is_original[other] else "image"
        reason = f"It shows the same as {kind} {str(ids[other])!r}, by a review of pairs."
        excluded[review.album.entries[int(review.album.numbers[row])].name][str(ids[row])] = reason
    return excluded


def _count_gone(study: Study, pools: Sequence[TestSetEntry], excluded: Mapping[str, Mapping[str, str]]) -> int:
    before = {entry.name: find_by_rule(study, entry, ExclusionRule.NEAR_DUPLICATE) for entry in pools}
    return sum(one not in excluded[name] for name, found in before.items() for one in found)


def _describe(pairs: ReviewedPairs, is_same: BoolArray, review: _Review) -> list[str]:
    verdicts = dict(zip(*(part.tolist() for part in np.unique(pairs.verdicts, return_counts=True)), strict=True))
    counts = ", ".join(f"{n:,} {verdict}" for verdict, n in verdicts.items())
    shown = np.unique(review.rows)
    n_candidates, n_original = int(review.is_candidate[shown].sum()), int(review.is_original[shown].sum())
    notes = [
        f"{len(pairs):,} reviews of pairs: {counts}; {n_candidates:,} candidates and {n_original:,} original images are in them."
    ]
    n_alone = int((review.rows[:, 0] == review.rows[:, 1]).sum())
    notes += [f"{n_alone:,} of them pair an image with itself, which says nothing."] if n_alone else []
    disputed = _find_disputed(pairs, is_same, review)
    if disputed:
        named = "; ".join(" and ".join(pair) for pair in disputed[:_SAMPLE])
        notes.append(
            f"{len(disputed):,} pairs are the same by one review and different by another: {named}. They count as the same."
        )
    return notes


def _find_disputed(pairs: ReviewedPairs, is_same: BoolArray, review: _Review) -> list[list[str]]:
    """The pairs that count as the same and that somebody called different, both images by id."""
    is_different = pairs.verdicts == PairVerdict.DIFFERENT.value
    same, different = (set(map(tuple, np.sort(review.rows[rows], axis=1).tolist())) for rows in (is_same, is_different))
    return sorted(sorted(review.ids[list(pair)].tolist()) for pair in same & different)


def _hash(path: str | Path) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror}.") from error
