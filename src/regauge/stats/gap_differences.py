"""Does one participant lose more than another between two test sets?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedImages
from regauge.stats.resampling import DEFAULT_RESAMPLES

SIGNS = np.array([-1.0, 0.0, 1.0])


def draw_gap_differences(
    original: ArrayLike,
    new: ArrayLike,
    *,
    rng: np.random.Generator,
    shared: SharedImages = NO_SHARED_IMAGES,
    n_resamples: int = DEFAULT_RESAMPLES,
) -> FloatArray:
    """Replicates of the first participant's gap less the second's, from a paired bootstrap of the images.

    Both participants answered the same images of each set, so an image is drawn with both answers. What it adds is +1, 0 or −1,
    and to draw images with replacement is to draw how many there are of each: a multinomial distribution, in one step. Images
    that both sets share are drawn once for both.

    Args:
        original: [images] +1 where only the first participant is right, −1 where only the second is, 0 where they are alike.
        new: likewise on the new set.
        rng: the source of the draws.
        shared: the images that are in both.
        n_resamples: how many times to draw.

    Returns:
        The replicates [n_resamples] of mean(original) − mean(new); NaN where a set has no image.

    Reference:
        Efron, Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.

    >>> draws = draw_gap_differences([1, 0, 0, -1], [1, 1, 0, 0], rng=np.random.default_rng(0))
    >>> print(abs(draws.mean() - -0.5) < 0.02)
    True
    """
    x, y = _check(original), _check(new)
    if n_resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample, not {n_resamples}.")
    if not x.size or not y.size:
        return np.full(n_resamples, np.nan)
    own = np.delete(x, shared.rows_original), np.delete(y, shared.rows_new)
    totals = [_draw(_tally(one), rng, n_resamples) @ SIGNS for one in own]
    if len(shared):
        # Nine kinds: what a shared image adds to the original set, and what to the new one, where labels may differ.
        kinds = np.bincount(3 * (x[shared.rows_original] + 1) + y[shared.rows_new] + 1, minlength=9)
        drawn = _draw(kinds, rng, n_resamples)
        totals[0] = totals[0] + drawn @ np.repeat(SIGNS, 3)
        totals[1] = totals[1] + drawn @ np.tile(SIGNS, 3)
    return np.asarray(totals[0] / x.size - totals[1] / y.size)


def _check(column: ArrayLike) -> NDArray[np.int64]:
    values = np.asarray(column)
    if values.ndim != 1 or (values.dtype.kind not in "iu" and values.size):
        raise InputError(f"Paired answers are one column of −1, 0 and 1, not {values.dtype} {values.shape}.")
    if values.size and (values.min() < -1 or values.max() > 1):
        raise InputError("Paired answers are −1, 0 and 1: who alone is right.")
    return values.astype(np.int64)


def _tally(column: NDArray[np.int64]) -> CountArray:
    return np.bincount(column + 1, minlength=3).astype(np.int64)


def _draw(counts: CountArray, rng: np.random.Generator, n_resamples: int) -> FloatArray:
    """How many images of each kind a sample has [resamples, kinds]; all 0 without images."""
    n = int(counts.sum())
    if not n:
        return np.zeros((n_resamples, counts.size))
    return rng.multinomial(n, counts / n, size=n_resamples).astype(np.float64)
