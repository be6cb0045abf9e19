"""Counts of images that may be shared between classes, and the shares that they make."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import CountArray, FloatArray, divide
from regauge.stats.intervals import clopper_pearson

_ROUNDING = 1e-9
"""Thirds do not add up to one exactly."""


class ImageTally(NamedTuple):
    """Counts of images, some of which are there in part.

    Attributes:
        counts: the parts added up.
        n_whole: images that are there whole.
        n_tied: images that are there in part.
    """

    counts: FloatArray
    n_whole: CountArray
    n_tied: CountArray


def tally(places: CountArray, parts: FloatArray, *, size: int) -> ImageTally:
    """How much of images is at each of so many places.

    Args:
        places: per pair of an image and a place, the place; an image is at a place once at most.
        parts: how much of the image is there.
        size: how many places there are.
    """
    is_whole = parts > 1 - _ROUNDING
    n_whole = np.bincount(places[is_whole], minlength=size).astype(np.int64)
    counts = n_whole + sum_parts(places[~is_whole], parts[~is_whole], size=size)
    return ImageTally(counts, n_whole, np.bincount(places[~is_whole], minlength=size).astype(np.int64))


def add_parts(keys: CountArray, parts: FloatArray) -> tuple[CountArray, FloatArray]:
    """The distinct keys in ascending order, and the sum of the parts of each."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    return distinct, sum_parts(inverse, parts, size=distinct.size)


def sum_parts(places: NDArray[np.integer[Any]], parts: FloatArray, *, size: int) -> FloatArray:
    """The sum of the parts at each of so many places."""
    return np.asarray(np.bincount(places, parts, size), np.float64)


def tell_shares(name: str, found: ImageTally, *, n: CountArray, level: float) -> list[dict[str, Any]]:
    """Per place the counts and the share of n by the name of a column, None where n is 0.

    The Clopper–Pearson limits hold however ties are broken: the lower one is that of the images that are there whole, the upper
    one that of all that are there in part as well.
    """
    low = clopper_pearson(found.n_whole, n, level=level).low
    high = clopper_pearson(found.n_whole + found.n_tied, n, level=level).high
    shares = (to_values(one) for one in (divide(found.counts, n), low, high))
    columns = (found.counts.tolist(), found.n_tied.tolist(), n.tolist(), *shares)
    names = (f"n_{name}", "n_tied", "n", name, f"{name}_low", f"{name}_high")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def to_values(numbers: FloatArray) -> list[float | None]:
    """The numbers, None where one is missing."""
    return [None if np.isnan(one) else one for one in np.asarray(numbers, np.float64).tolist()]
