"""Whole numbers in given proportions."""

from __future__ import annotations

import numpy as np

from regauge.arrays import CountArray
from regauge.errors import InputError


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


def count_to_gather(n_missing: int, *, n_gathered: int, n_usable: int) -> int | None:
    """How many more candidates would yield what is missing, if they were like those so far; None where none of those is usable.

    >>> count_to_gather(3, n_gathered=100, n_usable=40), count_to_gather(0, n_gathered=9, n_usable=0)
    (8, 0)
    """
    if n_missing <= 0:
        return 0
    return -(-n_missing * n_gathered // n_usable) if n_usable else None
