"""What becomes of many ratios when the images are drawn anew; all at once, by products of matrices.

The images that a statistic rests on are a sample. A redraw gives every image a weight, how often it was drawn, and every sum over
images is then a product with these weights. What is computed from the same weights is paired: a difference of two ratios of
one redraw is a redraw of the difference.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from regauge.arrays import CountArray, FloatArray, IntArray
from regauge.errors import InputError

WeightArray = NDArray[np.float32]

_BATCH_ELEMENTS = 2**21


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


def draw_images(n_images: int, *, rng: np.random.Generator, n_resamples: int) -> NDArray[np.uint8]:
    """How often every image is drawn, in all redraws at once [n_resamples, n_images], as small numbers.

    A count above 255 would not fit; its chance in n draws is below n/256!.

    >>> draw_images(3, rng=np.random.default_rng(0), n_resamples=2).sum(axis=1).tolist()
    [3, 3]
    """
    counts = np.empty((n_resamples, n_images), np.uint8)
    for rows, weights in draw_weights(n_images, rng=rng, n_resamples=n_resamples):
        counts[rows] = weights
    return counts


def draw_some(n_used: int, n_images: int, *, rng: np.random.Generator, n_resamples: int) -> WeightArray:
    """How often each of the images that matter comes up when all are redrawn [n_resamples, n_used]; they come first."""
    sizes = rng.binomial(n_images, n_used / n_images, n_resamples)
    places = rng.integers(n_used, size=int(sizes.sum())) + np.repeat(np.arange(n_resamples) * n_used, sizes)
    return np.bincount(places, minlength=n_resamples * n_used).reshape(n_resamples, n_used).astype(np.float32)


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
