"""On how many images would everybody fail, if they failed independently of each other?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from regauge.arrays import BoolArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level


class ExpectedMisses(NamedTuple):
    """A number of images, which need not be whole; NaN without an image or a participant."""

    value: float
    low: float
    high: float


def expect_joint_misses(is_wrong: ArrayLike, *, level: float = DEFAULT_LEVEL) -> ExpectedMisses:
    """How many of the images all participants would get wrong if each erred at its own rate, at random.

    n·Π e_i with e_i the share of the images that participant i gets wrong. The limits are those of the logarithm, normal, with
    the variance of Σ (x_i − e_i)/e_i over the images (the delta method), in which it counts that participants do err together.
    A participant who never errs makes the number 0; the upper limit then takes (k + ½)/(n + 1) for the rates.

    Args:
        is_wrong: bool [participants, images], on images that count for everybody.
        level: the nominal coverage.

    >>> expect_joint_misses([[True, True, False, False], [True, False, True, False]]).value
    1.0
    """
    z = -float(ndtri((1 - check_level(level)) / 2))
    wrong = np.asarray(is_wrong)
    if wrong.ndim != 2 or wrong.dtype != np.bool_:
        raise InputError(f"Answers are right or wrong: bool [participants, images], not {wrong.dtype} {wrong.shape}.")
    n_participants, n = wrong.shape
    if not n or not n_participants:
        return ExpectedMisses(np.nan, np.nan, np.nan)
    n_wrong = np.count_nonzero(wrong, axis=1)
    if n_wrong.all():
        value = n * float(np.prod(n_wrong / n))
        factor = _find_factor(wrong, n_wrong / n, z=z)
        return ExpectedMisses(value, value / factor, min(value * factor, float(n)))
    rates = (n_wrong + 0.5) / (n + 1)
    high = n * float(np.prod(rates)) * _find_factor(wrong, rates, z=z)
    return ExpectedMisses(0.0, 0.0, min(high, float(n)))


def _find_factor(wrong: BoolArray, rates: FloatArray, *, z: float) -> float:
    """exp(z · the standard error of Σ log e_i)."""
    influences = (wrong.T @ (1 / rates)) - len(rates)
    n = len(influences)
    # A participant who was never seen to err has a variance all the same: that of its rate, e(1 − e)/(n·e²).
    unseen = ~wrong.any(axis=1)
    squares = float(influences.var()) / n + float(((1 - rates[unseen]) / (n * rates[unseen])).sum())
    return float(np.exp(z * np.sqrt(squares)))
