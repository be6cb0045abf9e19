"""The distribution of true proportions behind counts k of n, on a grid, and what it says about each count.

Everything works on the distinct pairs (k, n) with weights, and on many sets of weights at once: the first dimension of the
weights counts the samples of a bootstrap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, digamma

from regauge.errors import InputError
from regauge.records.arrays import CountArray, FloatArray, freeze
from regauge.stats.beta_binomial import MAX_SHAPE, MIN_SHAPE, BetaFit
from regauge.stats.counts import check_counts

N_CELLS = 80
GRID: FloatArray = freeze((np.arange(N_CELLS) + 0.5) / N_CELLS, np.float64)
"""The proportions that have a share: the middles of equal cells. Telling neighbours apart takes thousands of annotators."""

MAX_STEPS = 300
TOLERANCE = 1e-6
"""Climbing ends when a step gains less log-likelihood per count than this."""

_TINY = 1e-300
_STEP = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The distinct pairs among counts, in ascending order, and where each count stands.

    Attributes:
        n_selected: k of every distinct pair.
        n_shown: n of every distinct pair.
        places: per count, the place of its pair.
    """

    n_selected: CountArray
    n_shown: CountArray
    places: CountArray

    @property
    def weights(self) -> FloatArray:
        """How many counts each pair has."""
        return np.bincount(self.places, minlength=len(self.n_shown)).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Deconvolution:
    """A distribution of true proportions on the grid.

    Attributes:
        shares: the share of every proportion of `GRID`; NaN without data.
        n_counts: the counts that it was fitted to, those with n > 0.
        log_likelihood: of the counts, without the binomial coefficients; comparable with that of a beta fit.
    """

    shares: FloatArray
    n_counts: int
    log_likelihood: float

    @property
    def mean(self) -> float:
        """The mean true proportion."""
        return float(self.shares @ GRID)


def find_pairs(n_selected: ArrayLike, n_shown: ArrayLike) -> Pairs:
    """The distinct pairs (k, n) of many counts: a campaign of a million images has a few hundred."""
    k, n = (column.ravel() for column in check_counts(n_selected=n_selected, n=n_shown))
    codes, places = np.unique((n << 31) | k, return_inverse=True)
    return Pairs(codes & (2**31 - 1), codes >> 31, places)


def find_likelihoods(n_selected: ArrayLike, n_shown: ArrayLike) -> FloatArray:
    """s^k (1 − s)^(n − k) of every pair at every proportion of the grid [pairs, grid], each row divided by its largest."""
    k, n = (column[:, np.newaxis] for column in check_counts(n_selected=n_selected, n=n_shown))
    logs = k * np.log(GRID) + (n - k) * np.log1p(-GRID)
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)), np.float64)


def deconvolve(n_selected: ArrayLike, n_shown: ArrayLike) -> Deconvolution:
    """The distribution on the grid under which the counts are most likely, each k being Binomial(n, s) with an s of its own.

    No shape is assumed, so a lump of images that nobody selects is found beside those that nearly everybody does, where a beta
    distribution has to choose. The EM algorithm starts from equal shares and stops when it gains next to nothing. The
    maximum itself is a few spikes whose places mean little; stopping before it is a mild smoothing and leaves means over the
    distribution as they are.

    Returns:
        The distribution; NaN shares where no n is positive.

    Reference:
        Laird (1978), Nonparametric maximum likelihood estimation of a mixing distribution.

    >>> found = deconvolve([0] * 50 + [10] * 50, [10] * 100)
    >>> print(f"{found.mean:.3f} {found.shares[GRID < 0.2].sum():.2f} {found.shares[GRID > 0.8].sum():.2f}")
    0.500 0.50 0.50
    """
    k, n = (column.ravel() for column in check_counts(n_selected=n_selected, n=n_shown))
    pairs = find_pairs(k[n > 0], n[n > 0])
    if not pairs.places.size:
        return Deconvolution(np.full(N_CELLS, np.nan), 0, np.nan)
    weights, likelihoods = pairs.weights, find_likelihoods(pairs.n_selected, pairs.n_shown)
    shares = climb(weights[np.newaxis], likelihoods)[0]
    largest = pairs.n_selected * np.log(GRID[:, np.newaxis]) + (pairs.n_shown - pairs.n_selected) * np.log1p(
        -GRID[:, np.newaxis]
    )
    log_likelihood = float(weights @ (np.log(likelihoods @ shares) + largest.max(axis=0)))
    return Deconvolution(shares, int(pairs.places.size), log_likelihood)


