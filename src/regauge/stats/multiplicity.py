"""Several tests at once: Holm's adjustment, and Benjamini and Hochberg's."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import FloatArray
from regauge.errors import InputError


def holm(p_values: ArrayLike) -> FloatArray:
    """Adjusted p-values of one family: rejecting those ≤ α errs anywhere in the family with probability at most α.

    Step-down: the i-th smallest of m p-values is multiplied by m − i + 1, never falls below the one before it, and is
    at most 1. It holds under any dependence between the tests, which participants on the same images always have, and
    rejects whatever Bonferroni's rule rejects.

    Args:
        p_values: one column; the family is what is passed, so pass the rows that are shown together.

    Returns:
        The adjusted values in the given order. NaN stays NaN and does not count towards the family; no values give
        none.

    Reference:
        Holm (1979), A simple sequentially rejective multiple test procedure.

    >>> holm([0.01, 0.04, 0.03, 0.005])
    array([0.03, 0.06, 0.06, 0.02])
    """
    p = np.asarray(p_values, np.float64)
    _check_p_values(p)
    adjusted = np.full(p.shape, np.nan)
    present = np.flatnonzero(~np.isnan(p))
    ascending = present[np.argsort(p[present], kind="stable")]
    multipliers = np.arange(present.size, 0, -1)
    adjusted[ascending] = np.minimum(1.0, np.maximum.accumulate(multipliers * p[ascending]))
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Adjusted p-values of one family: of those ≤ α that are rejected, a share of at most α is rejected wrongly on average.

    Step-up: the i-th smallest of m p-values is multiplied by m/i, and never exceeds the one after it. It finds more than
    Holm's rule where many tests are false, and promises less: a false discovery rate, not that no rejection is wrong. It
    holds for independent tests, such as those of classes, whose images are different ones, and for tests that depend
    positively on each other.

    Args:
        p_values: one column; the family is what is passed.

    Returns:
        The adjusted values in the given order, each at most its Holm value. NaN stays NaN and does not count towards the
        family; no values give none.

    Reference:
        Benjamini, Hochberg (1995), Controlling the false discovery rate.

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005])
    array([0.02, 0.04, 0.04, 0.02])
    """
    p = np.asarray(p_values, np.float64)
    _check_p_values(p)
    adjusted = np.full(p.shape, np.nan)
    present = np.flatnonzero(~np.isnan(p))
    descending = present[np.argsort(p[present], kind="stable")[::-1]]
    multipliers = present.size / np.arange(present.size, 0, -1)
    adjusted[descending] = np.minimum(1.0, np.minimum.accumulate(multipliers * p[descending]))
    return adjusted


def _check_p_values(p: FloatArray) -> None:
    if p.ndim != 1:
        raise InputError(f"A family of p-values is one column, not an array of shape {p.shape}.")
    bad = (p < 0) | (p > 1)
    if bad.any():
        position = int(np.argmax(bad))
        raise InputError(f"A p-value lies between 0 and 1 or is missing (NaN); item {position} is {p[position]}.")
