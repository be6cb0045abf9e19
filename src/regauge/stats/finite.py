"""How many of a finite whole have a property, from a random sample of it without replacement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from regauge.arrays import FloatArray
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.counts import check_counts

# Two sums of the same chances may differ in their last bits; a tie with the level is no reason to leave a count out.
_TIE = 1e-9


class CountLimits(NamedTuple):
    """How many of the whole have the property at least and at most."""

    low: int
    high: int


def limit_whole_count(n_found: int, n_sampled: int, *, n_whole: int, level: float = DEFAULT_LEVEL) -> CountLimits:
    """Exact limits of how many of n_whole things have a property that n_found of n_sampled random ones have.

    Those counts under which neither n_found or more nor n_found or fewer would come up with probability (1 − level)/2 or
    less, by the hypergeometric distribution: Clopper's and Pearson's limits for a finite whole. They cover with at least the
    nominal probability, are narrower than those of the binomial, and close on n_found when everything was looked at.

    Args:
        n_found: things in the sample that have the property.
        n_sampled: things in the sample; with none, nothing is known.
        n_whole: things in all.
        level: the nominal coverage.

    Reference:
        Wright (1991), Exact confidence bounds when sampling from small finite universes.

    >>> limit_whole_count(47, 100, n_whole=900)
    CountLimits(low=338, high=510)
    """
    tail = (1 - check_level(level)) / 2
    check_counts(n=n_sampled, n_found=n_found)
    check_counts(n=n_whole, n_sampled=n_sampled)
    low = _find_lowest(n_found, n_sampled, n_whole=n_whole, tail=tail)
    return CountLimits(low, n_whole - _find_lowest(n_sampled - n_found, n_sampled, n_whole=n_whole, tail=tail))


def _find_lowest(n_found: int, n_sampled: int, *, n_whole: int, tail: float) -> int:
    """The lowest count that gives n_found or more often enough; the chance of that grows with the count."""
    low, high = n_found, n_whole - (n_sampled - n_found)
    while low < high:
        middle = (low + high) // 2
        if _find_chance(n_found, n_sampled, n_whole=n_whole, n_with=middle) > tail * (1 + _TIE):
            high = middle
        else:
            low = middle + 1
    return low


def _find_chance(n_found: int, n_sampled: int, *, n_whole: int, n_with: int) -> float:
    """P(n_found or more in the sample) when n_with of the whole have the property."""
    found = np.arange(n_found, min(n_sampled, n_with) + 1)
    found = found[n_sampled - found <= n_whole - n_with]
    chances = (
        count_log_ways(n_with, found)
        + count_log_ways(n_whole - n_with, n_sampled - found)
        - count_log_ways(n_whole, n_sampled)
    )
    return float(np.exp(chances).sum())


def count_log_ways(n: int, k: ArrayLike) -> FloatArray:
    """The logarithm of n over k."""
    chosen = np.asarray(k, np.float64)
    return np.asarray(gammaln(n + 1) - gammaln(chosen + 1) - gammaln(n + 1 - chosen), np.float64)