def climb(
    weights: FloatArray, likelihoods: FloatArray, *, start: FloatArray | None = None, max_steps: int = MAX_STEPS
) -> FloatArray:
    """Shares of the grid for every set of weights [sets, grid], by EM steps for all of them at once.

    Args:
        weights: how many counts each pair has [sets, pairs].
        likelihoods: from `find_likelihoods`.
        start: shares to start from [grid]; equal ones unless given.
        max_steps: EM steps at most.

    Raises:
        InputError: a set of weights has no counts at all.
    """
    totals = weights.sum(axis=1, keepdims=True)
    if not (totals > 0).all():
        raise InputError("A distribution of proportions needs at least one count.")
    first = np.full(N_CELLS, 1 / N_CELLS) if start is None else start
    shares = np.tile(first, (len(weights), 1))
    height = np.full(len(weights), -np.inf)
    for _ in range(max_steps):
        expected = np.maximum(shares @ likelihoods.T, _TINY)
        reached = (weights * np.log(expected)).sum(axis=1) / totals[:, 0]
        if (reached - height < TOLERANCE).all():
            break
        height = reached
        shares = shares * ((weights / expected) @ likelihoods) / totals
    return np.asarray(shares, np.float64)


def expect(shares: FloatArray, likelihoods: FloatArray, *, of: FloatArray) -> FloatArray:
    """The posterior mean of functions of the true proportion, given each pair [sets, pairs, functions].

    Args:
        shares: the distribution of true proportions [sets, grid].
        likelihoods: of the pairs [pairs, grid].
        of: the functions on the grid [grid, functions].

    >>> flat = np.full((1, N_CELLS), 1 / N_CELLS)
    >>> expect(flat, find_likelihoods([3], [4]), of=GRID[:, np.newaxis]).round(3).tolist()
    [[[0.667]]]
    """
    sums = np.matmul(likelihoods, shares[:, :, np.newaxis] * of)
    return np.asarray(sums / np.maximum(shares @ likelihoods.T, _TINY)[:, :, np.newaxis], np.float64)


def discretise_betas(log_shapes: FloatArray) -> FloatArray:
    """Shares of the grid's cells under beta distributions [sets, grid], from the logarithms of their shapes [sets, 2]."""
    a, b = (np.exp(column)[:, np.newaxis] for column in log_shapes.T)
    edges = np.linspace(0, 1, N_CELLS + 1)
    return np.asarray(np.diff(betainc(a, b, edges), axis=1), np.float64)


def shift_betas(fit: BetaFit, pairs: Pairs, *, weights: FloatArray) -> FloatArray:
    """The logarithms of the shapes of beta fits to other weights of the same pairs [sets, 2], one Newton step from a fit.

    Weights drawn by a bootstrap are near those of the fit, and one step from a maximum is as good as climbing anew
    (van der Vaart 1998, Asymptotic Statistics, 5.7). A fit at the edge of its range stays where it is.
    """
    shapes = np.log([fit.a, fit.b])
    if fit.is_at_edge:
        return np.tile(shapes, (len(weights), 1))
    whole = pairs.weights
    steps = _STEP * np.eye(2)
    curvature = np.stack([whole @ (_slope(shapes + step, pairs) - _slope(shapes - step, pairs)) for step in steps])
    moves = np.linalg.solve(-curvature / (2 * _STEP), (weights @ _slope(shapes, pairs)).T).T
    moved = np.clip(shapes + np.clip(moves, -1.0, 1.0), np.log(MIN_SHAPE), np.log(MAX_SHAPE))
    return np.asarray(moved, np.float64)


def _slope(log_shapes: FloatArray, pairs: Pairs) -> FloatArray:
    """Of each pair's log-likelihood in the logarithms of the shapes [pairs, 2]."""
    a, b = np.exp(log_shapes)
    k, n = pairs.n_selected, pairs.n_shown
    both = digamma(n + a + b) - digamma(a + b)
    slopes = [a * (digamma(k + a) - digamma(a) - both), b * (digamma(n - k + b) - digamma(b) - both)]
    return np.stack(slopes, axis=1)
