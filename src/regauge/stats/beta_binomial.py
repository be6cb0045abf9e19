"""Many proportions at once: a beta distribution fitted to all of them, and what it says about each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln, digamma, polygamma

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.counts import check_counts
from regauge.stats.intervals import Limits

MIN_SHAPE = 1e-3
MAX_SHAPE = 1e4
"""The fitted a and b stay between these: counts that are all 0, all n, or no more spread than one proportion have no maximum."""

_LOG_MIN, _LOG_MAX = np.log(MIN_SHAPE), np.log(MAX_SHAPE)
_MAX_STEPS = 200
_TOLERANCE = 1e-8
_FIRST_DAMPING, _LAST_DAMPING = 1e-3, 1e12


@dataclass(frozen=True, slots=True)
class BetaFit:
    """A beta distribution of proportions.

    Attributes:
        a: its first shape, pseudo-counts of selected; NaN without data.
        b: its second shape, pseudo-counts of not selected; NaN without data.
        n_pairs: the proportions it was fitted to, those with n > 0.
        log_likelihood: of the counts under the fit, without the binomial coefficients, which do not depend on it.
        is_at_edge: whether a shape ran into its limit, so that the fit is not a maximum.
    """

    a: float
    b: float
    n_pairs: int
    log_likelihood: float
    is_at_edge: bool

    @property
    def mean(self) -> float:
        """The mean proportion."""
        return self.a / (self.a + self.b)


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """What counts and the distribution of all proportions say about each of them; the prior itself where n = 0.

    Attributes:
        means: posterior means (k + a)/(n + a + b), between k/n and the mean of all.
        limits: equal-tailed credible limits.
    """

    means: FloatArray
    limits: Limits


def fit_beta(n_correct: ArrayLike, n: ArrayLike) -> BetaFit:
    """The beta distribution under which the counts are most likely, each k being Binomial(n, p) with a p of its own.

    Newton's method in the logarithms of the shapes, damped, on the distinct pairs (k, n): a campaign of a million pairs has
    a few hundred. Started from moments.

    Returns:
        The fit; its shapes are NaN where no n is positive.

    Reference:
        Skellam (1948), A probability distribution derived from the binomial distribution …, for the model; the estimate is its
        maximum likelihood.

    >>> fit = fit_beta([0, 1, 5, 9, 9, 8], [9, 9, 9, 9, 9, 9])
    >>> print(f"{fit.a:.3f} {fit.b:.3f} {fit.mean:.3f}")
    0.360 0.249 0.591
    """
    k, whole = check_counts(n_correct=n_correct, n=n)
    k, whole = k.ravel(), whole.ravel()
    k, whole = k[whole > 0], whole[whole > 0]
    if not k.size:
        return BetaFit(np.nan, np.nan, 0, np.nan, is_at_edge=True)
    pairs, weights = _find_distinct(k, whole)
    shapes, log_likelihood = _climb(np.log(_start(pairs, weights)), pairs, weights)
    is_at_edge = bool((shapes <= _LOG_MIN).any() or (shapes >= _LOG_MAX).any())
    return BetaFit(
        a=float(np.exp(shapes[0])),
        b=float(np.exp(shapes[1])),
        n_pairs=int(k.size),
        log_likelihood=log_likelihood,
        is_at_edge=is_at_edge,
    )


def find_posterior(n_correct: ArrayLike, n: ArrayLike, *, fit: BetaFit, level: float = DEFAULT_LEVEL) -> Posterior:
    """The posterior Beta(k + a, n − k + b) of each proportion, by its mean and equal-tailed limits.

    A pair with few votes is drawn towards the mean of all pairs, one with many stays where it is. The limits cover the nominal
    share of the proportions on average over the fitted distribution, not for each proportion as confidence limits do.

    Reference:
        Efron, Morris (1975), Data analysis using Stein's estimator and its generalizations, for the idea.

    >>> fit = BetaFit(a=1, b=1, n_pairs=9, log_likelihood=0, is_at_edge=False)
    >>> find_posterior([3, 0], [4, 0], fit=fit).means.round(3)
    array([0.667, 0.5  ])
    """
    tail = (1 - check_level(level)) / 2
    k, whole = check_counts(n_correct=n_correct, n=n)
    shape = k.shape
    if not np.isfinite(fit.a + fit.b):
        raise InputError("There is no distribution to shrink towards; it was fitted to no counts.")
    codes, inverse = np.unique(_number(k.ravel(), whole.ravel()), return_inverse=True)
    distinct_k, distinct_n = _read_number(codes)
    a, b = distinct_k + fit.a, distinct_n - distinct_k + fit.b
    low, high = betaincinv(a, b, tail), 1 - betaincinv(b, a, tail)
    means = (a / (a + b))[inverse].reshape(shape)
    return Posterior(means, Limits(low[inverse].reshape(shape), high[inverse].reshape(shape)))


def _number(k: CountArray, n: CountArray) -> CountArray:
    """One number per pair; counts are below 2³¹."""
    return (n << 31) | k


def _read_number(codes: CountArray) -> tuple[CountArray, CountArray]:
    return codes & (2**31 - 1), codes >> 31


def _find_distinct(k: CountArray, n: CountArray) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
    codes, weights = np.unique(_number(k, n), return_counts=True)
    distinct_k, distinct_n = _read_number(codes)
    return (distinct_k.astype(np.float64), distinct_n.astype(np.float64)), weights.astype(np.float64)


def _start(pairs: tuple[FloatArray, FloatArray], weights: FloatArray) -> FloatArray:
    """Shapes with the mean and about the spread of the observed proportions."""
    k, n = pairs
    mean = float(np.clip((weights @ k) / (weights @ n), 0.01, 0.99))
    variance = float(weights @ (k / n - mean) ** 2 / weights.sum())
    total = float(np.clip(mean * (1 - mean) / max(variance, 1e-3) - 1, 0.2, 100))
    return np.array([mean * total, (1 - mean) * total])


def _climb(shapes: FloatArray, pairs: tuple[FloatArray, FloatArray], weights: FloatArray) -> tuple[FloatArray, float]:
    """The logarithms of the shapes at the maximum, or at a limit, and the log-likelihood there."""
    value, damping = _measure(shapes, pairs, weights), _FIRST_DAMPING
    for _ in range(_MAX_STEPS):
        gradient, curvature = _differentiate(shapes, pairs, weights)
        # Along a limit that the gradient pushes against nothing can be gained.
        is_held = ((shapes <= _LOG_MIN) & (gradient < 0)) | ((shapes >= _LOG_MAX) & (gradient > 0))
        step = _find_step(gradient, curvature, is_held=is_held, damping=damping)
        candidate = np.clip(shapes + step, _LOG_MIN, _LOG_MAX)
        reached = _measure(candidate, pairs, weights)
        if reached < value:
            damping *= 10
            if damping > _LAST_DAMPING:
                break
            continue
        is_done = np.abs(candidate - shapes).max() < _TOLERANCE
        shapes, value, damping = candidate, reached, damping / 10
        if is_done:
            break
    return shapes, value


def _measure(shapes: FloatArray, pairs: tuple[FloatArray, FloatArray], weights: FloatArray) -> float:
    """The log-likelihood Σ log B(k + a, n − k + b) − log B(a, b)."""
    (k, n), (a, b) = pairs, np.exp(shapes)
    return float(weights @ (betaln(k + a, n - k + b) - betaln(a, b)))


def _differentiate(
    shapes: FloatArray, pairs: tuple[FloatArray, FloatArray], weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gradient and Hessian of the log-likelihood in the logarithms of the shapes."""
    (k, n), (a, b) = pairs, np.exp(shapes)
    both = digamma(n + a + b) - digamma(a + b)
    d_a = float(weights @ (digamma(k + a) - digamma(a) - both))
    d_b = float(weights @ (digamma(n - k + b) - digamma(b) - both))
    d_both = float(weights @ (polygamma(1, a + b) - polygamma(1, n + a + b)))
    d_aa = float(weights @ (polygamma(1, k + a) - polygamma(1, a))) + d_both
    d_bb = float(weights @ (polygamma(1, n - k + b) - polygamma(1, b))) + d_both
    gradient = np.array([a * d_a, b * d_b])
    curvature = np.array([[a * a * d_aa + a * d_a, a * b * d_both], [a * b * d_both, b * b * d_bb + b * d_b]])
    return gradient, curvature


def _find_step(gradient: FloatArray, curvature: FloatArray, *, is_held: BoolArray, damping: float) -> FloatArray:
    """A Newton step uphill, shortened where the surface is not concave; at most 2 in either logarithm."""
    scale = max(1.0, float(np.abs(curvature).max()))
    values, vectors = np.linalg.eigh(-curvature)
    # Directions that curve upwards are walked along the gradient.
    strengths = np.maximum(np.abs(values), 1e-9 * scale) + damping * scale
    step = np.asarray(vectors @ ((vectors.T @ np.where(is_held, 0.0, gradient)) / strengths), np.float64)
    return np.clip(np.where(is_held, 0.0, step), -2.0, 2.0)
