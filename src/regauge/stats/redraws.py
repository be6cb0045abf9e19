"""What becomes of many ratios, and of a ranking of classes, when the images are drawn anew; all at once, by products of matrices.

The images that a statistic rests on are a sample. A redraw gives every image a weight, how often it was drawn, and every sum over
images is then a product with these weights. What is computed from the same weights is paired: a difference of two ratios of
one redraw is a redraw of the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from regauge.arrays import CountArray, FloatArray, IntArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.stats.resampling import percentile_limits

WeightArray = NDArray[np.float32]

_BATCH_ELEMENTS = 2**21
_TIE = 1e-11
_DECIMALS = 6
"""Scores that differ by less are equal: sums of single precision are no better. Of equal ones the earlier item comes first."""


class Leaving(NamedTuple):
    """How firmly the first places of a ranking are held.

    Attributes:
        stays: per listed item, the share of redraws in which it is listed again.
        n_leaving: how many of the listed are not listed again, on average; NaN where nothing is listed.
        low: lower limit of how many leave in one redraw.
        high: upper limit.
    """

    stays: FloatArray
    n_leaving: float
    low: float
    high: float


def draw_weights(
    n_images: int, *, rng: np.random.Generator, n_resamples: int, strata: IntArray | None = None
) -> Iterator[tuple[slice, WeightArray]]:
    """How often every image is drawn, in redraws of as many images [batch, n_images], batch after batch.

    Args:
        n_images: how many images there are.
        rng: the source of the draws.
        n_resamples: how many redraws.
        strata: one whole number per image; each stratum is redrawn by itself and keeps its size. Without it all images are
            redrawn together.
    """
    if n_resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample, not {n_resamples}.")
    if not n_images:
        return
    order, starts, sizes = _sort_strata(n_images, strata)
    step = max(1, _BATCH_ELEMENTS // n_images)
    for start in range(0, n_resamples, step):
        rows = slice(start, min(start + step, n_resamples))
        n = rows.stop - rows.start
        drawn = starts + (rng.random((n, n_images), np.float32) * sizes).astype(np.int64)
        # A float just below 1 may be rounded up to the next stratum.
        np.minimum(drawn, starts + sizes.astype(np.int64) - 1, out=drawn)
        drawn += np.arange(n, dtype=np.int64)[:, np.newaxis] * n_images
        counts = np.bincount(drawn.ravel(), minlength=n * n_images).reshape(n, n_images)
        weights = np.empty((n, n_images), np.float32)
        weights[:, order] = counts
        yield rows, weights


def bootstrap_ratios(
    numerators: FloatArray, denominators: FloatArray, *, rng: np.random.Generator, n_resamples: int
) -> FloatArray:
    """Replicates of Σ numerator / Σ denominator over images that are drawn anew, all columns from the same draws.

    Args:
        numerators: [images, ratios].
        denominators: [images, ratios], or one column for all ratios [images, 1].
        rng: the source of the draws.
        n_resamples: how many redraws.

    Returns:
        The replicates [n_resamples, ratios]; NaN where a redraw has nothing below the line.
    """
    n_images, n_ratios = numerators.shape
    replicates = np.full((n_resamples, n_ratios), np.nan)
    above, below = (np.asarray(part, np.float32) for part in (numerators, denominators))
    for rows, weights in draw_weights(n_images, rng=rng, n_resamples=n_resamples):
        sums, wholes = weights @ above, weights @ below
        replicates[rows] = _divide(sums, wholes)
    return replicates


def redraw_groups(
    values: FloatArray,
    groups: IntArray,
    *,
    n_groups: int,
    rng: np.random.Generator,
    n_resamples: int,
) -> FloatArray:
    """Replicates of the mean of every group, each group redrawn by itself [columns, n_resamples, groups].

    Args:
        values: [images, columns]; NaN where an image has no value, which it then brings to no mean.
        groups: per image, its group.
        n_groups: how many groups there are; one without images has NaN.
        rng: the source of the draws.
        n_resamples: how many redraws.
    """
    n_images, n_columns = values.shape
    is_known = ~np.isnan(values)
    known = np.where(is_known, values, 0)
    member = csr_array((np.ones(n_images, np.float32), (groups, np.arange(n_images))), shape=(n_groups, n_images))
    sums = [csr_array(member.multiply(known[:, column].astype(np.float32))) for column in range(n_columns)]
    wholes = [csr_array(member.multiply(is_known[:, column].astype(np.float32))) for column in range(n_columns)]
    replicates = np.full((n_columns, n_resamples, n_groups), np.nan)
    for rows, weights in draw_weights(n_images, rng=rng, n_resamples=n_resamples, strata=groups):
        turned = np.ascontiguousarray(weights.T)
        for column in range(n_columns):
            replicates[column, rows] = _divide(sums[column] @ turned, wholes[column] @ turned).T
    return replicates


def count_leaving(replicates: FloatArray, *, n_listed: int, level: float = DEFAULT_LEVEL) -> Leaving:
    """How many of the first items of a ranking would not be among the first if the images were drawn anew.

    Args:
        replicates: scores in redraws [n_resamples, items], the items in the order in which they are ranked, which also decides
            between equal scores. A high score comes first; NaN is no score, and no place in the list.
        n_listed: how many are listed.
        level: how many of the redraws the limits enclose.

    >>> found = count_leaving(np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]), n_listed=1)
    >>> found.stays.tolist(), found.n_leaving
    ([0.5], 0.5)
    """
    n_resamples, n_items = replicates.shape
    n_listed = min(n_listed, n_items)
    if not n_listed or not n_resamples:
        return Leaving(np.zeros(0), np.nan, np.nan, np.nan)
    scores = np.where(np.isnan(replicates), -np.inf, np.round(replicates.astype(np.float64), _DECIMALS))
    scores -= _TIE * np.arange(n_items)
    first = np.argpartition(-scores, n_listed - 1, axis=1)[:, :n_listed]
    is_listed = np.zeros(replicates.shape, np.bool_)
    np.put_along_axis(is_listed, first, values=True, axis=1)
    is_listed &= ~np.isnan(replicates)
    again = is_listed[:, :n_listed]
    n_leaving = n_listed - again.sum(axis=1)
    low, high = percentile_limits(n_leaving, level=level)
    return Leaving(again.mean(axis=0), float(n_leaving.mean()), float(low), float(high))


def _sort_strata(n_images: int, strata: IntArray | None) -> tuple[CountArray, CountArray, WeightArray]:
    """The images by stratum, and for each of these places where its stratum starts and how large it is."""
    if strata is None:
        return (
            np.arange(n_images, dtype=np.int64),
            np.zeros(n_images, np.int64),
            np.full(n_images, n_images, np.float32),
        )
    if strata.shape != (n_images,):
        raise InputError(f"Strata are {n_images} whole numbers, one per image, not an array of shape {strata.shape}.")
    _, stratum, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    order = np.argsort(stratum, kind="stable")
    starts = (np.cumsum(sizes) - sizes)[stratum][order]
    return order.astype(np.int64), starts.astype(np.int64), sizes[stratum][order].astype(np.float32)


def _divide(sums: NDArray[np.float32], wholes: NDArray[np.float32]) -> FloatArray:
    shares = np.full(np.broadcast_shapes(sums.shape, wholes.shape), np.nan)
    np.divide(sums, wholes, out=shares, where=wholes > 0)
    return shares
