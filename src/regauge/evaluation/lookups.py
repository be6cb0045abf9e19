"""Find what is known about (image, class) pairs, for a whole column of answers at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IdArray, IntArray
from regauge.evaluation.targets import Target

NO_PAIR = -1


@dataclass(frozen=True, slots=True, eq=False)
class PairLookup:
    """Where (row, class) pairs stand in a table.

    Attributes:
        keys: row · stride + class of every pair, in ascending order.
        places: the place in the table that each key stands for.
        stride: one more than the largest class.
    """

    keys: CountArray
    places: CountArray
    stride: int

    def find(self, classes: IntArray) -> CountArray:
        """Per row of the target, the place of the pair with that class; `NO_PAIR` where there is none."""
        if not len(self.keys):
            return np.full(len(classes), NO_PAIR, np.int64)
        wanted = np.arange(len(classes), dtype=np.int64) * self.stride + classes
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        is_found = (self.keys[at] == wanted) & (classes != NO_CLASS) & (classes < self.stride)
        return np.where(is_found, self.places[at], NO_PAIR)


def make_lookup(target: Target, image_ids: IdArray, *, images: CountArray | IntArray, classes: IntArray) -> PairLookup:
    """A lookup of pairs whose images are given by their position in `image_ids`; images that the target lacks are left out."""
    rows_of_images = find_target_rows(target, image_ids)
    rows = rows_of_images[images]
    is_here = rows != NO_PAIR
    stride = int(classes.max(initial=0)) + 1
    keys = rows[is_here] * stride + classes[is_here]
    order = np.argsort(keys, kind="stable")
    return PairLookup(keys[order], np.flatnonzero(is_here)[order], stride)


def find_target_rows(target: Target, image_ids: IdArray) -> CountArray:
    """The row of each image in the target; `NO_PAIR` where it has none."""
    if np.array_equal(image_ids, target.image_ids):
        return np.arange(len(image_ids), dtype=np.int64)
    return np.array([target.row_by_id.get(one, NO_PAIR) for one in image_ids.tolist()], np.int64)
