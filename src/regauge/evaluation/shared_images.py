"""Which images test sets have in common: by digest, or by id where somebody says that ids mean the same images."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from regauge.arrays import CountArray, IdArray
from regauge.evaluation.targets import Target
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedBy, SharedImages


def find_shared_images(original: Target, new: Target, *, by: SharedBy = SharedBy.DIGESTS) -> SharedImages:
    """The images that two sets share.

    Images are the same where their digests are equal. Ids prove nothing by themselves, for two sets may number their images
    alike: they count only where they are said to, and only for images of which a digest is not known, since different
    digests are different images. An image that a set holds twice is paired as often as both sets hold it. Rows without ids are
    never known to be the same.
    """
    if not (original.has_ids and new.has_ids):
        return NO_SHARED_IMAGES
    ids = _pair_equal(original.image_ids, new.image_ids)
    rows: tuple[CountArray, CountArray] = (np.zeros(0, np.int64), np.zeros(0, np.int64))
    if original.digests is not None and new.digests is not None:
        rows = _pair_equal(original.digests, new.digests)
    elif not len(ids[0]):
        return NO_SHARED_IMAGES
    digests = [_get_digests(target) for target in (original, new)]
    is_open = (digests[0][ids[0]] == "") | (digests[1][ids[1]] == "")
    # An image that has found its like by digest has no other by id.
    is_open &= ~(np.isin(ids[0], rows[0]) | np.isin(ids[1], rows[1]))
    named = [one[is_open] for one in ids]
    if by is SharedBy.DIGESTS:
        return SharedImages(rows[0], rows[1], n_open=len(named[0]))
    both = [np.concatenate(pair) for pair in zip(rows, named, strict=True)]
    order = np.argsort(both[0], kind="stable")
    return SharedImages(both[0][order], both[1][order], n_by_id=len(named[0]))


class NumberedImages(NamedTuple):
    """The images of several sets.

    Attributes:
        numbers: per set, a number for every image; images of different sets have one number where they are the same.
        pairs: by the places of two sets, what they share.
    """

    numbers: list[CountArray]
    pairs: dict[tuple[int, int], SharedImages]


def number_images(targets: Sequence[Target], *, by: SharedBy = SharedBy.DIGESTS) -> NumberedImages:
    """Number the images of several sets, so that those that are the same have one number."""
    starts = np.concatenate(([0], np.cumsum([len(target.image_ids) for target in targets])))
    numbers = [np.arange(start, end) for start, end in pairwise(starts)]
    places = list(combinations(range(len(targets)), 2))
    pairs = {(first, second): find_shared_images(targets[first], targets[second], by=by) for first, second in places}
    for (first, second), shared in pairs.items():
        # What an earlier set has in common with both is met first, so that its number goes on to all later sets. No number
        # comes twice in a set, even where a set holds an image twice.
        theirs = numbers[first][shared.rows_original]
        is_own = numbers[second][shared.rows_new] == starts[second] + shared.rows_new
        is_own &= ~np.isin(theirs, numbers[second])
        numbers[second][shared.rows_new[is_own]] = theirs[is_own]
    return NumberedImages(numbers, pairs)


def match_numbers(original: CountArray, new: CountArray) -> SharedImages:
    """The shared images of two sets whose images have been numbered."""
    _, rows_original, rows_new = np.intersect1d(original, new, assume_unique=True, return_indices=True)
    order = np.argsort(rows_original)
    return SharedImages(rows_original[order], rows_new[order])


def _get_digests(target: Target) -> IdArray:
    return np.full(len(target.image_ids), "") if target.digests is None else target.digests


def _pair_equal(first: IdArray, second: IdArray) -> tuple[CountArray, CountArray]:
    """Rows with the same text, which is not empty; of repeated texts the first with the first, the second with the second."""
    texts = first.tolist(), second.tolist()
    common = set(texts[1]).intersection(texts[0]) - {""}
    if not common:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows_of: dict[str, list[int]] = {}
    for row, text in enumerate(texts[1]):
        if text in common:
            rows_of.setdefault(text, []).append(row)
    left = {text: iter(rows) for text, rows in rows_of.items()}
    pairs = [
        (row, other)
        for row, text in enumerate(texts[0])
        if text in left and (other := next(left[text], None)) is not None
    ]
    a, b = np.array(pairs, np.int64).reshape(-1, 2).T
    return a, b
