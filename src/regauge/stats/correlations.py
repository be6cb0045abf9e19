"""Limits of correlations made of redrawn images, and rank correlations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from regauge.arrays import FloatArray
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.intervals import Limits

_NEARLY_ONE = 1 - 1e-9


def limit_correlation(value: ArrayLike, replicates: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Limits of a correlation around its value, as wide as replicates spread on Fisher's scale, where they are about normal.

    A correlation of noisy numbers is pulled towards 0, and one of redrawn images twice: so quantiles of the replicates would
    lie beside the value. These limits are for what as many other images would give.

    Args:
        value: the correlation.
        replicates: [resamples, …], of redrawn images.
        level: the nominal coverage.

    Returns:
        Limits in the shape of the value; NaN where it or a replicate is missing.

    Reference:
        Fisher (1921), On the probable error of a coefficient of correlation deduced from a small sample.
    """
    z = -float(ndtri((1 - check_level(level)) / 2))
    known = np.asarray(value, np.float64)
    centre = np.arctanh(np.clip(known, -_NEARLY_ONE, _NEARLY_ONE))
    width = z * np.arctanh(np.clip(np.asarray(replicates, np.float64), -_NEARLY_ONE, _NEARLY_ONE)).std(axis=0)
    low, high = np.tanh(centre - width), np.tanh(centre + width)
    return Limits(np.asarray(np.minimum(low, known)), np.asarray(np.maximum(high, known)))


def limit_rank_correlation(value: ArrayLike, replicates: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Limits of a rank correlation around its value, as wide as replicates spread, within −1 and 1.

    Of few participants the ranks are often in perfect order, where Fisher's scale ends; so the spread is taken as it is.

    Args:
        value: the rank correlation.
        replicates: [resamples, …], of redrawn images.
        level: the nominal coverage.

    Returns:
        Limits in the shape of the value; NaN where it or a replicate is missing.

    >>> low, high = limit_rank_correlation(0.9, [0.8, 1.0] * 50)
    >>> print(low.round(3), high.round(3))
    0.704 1.0
    """
    z = -float(ndtri((1 - check_level(level)) / 2))
    known = np.asarray(value, np.float64)
    width = z * np.asarray(replicates, np.float64).std(axis=0)
    return Limits(np.asarray(np.clip(known - width, -1, 1)), np.asarray(np.clip(known + width, -1, 1)))


def correlate_ranks(x: ArrayLike, y: ArrayLike) -> FloatArray:
    """Spearman's rank correlation of each row of x with the same row of y [rows, values], ties with their mean rank.

    Returns:
        [rows]; NaN where a row has a missing value or all its values are equal, or there are none.

    >>> correlate_ranks([[1, 2, 3, 4]], [[10, 30, 20, 40]]).round(3).tolist()
    [0.8]
    """
    first, second = (_rank(np.asarray(side, np.float64)) for side in (x, y))
    if not first.size:
        return np.full(len(first), np.nan)
    first, second = (side - side.mean(axis=1, keepdims=True) for side in (first, second))
    spread = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    product = (first * second).sum(axis=1)
    found: FloatArray = np.divide(product, spread, out=np.full(len(first), np.nan), where=spread > 0)
    return found


def _rank(values: FloatArray) -> FloatArray:
    """Ranks within each row, ties with their mean; NaN throughout a row with a missing value."""
    order = np.argsort(values, axis=1, kind="stable")
    in_order = np.take_along_axis(values, order, axis=1)
    n = values.shape[1]
    is_new = np.ones(values.shape, np.bool_)
    is_new[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    # Of a run of equal values, where it starts and where it ends.
    places = np.broadcast_to(np.arange(n), values.shape)
    first = np.maximum.accumulate(np.where(is_new, places, 0), axis=1)
    is_last = np.ones(values.shape, np.bool_)
    is_last[:, :-1] = is_new[:, 1:]
    last = np.minimum.accumulate(np.where(is_last, places, n)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=1)
    ranks[np.isnan(values).any(axis=1)] = np.nan
    return ranks
