"""Limits of the difference between the means of two sets of scored images, which may have images in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedImages


class GapLimits(NamedTuple):
    """A mean, or mean(original) − mean(new), with its limits; NaN where a set has no image."""

    value: float
    low: float
    high: float


class _Mean(NamedTuple):
    """The mean of some images' scores, and how far its own limits lie below and above it."""

    n: int
    value: float
    below: float
    above: float


def find_gap_limits(
    original: ArrayLike,
    new: ArrayLike,
    *,
    shared: SharedImages = NO_SHARED_IMAGES,
    is_same: bool = True,
    level: float = DEFAULT_LEVEL,
) -> GapLimits:
    """Limits of mean(original) − mean(new) for images drawn anew, the shared ones once for both sets.

    A score is 0 or 1 for one model, or the share of several models that are right on the image. The images are of three
    kinds: in the original set alone, in the new one alone, in both. The means of the three are independent of each other
    and add up to the difference, each with a weight; those of shared images nearly cancel, and cancel wholly where both
    sets have them with the same scores and are of one size. Each mean has score limits, Wilson's with the variance that the
    scores show, and the squares of the weighted distances to these limits add up (Newcombe's method 10; Zou and Donner
    call it MOVER). How many images are of which kind is chance as well, and adds the variance between the kinds.
    Without shared images, scores of 0 and 1 give exactly Newcombe's limits for independent proportions; where all images are
    shared, those for paired ones.

    Args:
        original: the scores of the images of the original set, from 0 to 1.
        new: likewise of the new set.
        shared: the images that are in both.
        is_same: whether a shared image has the same score in both sets by its nature, as with one label and one answer. If
            not, its two scores are correlated, as Newcombe's limits for pairs have it.
        level: the nominal coverage.

    Reference:
        Newcombe (1998), Improved confidence intervals for the difference between binomial proportions based on paired data;
        Zou, Donner (2008), Construction of confidence limits about effect measures; Franco, Little, Louis, Slud (2019),
        Comparative study of confidence intervals for proportions in complex sample surveys, for limits with a design effect.

    >>> gap = find_gap_limits([1] * 56 + [0] * 14, [1] * 48 + [0] * 32)
    >>> print(f"{gap.value:.1f} [{gap.low:.4f}, {gap.high:.4f}]")
    0.2 [0.0524, 0.3339]
    """
    tail = (1 - check_level(level)) / 2
    x, y = (_check_scores(scores) for scores in (original, new))
    if not x.size or not y.size:
        return GapLimits(np.nan, np.nan, np.nan)
    is_binary = all(bool(((scores == 0) | (scores == 1)).all()) for scores in (x, y))
    both = x[shared.rows_original], y[shared.rows_new]
    parts = (np.delete(x, shared.rows_original), np.delete(y, shared.rows_new), *both)
    own_x, own_y, both_x, both_y = (_find_mean(scores, tail=tail, is_binary=is_binary) for scores in parts)
    weights = own_x.n / x.size, own_y.n / y.size
    squares = np.array(
        [
            (weights[0] * own_x.below) ** 2 + (weights[1] * own_y.above) ** 2,
            (weights[0] * own_x.above) ** 2 + (weights[1] * own_y.below) ** 2,
        ]
    )
    if len(shared):
        size = len(shared)
        squares += _add_shared(both, (both_x, both_y), weights=(size / x.size, size / y.size), is_same=is_same)
        squares += ndtri(tail) ** 2 * _find_between(own_x, own_y, both_x, both_y)
    low, high = np.sqrt(np.maximum(squares, 0)).tolist()
    gap = _average(own_x, both_x) - _average(own_y, both_y)
    return GapLimits(gap, gap - low, gap + high)


