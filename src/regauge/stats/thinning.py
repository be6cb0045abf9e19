"""Counts from fewer annotators: what k of n becomes when only m of the n are asked."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from regauge.errors import InputError
from regauge.records.arrays import CountArray, FloatArray


def thin(n_selected: CountArray, n_shown: CountArray, *, n_left: int) -> FloatArray:
    """The probability of every count among m annotators who are drawn from the n without replacement [pairs, m + 1].

    These are the hypergeometric probabilities C(k, j)·C(n − k, m − j)/C(n, m). If k is Binomial(n, s), the thinned count is
    exactly Binomial(m, s): thinning shows what fewer annotators would have found, and no single one has to be left out.

    Raises:
        InputError: a pair has fewer than m annotators, or m is below 1.

    >>> thin(np.array([2, 4]), np.array([4, 4]), n_left=2).round(3).tolist()
    [[0.167, 0.667, 0.167], [0.0, 0.0, 1.0]]
    """
    fewest = int(n_shown.min()) if n_shown.size else n_left
    if not 1 <= n_left <= fewest:
        raise InputError(f"From {fewest:,} annotators 1 to {fewest:,} can be left, not {n_left:,}.")
    k, n = n_selected[:, np.newaxis], n_shown[:, np.newaxis]
    j = np.arange(n_left + 1)
    is_possible = (j <= k) & (n_left - j <= n - k)
    drawn, rest = np.where(is_possible, j, 0), np.where(is_possible, n_left - j, 0)
    logs = _choose(k, drawn) + _choose(n - k, rest) - _choose(n, np.full_like(n, n_left))
    return np.where(is_possible, np.exp(logs), 0.0)


def _choose(n: CountArray, k: CountArray) -> FloatArray:
    """The logarithm of the binomial coefficient."""
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0), np.float64)
