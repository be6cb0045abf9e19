"""Limits of a median."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtri

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.intervals import Limits


def find_median_limits(values: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Limits of the median of independent values, whatever their distribution: two of the values themselves.

    How many of n values lie below the median is Binomial(n, ½), so that a pair of ordered values holds it with a probability
    that is known exactly, and at least the level here.

    Returns:
        NaN where there are too few values, five at 95%, for any two of them to hold it so often.

    Reference:
        David, Nagaraja (2003), Order Statistics, §7.1.

    >>> low, high = find_median_limits(range(1, 11))
    >>> print(low, high)
    2.0 9.0
    """
    tail = (1 - check_level(level)) / 2
    ordered = np.sort(_check(values))
    n = ordered.size
    # The rank r from 0 at which fewer than r + 1 values lie below the median with at most the probability of the tail.
    below = bdtr(np.arange(n), n, 0.5) if n else np.zeros(0)
    rank = int(np.count_nonzero(below <= tail)) - 1
    if rank < 0:
        return Limits(np.array(np.nan), np.array(np.nan))
    return Limits(np.array(ordered[rank]), np.array(ordered[n - 1 - rank]))


def find_clustered_median_limits(values: ArrayLike, clusters: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Limits of the median of values that come in clusters, such as several people's seconds on one image.

    The share of values up to the median is a ratio of sums over clusters, with a normal interval around ½; the limits are the
    quantiles at its ends (Woodruff's method).

    Args:
        values: the values.
        clusters: one whole number per value; clusters are independent of each other, values within one need not be.
        level: the nominal coverage.

    Returns:
        NaN with fewer than two clusters.

    Reference:
        Woodruff (1952), Confidence intervals for medians and other position measures.
    """
    z = -float(ndtri((1 - check_level(level)) / 2))
    column, codes = _check(values), np.asarray(clusters)
    if codes.shape != column.shape or (codes.size and codes.dtype.kind not in "iu"):
        raise InputError(f"Clusters are {column.size} whole numbers, one per value, not {codes.dtype} {codes.shape}.")
    _, place = np.unique(codes, return_inverse=True)
    n_clusters = int(place.max(initial=-1)) + 1
    if n_clusters < 2:
        return Limits(np.array(np.nan), np.array(np.nan))
    excess = np.bincount(place, (column <= np.median(column)) - 0.5)
    error = float(np.sqrt(n_clusters / (n_clusters - 1) * (excess**2).sum())) / column.size
    ends = np.clip([0.5 - z * error, 0.5 + z * error], 0, 1)
    low, high = np.quantile(column, ends)
    return Limits(np.array(low), np.array(high))


def _check(values: ArrayLike) -> FloatArray:
    column = np.asarray(values, np.float64)
    if column.ndim != 1 or np.isnan(column).any():
        raise InputError(
            f"A median is of one column of numbers, without gaps, not of an array of shape {column.shape}."
        )
    return column
