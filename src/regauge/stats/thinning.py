"""Counts from fewer annotators, and what those left out say: k of n, split between m who are kept and r who are not.

No single annotator has to be known for it: every split of the n behind a count is equally likely.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError


def thin(n_selected: CountArray, n_shown: CountArray, *, n_left: int, n_out: int = 0) -> FloatArray:
    """The probability of every count among m annotators drawn from the n without replacement [pairs, m + 1].

    With r others drawn as well it is the probability of that count among the m and of a selection by all r. If k is
    Binomial(n, s), its expectation is that of Binomial(m, s), times s^r: thinning shows what fewer annotators would have found,
    and those left out had no part in it.

    Args:
        n_selected: k of every pair.
        n_shown: n of every pair.
        n_left: m.
        n_out: r.

    Raises:
        InputError: a pair has fewer than m + r annotators, or m is below 1.

    >>> thin(np.array([2, 4]), np.array([4, 4]), n_left=2).round(3).tolist()
    [[0.167, 0.667, 0.167], [0.0, 0.0, 1.0]]
    >>> thin(np.array([2, 4]), np.array([4, 4]), n_left=2, n_out=1).round(3).tolist()
    [[0.167, 0.333, 0.0], [0.0, 0.0, 1.0]]
    """
    most = (int(n_shown.min()) if n_shown.size else n_left + n_out) - n_out
    if not 1 <= n_left <= most:
        raise InputError(f"From {most + n_out:,} annotators 1 to {most:,} can be left, not {n_left:,}.")
    k, n = n_selected[:, np.newaxis], n_shown[:, np.newaxis]
    j = np.arange(n_left + 1)
    is_possible = (j + n_out <= k) & (n_left - j <= n - k)
    drawn, rest = np.where(is_possible, j, 0), np.where(is_possible, n_left - j, 0)
    yes = np.where(is_possible, drawn + n_out, 0)
    # C(m, j) orders of the m, times the falling factorials of k and n − k over that of n.
    logs = _choose(np.full_like(drawn, n_left), drawn) + _fall(k, yes) + _fall(n - k, rest) - _fall(n, n_left + n_out)
    return np.where(is_possible, np.exp(logs), 0.0)


def estimate_powers(n_selected: CountArray, n_shown: CountArray, *, degree: int) -> FloatArray:
    """Unbiased estimates of s^0 to s^degree from every count k of n [pairs, degree + 1].

    They are k(k − 1)…/n(n − 1)…: the share of r annotators drawn at random who all select. The power of k/n itself is too large.

    Raises:
        InputError: a pair has fewer annotators than the degree.

    >>> estimate_powers(np.array([3]), np.array([4]), degree=2).tolist()
    [[1.0, 0.75, 0.5]]
    """
    fewest = int(n_shown.min()) if n_shown.size else degree
    if fewest < degree:
        raise InputError(f"A power of degree {degree} takes {degree} annotators or more; one count has {fewest}.")
    steps = np.arange(degree)
    ratios = np.maximum(n_selected[:, np.newaxis] - steps, 0) / (n_shown[:, np.newaxis] - steps)
    return np.concatenate([np.ones((len(n_shown), 1)), np.cumprod(ratios, axis=1)], axis=1)


def _fall(n: CountArray, k: CountArray | int) -> FloatArray:
    """The logarithm of the falling factorial n(n − 1)… of k factors."""
    return np.asarray(gammaln(n + 1.0) - gammaln(n - k + 1.0), np.float64)


def _choose(n: CountArray, k: CountArray) -> FloatArray:
    """The logarithm of the binomial coefficient."""
    return np.asarray(_fall(n, k) - gammaln(k + 1.0), np.float64)
