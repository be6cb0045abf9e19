"""Which of the images that are the same may be taken: one of them, or none where the original data have it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regauge.records.arrays import BoolArray, CountArray, IdArray
from regauge.testsets.duplicates import find_components


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


def find_copies(
    image_ids: IdArray,
    pairs: NDArray[np.integer],
    *,
    is_original: BoolArray,
    is_candidate: BoolArray,
    is_favoured: BoolArray,
) -> Copies:
    """Join images by pairs; of every component one candidate stays, or none where an original image is in it.

    It is the first by id of those that are favoured, or of all where none is. Images that are neither original nor candidates
    join others and are never chosen.

    Args:
        image_ids: the images.
        pairs: [n, 2], positions of two images that are the same.
        is_original: per image, whether it belongs to the original data.
        is_candidate: per image, whether it might be taken.
        is_favoured: per image, whether it comes before other candidates.
    """
    components = find_components(image_ids, pairs, is_original=is_original).components
    # Original images come first, then candidates, then others; the last key counts most.
    order = np.lexsort((image_ids, ~is_favoured, ~is_candidate, ~is_original))
    _, firsts = np.unique(components[order], return_index=True)
    stands = order[firsts][components]
    is_excluded = is_candidate & ~is_original & (stands != np.arange(len(image_ids)))
    return Copies(is_excluded, stands.astype(np.int64))
