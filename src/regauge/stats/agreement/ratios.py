"""Limits of coefficients of agreement, each of which is one minus a ratio of observed to expected disagreement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from regauge.arrays import CountArray, FloatArray
from regauge.estimates import check_level
from regauge.stats.intervals import Limits


class Disagreement(NamedTuple):
    """Observed and expected disagreement, and how far tasks move them; numbers or arrays, one entry per coefficient.

    Attributes:
        observed: the mean over tasks of the share of pairs of votes that differ.
        expected: the share that would differ by chance.
        n: how many tasks the mean is worth, if some count more than others.
        observed_squares: the sum over tasks of the squared influence on the observed share.
        expected_squares: likewise on the expected share.
        products: the sum over tasks of the product of both influences.
    """

    observed: FloatArray
    expected: FloatArray
    n: FloatArray | CountArray
    observed_squares: FloatArray
    expected_squares: FloatArray
    products: FloatArray


def limit_agreement_ratio(found: Disagreement, *, level: float) -> Limits:
    """Limits of 1 − observed/expected over tasks drawn anew: a score interval for the one, Fieller's for their ratio.

    A ratio r is in the interval where observed − r·expected is within t standard errors of 0. The variance of the observed
    share is not taken from the sample, which has none where all agree, but is that of a share p = r·expected on as many
    tasks as would show the spread that the sample has (one more half-and-half task steadies that number). So perfect
    agreement on ten tasks has an interval that says so. The variance of the expected share and the covariance are the
    sample's. Simulated with 10 to 200 tasks, 2 to 7 votes and 2 or 10 labels, 95% limits cover 92 to 98%; where a label
    comes up in fewer than a tenth of the tasks, down to 85% with fewer than a hundred of them.

    Args:
        found: the shares, and how tasks move them.
        level: the nominal coverage.

    Returns:
        Limits within [−1, 1]. NaN with fewer than two tasks, and where the expected disagreement cannot be told from none,
        for nothing then says how much chance would give.

    References:
        Wilson (1927), Probable inference; Fieller (1954), Some problems in interval estimation; Efron (1982), The
        Jackknife, the Bootstrap and Other Resampling Plans, chapter 6.
    """
    tail = (1 - check_level(level)) / 2
    observed, expected, n = (np.asarray(one, np.float64) for one in (found.observed, found.expected, found.n))
    with np.errstate(invalid="ignore", divide="ignore"):
        square = np.where(n > 1, stdtrit(np.maximum(n - 1, 1e-9), tail) ** 2, np.nan)
        small = n / (n - 1)
        variance, spread, product = (small * np.asarray(one) for one in found[3:])
        steady = 0.25 / n
        n_effective = (observed * (1 - observed) + steady) / (variance + steady / n)
        # The covariance goes to 0 with the disagreement, and is taken to be in proportion to it.
        slope = np.where(observed > 0, product / np.where(observed > 0, observed, 1.0), 0.0)
        # The interval is where a·r² + b·r + c ≤ 0.
        a = expected**2 * (1 + square / n_effective) - square * (spread - 2 * slope * expected)
        b = -expected * (2 * observed + square / n_effective)
        root = np.sqrt(np.maximum(b**2 - 4 * a * observed**2, 0))
        is_bounded = (a > 0) & (square * spread < expected**2)
        low = np.where(is_bounded, np.maximum(1 - (root - b) / (2 * a), -1), np.nan)
        high = np.where(is_bounded, np.minimum(1 + (root + b) / (2 * a), 1), np.nan)
    return Limits(low, high)
