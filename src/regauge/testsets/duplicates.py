"""Near-duplicates: of images that show the same thing, one is kept, or none where the original data have it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from regauge.arrays import BoolArray, IdArray, IntArray
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Components:
    """Images joined by pairs that show the same thing.

    Attributes:
        image_ids: the images.
        components: per image, the number of its component; images in no pair have one of their own.
        is_kept: per image, whether it may be taken: the first by id of its component, unless an original image is in it.
        has_original: per image, whether an original image is in its component.
    """

    image_ids: IdArray
    components: IntArray
    is_kept: BoolArray
    has_original: BoolArray

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<Components: {len(self):,} images, {int(self.is_kept.sum()):,} kept>"


def find_components(image_ids: IdArray, pairs: NDArray[np.integer], *, is_original: BoolArray) -> Components:
    """Join images by pairs, and keep one of each component, or none where an original image is in it.

    Pairs chain: where a shows the same as b, and b the same as c, one of the three is kept. Which one depends on the ids alone,
    so the choice does not change with the order of the pairs.

    Args:
        image_ids: the images, candidates and original ones.
        pairs: [n, 2], positions of two images that a review found to be near-duplicates.
        is_original: per image, whether it belongs to the original data; those are never kept.

    Raises:
        InputError: a pair names an image that is not there.
    """
    n = len(image_ids)
    if pairs.size and not (int(pairs.min()) >= 0 and int(pairs.max()) < n):
        raise InputError(f"Pairs of near-duplicates name images by position, from 0 to {n - 1:,}.")
    edges = pairs.reshape(-1, 2)
    graph = coo_array((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), shape=(n, n))
    n_components, found = connected_components(graph, directed=False)
    has_original = np.bincount(found, is_original, n_components)[found] > 0
    order = np.argsort(image_ids, kind="stable")
    _, firsts = np.unique(found[order], return_index=True)
    is_first = np.zeros(n, np.bool_)
    is_first[order[firsts]] = True
    return Components(image_ids, found.astype(np.int32), is_first & ~has_original, has_original)
