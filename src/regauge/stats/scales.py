"""Accuracies on the linear, probit and logit scales, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr, ndtri

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.records.evaluation.fits import Scale


def to_scale(values: ArrayLike, scale: Scale) -> FloatArray:
    """Accuracies on a scale; missing ones (NaN) stay missing.

    Raises:
        InputError: an accuracy is 0 or 1, or not a share at all, and so has no finite probit or logit; the message names
            the first such value.

    >>> to_scale([0.5, 0.75], Scale.LOGIT).round(4)
    array([0.    , 1.0986])
    """
    accuracies = np.asarray(values, np.float64)
    if scale is Scale.LINEAR:
        return accuracies.copy()
    _check_inside(accuracies, scale)
    transform = ndtri if scale is Scale.PROBIT else logit
    return np.asarray(transform(accuracies), np.float64)


def from_scale(values: ArrayLike, scale: Scale) -> FloatArray:
    """Accuracies back from a scale, for instance to draw a probit line over linear axes; missing ones stay missing.

    >>> from_scale([-np.inf, 0], Scale.PROBIT)
    array([0. , 0.5])
    """
    positions = np.asarray(values, np.float64)
    if scale is Scale.LINEAR:
        return positions.copy()
    restore = ndtr if scale is Scale.PROBIT else expit
    return np.asarray(restore(positions), np.float64)


def move_inside(accuracies: ArrayLike, n: ArrayLike) -> FloatArray:
    """Accuracies from n answers with 0 and 1 moved half an answer inside, to 1/(2n) and 1 − 1/(2n); all others stay.

    None or all of n right answers have no finite probit or logit, though the chance of a right answer hardly is 0 or 1: with
    another n it would show. This is the usual continuity rule. It changes no accuracy between the ends, and lets a model at
    an end stay in a fit in place of taking the fit away.

    Reference:
        Macmillan, Kaplan (1985), Detection theory analysis of group data: estimating sensitivity from average hit and
        false-alarm rates.

    >>> move_inside([0, 0.25, 1], [10, 20, 40])
    array([0.05  , 0.25  , 0.9875])
    """
    values, sizes = np.broadcast_arrays(np.asarray(accuracies, np.float64), np.asarray(n, np.float64))
    half = 0.5 / sizes
    return np.asarray(np.where(values <= 0, half, np.where(values >= 1, 1 - half, values)), np.float64)


def _check_inside(accuracies: FloatArray, scale: Scale) -> None:
    bad = (accuracies <= 0) | (accuracies >= 1)
    if bad.any():
        raise InputError(
            f"An accuracy of {accuracies[bad].flat[0]:g} has no finite {scale}: the scale holds only values strictly "
            "between 0 and 1. Leave it out, or compare on the linear scale."
        )
