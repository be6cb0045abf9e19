"""The compiled solvers of tilted scores.

A shape is a set of values in [0, 1] with weights w. Tilted by λ, the value x has the probability w·exp(λx)/Σw·exp(λx): the
family with one shape in which every mean between the lowest and the highest value comes up once.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from regauge.arrays import FloatArray

_MAX_TILT = 400.0
_MAX_STEPS = 80
_CLOSE = 1e-10
_MAX_CORRECTION = 0.5
"""The most that the saddlepoint's correction may move a score.

Around the mean the correction is a sixth of the skewness. Where a sample is one image or two and nearly all answers are right,
the skewness is that of a rare event, and the correction would call the likeliest outcome of all a surprise. Half a
standard error is what a skewness of 3 asks for; beyond it the approximation is none.
"""
_EDGE = 1e-6
"""No mean is taken nearer to 0 or 1 than this, where a shape has no spread left."""


@njit(cache=True, nogil=True)
def _measure(tilt: float, values: FloatArray, weights: FloatArray) -> tuple[float, float, float]:
    """The logarithm of the sum of tilted weights, their mean and their variance."""
    top = max(tilt * values[0], tilt * values[-1])
    total, first, second = 0.0, 0.0, 0.0
    for i in range(values.size):
        weight = weights[i] * math.exp(tilt * values[i] - top)
        total += weight
        first += weight * values[i]
        second += weight * values[i] * values[i]
    mean = first / total
    return top + math.log(total), mean, max(second / total - mean * mean, 0.0)


@njit(cache=True, nogil=True)
def _tilt_to(mean: float, values: FloatArray, weights: FloatArray) -> float:
    """The tilt that gives the mean: Newton's method, halving where it leaves the bracket."""
    low, high, tilt = -_MAX_TILT, _MAX_TILT, 0.0
    for _ in range(_MAX_STEPS):
        _, found, variance = _measure(tilt, values, weights)
        if abs(found - mean) < _CLOSE:
            break
        if found > mean:
            high = tilt
        else:
            low = tilt
        step = tilt - (found - mean) / variance if variance > 1e-14 else high + 1.0
        tilt = step if low < step < high else (low + high) / 2
    return tilt


@njit(cache=True, nogil=True)
def _place_means(difference: float, pooled: float, n_first: float, n_second: float) -> tuple[float, float]:
    """The two means with this difference whose weighted mean is the pooled one, as far as both lie in (0, 1)."""
    first = pooled - difference * n_second / (n_first + n_second)
    low, high = max(0.0, -difference) + _EDGE, min(1.0, 1.0 - difference) - _EDGE
    first = (low + high) / 2 if low > high else min(max(first, low), high)
    second = first + difference
    return min(max(first, _EDGE), 1 - _EDGE), min(max(second, _EDGE), 1 - _EDGE)


@njit(cache=True, nogil=True)
def _invert_tail(log_chance: float) -> float:
    """The z with 1 − Φ(z) = exp(log_chance), at most 37."""
    low, high = -37.0, 37.0
    for _ in range(_MAX_STEPS):
        z = (low + high) / 2
        if math.log(0.5 * math.erfc(z / math.sqrt(2.0))) > log_chance:
            low = z
        else:
            high = z
    return (low + high) / 2


@njit(cache=True, nogil=True)
def find_score(
    difference: float, means: FloatArray, sizes: FloatArray, values: FloatArray, weights: FloatArray, worth: FloatArray
) -> float:
    """The normal score of the observed difference of means if the true one is `difference`.

    The chance of a difference of means at least as large is 1 − Φ(score): the tail of the difference of the means of two
    samples from the tilted shapes, by the saddlepoint approximation in Barndorff-Nielsen's form.

    Args:
        difference: of the true means, second − first.
        means: of both samples.
        sizes: of both samples.
        values: the scores that come up, in ascending order, from 0 to 1.
        weights: the shape of either sample [2, values].
        worth: the sizes that the variance is divided by, a little less than `sizes`.
    """
    observed = means[1] - means[0]
    pooled = (sizes[0] * means[0] + sizes[1] * means[1]) / (sizes[0] + sizes[1])
    first, second = _place_means(difference, pooled, sizes[0], sizes[1])
    tilt, other = _tilt_to(first, values, weights[0]), _tilt_to(second, values, weights[1])
    start, start_other = _measure(tilt, values, weights[0])[0], _measure(other, values, weights[1])[0]
    if abs(observed) > 1 - _EDGE:
        # All scores are at the ends, in one set at the one, in the other at the other: no saddlepoint, but a chance of its own.
        end, far_end = (0, -1) if observed > 0 else (-1, 0)
        chance = worth[0] * (math.log(weights[0, end]) + tilt * values[end] - start)
        chance += worth[1] * (math.log(weights[1, far_end]) + other * values[far_end] - start_other)
        return math.copysign(1.0, observed) * _invert_tail(chance)
    low, high, point = -1e5, 1e5, 0.0
    total, total_other, variance = start, start_other, 1.0
    for _ in range(_MAX_STEPS):
        total, mean, spread = _measure(tilt - point / worth[0], values, weights[0])
        total_other, mean_other, spread_other = _measure(other + point / worth[1], values, weights[1])
        excess = mean_other - mean - observed
        variance = spread / worth[0] + spread_other / worth[1]
        if abs(excess) < _CLOSE:
            break
        if excess > 0:
            high = point
        else:
            low = point
        step = point - excess / variance if variance > 1e-14 else high + 1.0
        point = step if low < step < high else (low + high) / 2
    cumulants = worth[0] * (total - start) + worth[1] * (total_other - start_other)
    square = 2 * (point * observed - cumulants)
    root = math.copysign(math.sqrt(max(square, 0.0)), point)
    stretched = point * math.sqrt(variance)
    if abs(root) < 1e-3 or stretched / root <= 0:
        return root
    correction = math.log(stretched / root) / root
    return root + min(max(correction, -_MAX_CORRECTION), _MAX_CORRECTION)


@njit(cache=True, nogil=True)
def find_limit(
    z: float, means: FloatArray, sizes: FloatArray, values: FloatArray, weights: FloatArray, worth: FloatArray
) -> float:
    """The difference at which the score is z: below the observed one where z > 0, above it where z < 0.

    The score falls as the difference grows. Regula falsi between the observed difference, where it is 0, and the end of the
    scale, halving the height of an end that stays.
    """
    observed = means[1] - means[0]
    inner, outer = observed, -1.0 if z > 0 else 1.0
    near, far = -abs(z), 3.0 * abs(z)
    sign = 1.0 if z > 0 else -1.0
    last = 0
    limit = outer
    for _ in range(_MAX_STEPS):
        limit = inner + (outer - inner) * (-near) / (far - near)
        height = sign * find_score(limit, means, sizes, values, weights, worth) - abs(z)
        if abs(height) < 1e-7 or abs(outer - inner) < 1e-9:
            break
        if height > 0:
            outer, far = limit, height
            near = near / 2 if last == 1 else near
            last = 1
        else:
            inner, near = limit, height
            far = far / 2 if last == -1 else far
            last = -1
    return limit


@njit(cache=True, nogil=True)
def compare_means(
    z: float, means: FloatArray, sizes: FloatArray, values: FloatArray, weights: FloatArray, worth: FloatArray
) -> FloatArray:
    """The lower and the upper limit of the difference, and the score of no difference."""
    found = np.empty(3)
    found[0] = find_limit(z, means, sizes, values, weights, worth)
    found[1] = find_limit(-z, means, sizes, values, weights, worth)
    found[2] = find_score(0.0, means, sizes, values, weights, worth)
    return found
