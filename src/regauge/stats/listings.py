"""How firm a ranked list is: how many of its entries would leave it if the images were redrawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.estimates import DEFAULT_LEVEL, Estimate
from regauge.stats.resampling import percentile_limits

_DECIMALS = 6
"""Values that differ by less are equal: sums of single precision are no better."""


class ListFirmness(NamedTuple):
    """What redrawn images do to the first entries of a list.

    Attributes:
        stays: per entry of the list, in how many of the redraws it is still among the first [n_listed].
        leaving: how many entries leave it, on average over the redraws, with percentile limits.
    """

    stays: FloatArray
    leaving: Estimate[float | None]


def measure_firmness(replicates: FloatArray, n_listed: int, *, level: float = DEFAULT_LEVEL) -> ListFirmness:
    """How many of the first entries of a list leave it when their values are those of redrawn images.

    Values that are equal where the list ends share the places that are left: each has that chance of one, so that a list in
    which all are equal does not pass for firm.

    Args:
        replicates: the values of every candidate for the list under each redraw, in the order of the list [redraws, candidates];
            the higher come first, those within 0.000001 are equal, and NaN has no place in the list.
        n_listed: how many entries the list has; all candidates where there are no more.
        level: coverage of the limits.

    Returns:
        Shares of the redraws, and the mean number that leave; nothing leaves a list of all candidates.

    >>> firm = measure_firmness(np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0]]), 2)
    >>> firm.stays.tolist(), firm.leaving.value
    ([1.0, 0.5], 0.5)
    """
    n_candidates = replicates.shape[1]
    n = min(n_listed, n_candidates)
    if n == 0:
        return ListFirmness(np.zeros(0), Estimate(None, None, None, n=0))
    values = np.where(np.isnan(replicates), -np.inf, np.round(replicates.astype(np.float64), _DECIMALS))
    # The value of the last place; whoever is above it stays, those at it share what is left.
    last = np.partition(values, n_candidates - n, axis=1)[:, n_candidates - n, np.newaxis]
    n_above = (values > last).sum(axis=1)
    n_tied = (values == last).sum(axis=1)
    chance = ((n - n_above) / n_tied)[:, np.newaxis]
    first = values[:, :n]
    stays = (first > last) + ((first == last) & (first > -np.inf)) * chance
    leaving = n - stays.sum(axis=1)
    limits = percentile_limits(leaving, level=level)
    mean = float(leaving.mean())
    # The mean lies within its percentile limits but for rounding and for very skewed counts.
    low, high = min(float(limits.low), mean), max(float(limits.high), mean)
    return ListFirmness(np.asarray(stays.mean(axis=0), np.float64), Estimate(mean, low, high, n=n, method="bootstrap"))
