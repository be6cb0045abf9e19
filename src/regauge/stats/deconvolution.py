"""The distribution of true proportions behind counts k of n, on a grid, and what it says about each count.

Everything works on the distinct pairs (k, n) with weights, and on many sets of weights at once: the first dimension of the
weights counts the samples of a bootstrap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from regauge.arrays import CountArray, FloatArray, freeze
from regauge.errors import InputError
from regauge.stats.counts import check_counts

N_CELLS = 80
GRID: FloatArray = freeze((np.arange(N_CELLS) + 0.5) / N_CELLS, np.float64)
"""The proportions that have a share: the middles of equal cells. Telling neighbours apart takes thousands of annotators."""

MAX_STEPS = 300
TOLERANCE = 1e-6
"""Climbing ends when a step gains less log-likelihood per count than this."""

_TINY = 1e-300
_MAX_PRODUCTS = 2**18
"""Products of numbers in one multiplication of matrices. Larger ones are spread over threads by the numerical library, which on a
busy machine wait for each other at every step: a hundred times as long as one thread takes."""


@dataclass(frozen=True, slots=True, eq=False)
class DistinctCounts:
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


def find_pairs(n_selected: ArrayLike, n_shown: ArrayLike) -> DistinctCounts:
    """The distinct pairs (k, n) of many counts: a campaign of a million images has a few hundred."""
    k, n = (column.ravel() for column in check_counts(n_selected=n_selected, n=n_shown))
    codes, places = np.unique((n << 31) | k, return_inverse=True)
    return DistinctCounts(codes & (2**31 - 1), codes >> 31, places)


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
    """Shares of the proportions for every set of weights [sets, proportions], by EM steps for all of them at once.

    Each set stops by itself, so what it comes to does not depend on the others.

    Args:
        weights: how many counts each pair has [sets, pairs].
        likelihoods: of every pair under every proportion, from `find_likelihoods`, or under every member of another family.
        start: shares to start from [proportions]; equal ones by default.
        max_steps: EM steps at most.

    Raises:
        InputError: a set of weights has no counts at all.
    """
    if not (weights.sum(axis=1) > 0).all():
        raise InputError("A distribution of proportions needs at least one count.")
    n_proportions = likelihoods.shape[1]
    first = np.full(n_proportions, 1 / n_proportions) if start is None else start
    at_once = max(1, _MAX_PRODUCTS // likelihoods.size)
    shares = np.tile(first, (len(weights), 1))
    for at in range(0, len(weights), at_once):
        _climb_together(shares[at : at + at_once], weights[at : at + at_once], likelihoods, max_steps=max_steps)
    return shares


def _climb_together(shares: FloatArray, weights: FloatArray, likelihoods: FloatArray, *, max_steps: int) -> None:
    """Replace the shares of a few sets, where they start, by where they end."""
    # The sets that still climb are kept together, so that most steps copy nothing.
    climbing, mine, sizes, active = np.arange(len(weights)), weights, weights.sum(axis=1, keepdims=True), shares.copy()
    height = np.full(len(weights), -np.inf)
    for _ in range(max_steps):
        expected = np.maximum(active @ likelihoods.T, _TINY)
        reached = (mine * np.log(expected)).sum(axis=1) / sizes[:, 0]
        is_climbing = reached - height >= TOLERANCE
        if not is_climbing.all():
            shares[climbing[~is_climbing]] = active[~is_climbing]
            climbing, mine, sizes = climbing[is_climbing], mine[is_climbing], sizes[is_climbing]
            active, expected, reached = active[is_climbing], expected[is_climbing], reached[is_climbing]
        if not climbing.size:
            break
        height = reached
        active *= ((mine / expected) @ likelihoods) / sizes
    shares[climbing] = active


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


def make_betas(n_betas: int) -> FloatArray:
    """The distributions Beta(j, n + 1 − j) for j from 1 to n, as shares of the grid's cells [n, grid].

    Their mixtures come near any smooth density on [0, 1], and under each of them counts are beta-binomial. The more there are,
    the finer the detail that a mixture can have.

    Reference:
        Petrone (1999), Random Bernstein polynomials.

    >>> make_betas(1).round(4)[0, :2].tolist()
    [0.0125, 0.0125]
    """
    first = np.arange(1, n_betas + 1)[:, np.newaxis]
    edges = np.linspace(0, 1, N_CELLS + 1)
    return np.asarray(np.diff(betainc(first, n_betas + 1 - first, edges), axis=1), np.float64)
