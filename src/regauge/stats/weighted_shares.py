"""Shares of images of several kinds that do not stand for equally many others, and differences of such shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import FloatArray, divide
from regauge.estimates import DEFAULT_LEVEL
from regauge.stats.counts import check_counts
from regauge.stats.intervals import Limits, clopper_pearson, newcombe, wilson


class WeighedShares(NamedTuple):
    """Shares with their limits, one per entry.

    Attributes:
        value: the shares; NaN where there is nothing to share.
        low: lower limits.
        high: upper limits.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray


def weigh_shares(
    n_correct: ArrayLike, n: ArrayLike, *, weights: ArrayLike, level: float = DEFAULT_LEVEL
) -> WeighedShares:
    """The share of what some images stand for, where those of one stratum stand for `weights` others each.

    With equal weights these are Clopper and Pearson's limits of all strata together. Else the share is Σ c·p over the strata,
    c being their parts of the whole, and the limits of every p are put together as the sides of a rectangle: the distance of a
    limit from the share is √Σ(c·(p − limit))². The limits of every stratum are never too short, and so are these.

    Args:
        n_correct: [..., strata].
        n: images counted in each, likewise.
        weights: how many each of them stands for [strata].
        level: the nominal coverage.

    Returns:
        Shares [...], NaN where no image was counted.

    Reference:
        Zou, Donner (2008), Construction of confidence limits about effect measures: a general approach, Statistics in
        Medicine 27, 1693–1702.

    >>> value, low, high = weigh_shares([[2_156, 0]], [[6_761, 2_923]], weights=[1, 1])
    >>> print(value.round(4), low.round(4), high.round(4))
    [0.2226] [0.2144] [0.2311]
    """
    return _weigh(n_correct, n, weights, lambda k, whole: clopper_pearson(k, whole, level=level))


def weigh_difference(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    *,
    weights: ArrayLike,
    level: float = DEFAULT_LEVEL,
) -> WeighedShares:
    """The difference of two such shares of other images, first − second: Newcombe's, with as many strata as there are.

    With equal weights it is Newcombe's method 10; with others, Wilson's limits of every stratum are put together in the same way.

    Args:
        first: n_correct and n of one, [..., strata] each.
        second: likewise of the other.
        weights: how many images each of a stratum stands for [strata].
        level: the nominal coverage.

    Returns:
        Differences [...], NaN where either has no image.
    """
    if np.ptp(np.asarray(weights, np.float64)) == 0:
        (k_a, n_a), (k_b, n_b) = ((np.asarray(k).sum(-1), np.asarray(n).sum(-1)) for k, n in (first, second))
        limits = newcombe(k_a, n_a, n_correct_b=k_b, n_b=n_b, level=level)
        return WeighedShares(divide(k_a, n_a) - divide(k_b, n_b), limits.low, limits.high)
    a, b = (_weigh(k, n, weights, lambda k, whole: wilson(k, whole, level=level)) for k, n in (first, second))
    value = a.value - b.value
    low = value - np.hypot(a.value - a.low, b.high - b.value)
    high = value + np.hypot(a.high - a.value, b.value - b.low)
    return WeighedShares(value, np.asarray(low), np.asarray(high))


def _weigh(
    n_correct: ArrayLike, n: ArrayLike, weights: ArrayLike, limit: Callable[[ArrayLike, ArrayLike], Limits]
) -> WeighedShares:
    k, whole = check_counts(n_correct=n_correct, n=n)
    weight = np.asarray(weights, np.float64)
    if np.ptp(weight) == 0:
        k, whole = k.sum(axis=-1), whole.sum(axis=-1)
        return WeighedShares(divide(k, whole), *limit(k, whole))
    stands_for = whole * weight
    parts = divide(stands_for, stands_for.sum(axis=-1, keepdims=True))
    shares = divide(k, whole)
    limits = limit(k, whole)
    # A stratum without images has no share, and no part of the whole either.
    is_empty = whole == 0
    p, low, high = (np.where(is_empty, 0.0, one) for one in (shares, limits.low, limits.high))
    value = (parts * p).sum(axis=-1)
    below = np.sqrt(((parts * (p - low)) ** 2).sum(axis=-1))
    above = np.sqrt(((parts * (high - p)) ** 2).sum(axis=-1))
    return WeighedShares(value, np.maximum(value - below, 0.0), np.minimum(value + above, 1.0))
