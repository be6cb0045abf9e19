"""Near-duplicates: candidates that show the same as another image, by a review of pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from regauge.arrays import BoolArray
from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.images.folders import IMAGE_SUFFIXES
from regauge.formats.pools.pairs import load_pairs
from regauge.formats.text import name_from_file
from regauge.records.studies import TestSetEntry
from regauge.records.testsets.pairs import PairVerdict, ReviewedPairs
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_originals
from regauge.storage.testsets.pool import get_pools
from regauge.storage.testsets.test_set import load_test_set
from regauge.testsets.albums import ComparedImages, PairArray
from regauge.testsets.same_images import NEAR
from regauge.workflows.pools.components import FoundCopies, find_strangers, join_images, load_album, settle_components
from regauge.workflows.pools.fingerprints import load_fingerprints

_SAMPLE = 3


class UnknownImages(StrEnum):
    """What images of pairs are that are neither in the pool nor in a test set of the study."""

    REFUSE = "refuse"
    """A mistake."""
    ORIGINAL = "original"
    """Original data, such as training images."""
    OTHER = "other"
    """Candidates of old: they join others, and need not be counted."""


@dataclass(frozen=True, slots=True)
class PairRequest:
    """How pairs are to be read.

    Attributes:
        is_unsure_same: whether pairs of which a reviewer was unsure count as the same.
        unknown: what images are that the study does not have.
        replaces: whether exclusions by earlier pairs that these do not bear out are taken back; else they are refused.
        originals: the test sets of the original data; all that were not drawn from a pool by default.
        frequencies: label sets or tables by whose frequencies to choose; all label sets that have some by default.
    """

    is_unsure_same: bool = False
    unknown: UnknownImages = UnknownImages.REFUSE
    replaces: bool = False
    originals: tuple[str, ...] = ()
    frequencies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Review:
    """Pairs beside all images that the study has: a copy of a reviewed image shows the same as it does.

    Attributes:
        album: the candidates and the original images, and images of the pairs that are neither.
        rows: [n, 2], per pair the places of both images in the album.
        is_same: per pair, whether it counts as the same.
    """

    album: ComparedImages
    rows: PairArray
    is_same: BoolArray


def exclude_near_duplicates(study: Study, paths: Sequence[str | Path], *, request: PairRequest) -> FoundCopies:
    """Exclude candidates that show the same as another image: of all that do one stays, or none if one is original.

    Exact copies are judged together with them. Pairs chain, so all that were reviewed must come together: what earlier files
    excluded and these do not is refused, unless it is to be taken back.

    Args:
        study: the study, inside a transaction.
        paths: CSV files with image_a, image_b and verdict.
        request: how to read them.

    Raises:
        FormatError: a file is not a list of pairs.
        InputError: an image is not known, or earlier exclusions are not borne out.
    """
    pools = get_pools(study)
    pairs = _join([load_pairs(path) for path in paths])
    review = _find_images(study, pairs, pools=pools, request=request)
    same = review.rows[review.is_same]
    apart = same[same[:, 0] != same[:, 1]]
    found = join_images(study, review.album, reviewed=apart, frequencies=request.frequencies)
    n_gone = int((review.album.mark(found.held.find_all(NEAR)) & ~found.is_reviewed).sum())
    if n_gone and not request.replaces:
        raise InputError(
            f"{n_gone:,} images are excluded by earlier pairs that these do not bear out; give all files of pairs together, or "
            "take those images back with `replace=True`."
        )
    gone = f"The pairs of {', '.join(Path(path).name for path in paths)} do not bear it out."
    every = settle_components(study, found, gone=gone)
    changes = tuple(one for one in every if one.rule is NEAR or one.n_new or one.n_back)
    parameters = {"files": {Path(path).name: _hash(path) for path in paths}, "n_pairs": len(pairs)}
    near = [one for one in changes if one.rule is NEAR]
    counts = {"n_excluded": sum(one.n_excluded for one in near), "n_back": sum(one.n_back for one in near)}
    add_event(study, "pool duplicates", {**parameters, **counts})
    return FoundCopies(changes, tuple(_describe(pairs, review)))


def _join(files: Sequence[ReviewedPairs]) -> ReviewedPairs:
    columns = [
        np.concatenate([getattr(one, name) for one in files], dtype=np.str_) for name in ("first", "second", "verdicts")
    ]
    return ReviewedPairs(*columns)


def _find_same(pairs: ReviewedPairs, request: PairRequest) -> BoolArray:
    counted = [PairVerdict.SAME.value, *([PairVerdict.UNSURE.value] if request.is_unsure_same else [])]
    return np.isin(pairs.verdicts, counted)


def _find_images(study: Study, pairs: ReviewedPairs, *, pools: Sequence[TestSetEntry], request: PairRequest) -> _Review:
    entries = (*pools, *find_originals(study, request.originals))
    known = {one for entry in entries for one in load_test_set(study, entry).image_ids.tolist()}
    written, places = np.unique(np.concatenate((pairs.first, pairs.second)), return_inverse=True)
    ids = [_find_id(one, known) for one in written.tolist()]
    strangers = {one: request.unknown is UnknownImages.ORIGINAL for one in ids if one not in known}
    if strangers and request.unknown is UnknownImages.REFUSE:
        raise InputError(
            f"{count_things(len(strangers), 'image of the pairs is', many='images of the pairs are')} neither in "
            "the pool nor in a test set, the first being "
            f'{next(iter(strangers))!r}. Say what they are with `unknown="original"`, for training images say, or '
            '`unknown="other"`.'
        )
    prints = {entry.name: load_fingerprints(study, entry) for entry in entries}
    album = load_album(study, prints, strangers={**find_strangers(study, entries), **strangers})
    rows = np.array([album.place_of[one] for one in ids], np.int64)[places.reshape(2, -1).T]
    return _Review(album, rows, _find_same(pairs, request))


def _find_id(written: str, known: Container[str]) -> str:
    """The image id that a list means, which may name the file instead."""
    is_file = written not in known and Path(written).suffix.lower() in IMAGE_SUFFIXES
    return name_from_file(written) if is_file else written


def _describe(pairs: ReviewedPairs, review: _Review) -> list[str]:
    verdicts = dict(zip(*(part.tolist() for part in np.unique(pairs.verdicts, return_counts=True)), strict=True))
    counts = ", ".join(f"{n:,} {verdict}" for verdict, n in verdicts.items())
    shown = np.unique(review.rows)
    n_candidates, n_original = (
        int(column[shown].sum()) for column in (review.album.is_candidate, review.album.is_original)
    )
    notes = [
        (
            f"{len(pairs):,} reviews of pairs: {counts}; they show {count_things(n_candidates, 'candidate')} and "
            f"{count_things(n_original, 'original image')}."
        )
    ]
    n_alone = int((review.rows[:, 0] == review.rows[:, 1]).sum())
    notes += [f"{n_alone:,} of them pair an image with itself, which says nothing."] if n_alone else []
    disputed = _find_disputed(pairs, review)
    if disputed:
        named = "; ".join(" and ".join(pair) for pair in disputed[:_SAMPLE])
        notes.append(
            f"{count_things(len(disputed), 'pair')} the same by one review and different by another, counted as "
            f"the same: {named}."
        )
    return notes


def _find_disputed(pairs: ReviewedPairs, review: _Review) -> list[list[str]]:
    """The pairs that count as the same and that somebody called different, both images by id."""
    is_different = pairs.verdicts == PairVerdict.DIFFERENT.value
    same, different = (
        set(map(tuple, np.sort(review.rows[rows], axis=1).tolist())) for rows in (review.is_same, is_different)
    )
    return sorted(sorted(review.album.image_ids[list(pair)].tolist()) for pair in same & different)


def _hash(path: str | Path) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror}.") from error
