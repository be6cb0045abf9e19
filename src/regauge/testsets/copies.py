"""Which of the images that are the same may be taken: one of them, or none where the original data have it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray
from regauge.testsets.duplicates import find_components

GOOD_FREQUENCY = (7, 10)
"""At least 7 of 10: the selection frequency at which images of a class are counted, as in the release of ImageNetV2."""


@dataclass(frozen=True, slots=True, eq=False)
class Merits:
    """What speaks for an image where one of several that are the same is to stay, in columns.

    Attributes:
        is_usable: whether no other rule excludes it.
        is_barred: whether it is excluded for what it shows, and so stands for its copies where none of them is usable.
        is_drawn: whether a test set that was drawn holds it.
        classes: the class that it was gathered for.
        n_shown: how many annotators saw it with that class.
        n_selected: how many of them selected it.
    """

    is_usable: BoolArray
    is_barred: BoolArray
    is_drawn: BoolArray
    classes: IntArray
    n_shown: CountArray
    n_selected: CountArray

    @classmethod
    def of_nobody(cls, is_usable: BoolArray, *, is_barred: BoolArray) -> Merits:
        """Where nobody was asked, and nothing was drawn."""
        n = len(is_usable)
        nobody = np.zeros(n, np.int64)
        return cls(is_usable, is_barred, np.zeros(n, np.bool_), np.zeros(n, np.int32), nobody, nobody)


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Candidates and the images that they are the same as.

    Attributes:
        is_excluded: per image, whether it is a candidate that must not be taken.
        stands: per image, the position of the image that stands for all that are the same: an original one, or else the
            candidate that is kept.
    """

    is_excluded: BoolArray
    stands: CountArray


def link_equal(columns: Iterable[IdArray]) -> NDArray[np.int64]:
    """Pairs of positions that join all images with an equal text in any of the columns; empty texts equal nothing.

    >>> link_equal([np.array(["a", "b", "a", "", ""])]).tolist()
    [[2, 0]]
    """
    found = [np.zeros((0, 2), np.int64)]
    for texts in columns:
        rows = np.flatnonzero(texts != "")
        _, firsts, places = np.unique(texts[rows], return_index=True, return_inverse=True)
        pairs = np.stack((rows, rows[firsts][places]), axis=1)
        found.append(pairs[pairs[:, 0] != pairs[:, 1]])
    return np.concatenate(found)


def rank_images(image_ids: IdArray, merits: Merits) -> CountArray:
    """Per image its rank, 0 for the one that stays before all others.

    Usable images come first, and of these such as a drawn test set holds, so that a revision keeps them. Then the rule of the
    release of ImageNetV2: images that at least 7 of 10 annotators selected, of the class with the fewest such images; the highest
    selection frequency; the first id. Images that nobody was asked about come behind those that somebody was.

    Args:
        image_ids: the images.
        merits: what speaks for each.
    """
    n_shown, n_selected = merits.n_shown, merits.n_selected
    share, whole = GOOD_FREQUENCY
    is_good = (n_shown > 0) & (whole * n_selected >= share * n_shown)
    n_good = np.bincount(merits.classes[is_good & merits.is_usable], minlength=int(merits.classes.max(initial=0)) + 1)
    scarcity = np.where(is_good, n_good[merits.classes], len(image_ids) + 1)
    frequency = np.where(n_shown > 0, n_selected / np.maximum(n_shown, 1), -1.0)
    # The last key counts most.
    keys = (image_ids, -frequency, scarcity, ~merits.is_drawn, ~merits.is_barred, ~merits.is_usable)
    ranks = np.empty(len(image_ids), np.int64)
    ranks[np.lexsort(keys)] = np.arange(len(image_ids))
    return ranks


def find_copies(
    image_ids: IdArray,
    pairs: NDArray[np.integer],
    *,
    is_original: BoolArray,
    is_candidate: BoolArray,
    ranks: CountArray,
) -> Copies:
    """Join images by pairs; of every component one candidate stays, or none where an original image is in it.

    It is the candidate of the lowest rank. Images that are neither original nor candidates join others and are never chosen.
    Of two sets of pairs, one within the other, the candidate that stays by the larger one also stays by the smaller: so rules
    that use the same ranks never exclude each other's choice.

    Args:
        image_ids: the images.
        pairs: [n, 2], positions of two images that are the same.
        is_original: per image, whether it belongs to the original data.
        is_candidate: per image, whether it might be taken.
        ranks: per image its rank, as `rank_images` gives it.
    """
    components = find_components(image_ids, pairs, is_original=is_original).components
    # Original images come first, then candidates, then others; the last key counts most.
    order = np.lexsort((ranks, ~is_candidate, ~is_original))
    _, firsts = np.unique(components[order], return_index=True)
    stands = order[firsts][components]
    is_excluded = is_candidate & ~is_original & (stands != np.arange(len(image_ids)))
    return Copies(is_excluded, stands.astype(np.int64))