def find_mean_limits(scores: ArrayLike, *, level: float = DEFAULT_LEVEL) -> GapLimits:
    """The mean of some images' scores with its limits, which are one side of `find_gap_limits`; NaN without an image.

    Scores of 0 and 1 give Wilson's limits.

    >>> mean = find_mean_limits([1] * 8 + [0] * 2)
    >>> print(f"{mean.value:.1f} [{mean.low:.4f}, {mean.high:.4f}]")
    0.8 [0.4902, 0.9433]
    """
    tail = (1 - check_level(level)) / 2
    column = _check_scores(scores)
    if not column.size:
        return GapLimits(np.nan, np.nan, np.nan)
    found = _find_mean(column, tail=tail, is_binary=bool(((column == 0) | (column == 1)).all()))
    return GapLimits(found.value, found.value - found.below, found.value + found.above)


def _check_scores(scores: ArrayLike) -> FloatArray:
    column = np.asarray(scores, np.float64)
    if column.ndim != 1:
        raise InputError(f"The scores of a set are one column, not an array of shape {column.shape}.")
    return column


def _find_mean(scores: FloatArray, *, tail: float, is_binary: bool) -> _Mean:
    """The mean, and the distances to its score limits; no images are no distance, for they have no weight.

    Wilson's limits take the variance for mean·(1 − mean), which no scores exceed. Where shares of several models vary less,
    it is less by the same factor at all means, and as that factor is estimated Student's quantile takes the normal one's
    place. Scores that are all equal say nothing of their variance: it is taken for the largest there can be.
    """
    n = scores.size
    if not n:
        return _Mean(0, 0.0, 0.0, 0.0)
    # Equal scores are counted together, so that the order of the images changes no bit.
    kinds, counts = np.unique(scores, return_counts=True)
    mean = float(kinds @ counts) / n
    # Pseudo-scores of incomplete data may leave the unit interval by a hair; their mean, an accuracy, does not.
    inside = min(max(mean, 0.0), 1.0)
    factor, quantile = 1.0, -float(ndtri(tail))
    if not is_binary and len(kinds) > 1 and 0 < inside < 1:
        factor = float((kinds - mean) ** 2 @ counts) / (n - 1) / (inside * (1 - inside))
        quantile = -float(stdtrit(n - 1, tail))
    added = quantile**2 * factor / n
    centre = (inside + added / 2) / (1 + added)
    half = np.sqrt(added * inside * (1 - inside) + added**2 / 4) / (1 + added)
    return _Mean(n, mean, float(inside - centre + half), float(centre + half - inside))


def _add_shared(
    scores: tuple[FloatArray, FloatArray], means: tuple[_Mean, _Mean], *, weights: tuple[float, float], is_same: bool
) -> FloatArray:
    """What shared images add to the squares of the distances to the lower and to the upper limit."""
    x, y = means
    if is_same:
        weight = weights[0] - weights[1]
        ends = (x.below, x.above) if weight > 0 else (x.above, x.below)
        return np.array([(weight * ends[0]) ** 2, (weight * ends[1]) ** 2])
    link = _correlate(*scores)
    sides = (weights[0] * x.below, weights[1] * y.above), (weights[0] * x.above, weights[1] * y.below)
    return np.array([a * a + b * b - 2 * link * a * b for a, b in sides])


def _correlate(x: FloatArray, y: FloatArray) -> float:
    """The correlation of two columns of scores; a positive one with Newcombe's correction for continuity, 1/2n."""
    spread = float(x.std() * y.std())
    if not spread:
        return 0.0
    covariance = float((x * y).mean() - x.mean() * y.mean())
    return min(max(covariance - 1 / (2 * x.size), 0.0) if covariance > 0 else covariance, spread) / spread


def _average(own: _Mean, both: _Mean) -> float:
    """The mean of a whole set."""
    return (own.n * own.value + both.n * both.value) / (own.n + both.n)


def _find_between(own_x: _Mean, own_y: _Mean, both_x: _Mean, both_y: _Mean) -> float:
    """The variance that comes from how many images are of each kind, as one draw of all images shows it."""
    x, y = _average(own_x, both_x), _average(own_y, both_y)
    n_x, n_y = own_x.n + both_x.n, own_y.n + both_y.n
    shifts = (own_x.value - x) / n_x, (own_y.value - y) / n_y
    common = (both_x.value - x) / n_x - (both_y.value - y) / n_y
    return own_x.n * shifts[0] ** 2 + own_y.n * shifts[1] ** 2 + both_x.n * common**2
