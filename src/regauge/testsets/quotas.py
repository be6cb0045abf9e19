"""Whole numbers in given proportions."""

from __future__ import annotations

import numpy as np

from regauge.errors import InputError
from regauge.records.arrays import CountArray


def scale_counts(counts: CountArray, total: int) -> CountArray:
    """Scale a histogram to a total by largest remainder, all in whole numbers; among equal remainders the last bin comes first.

    >>> scale_counts(np.array([1, 1, 1]), 10).tolist()
    [3, 3, 4]

    Raises:
        InputError: there is nothing to scale.
    """
    whole = int(counts.sum())
    if whole <= 0:
        raise InputError("A histogram without images cannot be scaled.")
    scaled, remainders = np.divmod(counts.astype(np.int64) * total, whole)
    # Sorted stably from the last bin backwards, so that ties go to the higher bin.
    order = counts.size - 1 - np.argsort(-remainders[::-1], kind="stable")
    scaled[order[: total - int(scaled.sum())]] += 1
    return scaled
