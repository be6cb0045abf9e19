"""Two small samples of scores between 0 and a highest one: limits of the difference of their means, and its test."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.counts import check_counts

LENT = 1.0
"""How many images the other sample's scores count for in the shape of a sample."""

EDGE = 0.25
"""How many images count as right for nobody, and as right for everybody, in the shape of a sample."""


class MeansComparison(NamedTuple):
    """The difference mean(second) − mean(first), as a difference of shares of the highest score.

    Attributes:
        low: lower limit; NaN where a sample is empty.
        high: upper limit, likewise.
        p: two-sided, of no difference; NaN likewise. It is below 1 − level where 0 lies outside the limits.
    """

    low: float
    high: float
    p: float


def compare_means(first: ArrayLike, second: ArrayLike, *, top: int, level: float = DEFAULT_LEVEL) -> MeansComparison:
    """Limits and test of the difference of the means of two independent samples of scores from 0 to `top`.

    A difference d is inside the limits where the observed one is not too far in the tails that d gives it. For this each
    sample's scores are tilted to a mean such that the means are d apart and together what they are: the score x counts
    exp(λx) times as much, which moves images from hard to easy and leaves every score between 0 and `top`. (Shifting all
    scores by d, as a permutation test of a shift does, leads past the ends, and covers 37 to 98% on images that most get
    right.) The tails of the difference of means come from the saddlepoint approximation, which keeps its accuracy far out,
    so that p-values as small as a thousand classes ask for are those of the same test.

    A small sample does not show its shape: ten images that all are right for everybody have no spread, though another ten
    would. So the scores of the other sample count as one image more, and a quarter of an image as right for nobody and for
    everybody; variances are divided by one image less than all these, as usual.

    Simulated with 50 against 10 and 3, 10 against 10, and 50 against 50 images, 67, 5 and 1 participants, and images of
    equal and of very unequal spread, 95% limits cover 92 to 100%.

    Args:
        first: whole numbers from 0 to `top`, such as how many participants are right on each image.
        second: likewise.
        top: the highest score.
        level: the nominal coverage.

    Returns:
        Limits within [−1, 1] and p; NaN where a sample is empty.

    References:
        Barndorff-Nielsen (1986), Inference on full or partial parameters based on the standardized signed log likelihood
        ratio, Biometrika 73; Davison, Hinkley (1997), Bootstrap Methods and their Application, chapters 4.4 and 9.5, for
        tilting and the saddlepoint.

    >>> found = compare_means([5] * 40 + [2] * 10, [5] * 4 + [0] * 6, top=5)
    >>> print(f"{found.low:.2f} {found.high:.2f} {found.p:.4f}")
    -0.76 -0.15 0.0023
    """
    from regauge.stats.tilting._kernels import compare_means as compare

    z = -float(ndtri((1 - check_level(level)) / 2))
    samples = [_check_scores(scores, top) for scores in (first, second)]
    if not all(sample.size for sample in samples):
        return MeansComparison(math.nan, math.nan, math.nan)
    means = np.array([sample.mean() / top for sample in samples])
    sizes = np.array([sample.size for sample in samples], np.float64)
    counts = np.stack([np.bincount(sample, minlength=top + 1) for sample in samples])
    # The ends stay although no image may have them: a quarter of an image does.
    values = np.union1d(np.flatnonzero(counts.any(axis=0)), [0, top])
    weights = _find_shapes(counts[:, values], sizes)
    whole = weights.sum(axis=1)
    low, high, score = compare(z, means, sizes, values / top, weights, sizes * (whole - 1) / whole)
    return MeansComparison(float(low), float(high), min(1.0, 2 * float(ndtr(-abs(score)))))


def _check_scores(scores: ArrayLike, top: int) -> CountArray:
    (column,) = check_counts(score=scores)
    if column.ndim != 1:
        raise InputError(f"A sample of scores is one column, not of shape {column.shape}.")
    if column.max(initial=0) > top:
        raise InputError(f"Scores go from 0 to {top}, not to {column.max()}.")
    return column


def _find_shapes(counts: CountArray, sizes: FloatArray) -> FloatArray:
    """The weights of the values in both samples [2, values]; the first value is 0 and the last the highest score."""
    weights = counts + LENT * (counts / sizes[:, np.newaxis])[::-1]
    weights[:, [0, -1]] += EDGE
    return np.asarray(weights, np.float64)
