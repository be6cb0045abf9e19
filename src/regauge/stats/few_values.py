"""Means of numbers that take few values: to draw images with replacement is to draw how many there are of each value."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import FloatArray
from regauge.errors import InputError

_BATCH_ELEMENTS = 2**22


def resample_means(counts: ArrayLike, values: ArrayLike, *, rng: np.random.Generator, n_resamples: int) -> FloatArray:
    """Bootstrap replicates of the mean of each row, in one multinomial draw per row and replicate.

    This is the bootstrap of the images, not an approximation of it: which image has which value does not enter the mean.

    Args:
        counts: how many images have each value [rows, values].
        values: the values [values].
        rng: the source of the draws.
        n_resamples: how many replicates.

    Returns:
        [n_resamples, rows]; NaN for a row with fewer than two images, which does not tell how they differ.

    Reference:
        Efron, Tibshirani (1993), An Introduction to the Bootstrap.

    >>> drawn = resample_means([[3, 1]], [0.0, 1.0], rng=np.random.default_rng(0), n_resamples=1_000)
    >>> drawn.shape, abs(float(drawn.mean()) - 0.25) < 0.02
    ((1000, 1), True)
    """
    table, value = np.asarray(counts, np.int64), np.asarray(values, np.float64)
    if table.ndim != 2 or table.shape[1:] != value.shape:
        raise InputError(f"Counts are one row per mean and one column per value, not {table.shape} for {value.shape}.")
    n = table.sum(axis=1)
    replicates = np.full((n_resamples, len(table)), np.nan)
    known = np.flatnonzero(n > 1)
    if known.size:
        shares = table[known] / n[known, np.newaxis]
        step = max(1, _BATCH_ELEMENTS // max(1, shares.size))
        for start in range(0, n_resamples, step):
            size = min(step, n_resamples - start)
            drawn = rng.multinomial(n[known], shares, size=(size, known.size))
            replicates[start : start + size, known] = drawn @ value / n[known]
    return replicates
