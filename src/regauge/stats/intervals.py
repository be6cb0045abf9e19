"""Confidence limits of a proportion, and of the difference of two independent proportions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

from regauge.arrays import CountArray, FloatArray
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.counts import check_counts

_N_THREADS = 4
_MIN_PAIRS_FOR_THREADS = 4_096
_MAX_CODES_PER_PAIR = 4


class Limits(NamedTuple):
    """The limits of confidence intervals, one interval per entry.

    Attributes:
        low: lower limits.
        high: upper limits, of the same shape.
    """

    low: FloatArray
    high: FloatArray


def clopper_pearson(n_correct: ArrayLike, n: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Exact limits of a proportion, which cover it with at least the nominal probability whatever it is.

    The lower limit is the proportion under which n_correct or more would come up with probability (1 − level)/2; the
    upper limit mirrors it. This is the interval of every count: it is never too short, and it needs no large n.
    Equal pairs of counts are solved once, so that a million pairs cost little more than their distinct ones.

    Returns:
        Limits in the broadcast shape of the counts: low is 0 at n_correct = 0, high is 1 at n_correct = n, both are NaN
        at n = 0.

    Reference:
        Clopper, Pearson (1934), The use of confidence or fiducial limits illustrated in the case of the binomial.

    >>> low, high = clopper_pearson([0, 7_219], [10, 10_000])
    >>> low.round(4), high.round(4)
    (array([0. , 0.713]), array([0.3085, 0.7307]))
    """
    tail = (1 - check_level(level)) / 2
    k, whole = check_counts(n_correct=n_correct, n=n)
    shape = k.shape
    k, whole = k.ravel(), whole.ravel()
    first, rank = _find_distinct(k, whole)
    limits = _solve_distinct(k[first], whole[first], tail)
    return Limits(limits.low[rank].reshape(shape), limits.high[rank].reshape(shape))


def wilson(n_correct: ArrayLike, n: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Score limits of a proportion: those proportions that a z test of the observed one would not reject.

    They cover close to the nominal probability on average, sometimes less; here they serve `newcombe`.

    Returns:
        Limits in the broadcast shape of the counts: low is 0 at n_correct = 0, high is 1 at n_correct = n, both are NaN
        at n = 0.

    Reference:
        Wilson (1927), Probable inference, the law of succession, and statistical inference.

    >>> low, high = wilson(81, 263)
    >>> print(f"{low:.4f} {high:.4f}")
    0.2553 0.3662
    """
    z = -float(ndtri((1 - check_level(level)) / 2))
    k, whole = check_counts(n_correct=n_correct, n=n)
    size = _nan_where_empty(whole)
    share = k / size
    centre = share + z**2 / (2 * size)
    half_width = z * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    scale = 1 + z**2 / size
    # Rounding must not push the two limits that are known exactly past 0 and 1.
    low = np.where(k == 0, 0 * size, (centre - half_width) / scale)
    high = np.where(k == whole, share, (centre + half_width) / scale)
    return Limits(low, high)


def newcombe(
    n_correct_a: ArrayLike, n_a: ArrayLike, *, n_correct_b: ArrayLike, n_b: ArrayLike, level: float = DEFAULT_LEVEL
) -> Limits:
    """Limits of the difference p_a − p_b of two independent proportions, from the Wilson limits of each.

    Newcombe's method 10, the hybrid score interval: it stays inside [−1, 1], has a width at 0 and 1, where the usual
    normal interval has none, and covers close to the nominal probability in small samples. It is wrong for two
    participants on the same images, whose answers are not independent.

    Returns:
        Limits in the broadcast shape of the counts, NaN where n_a or n_b is 0.

    Reference:
        Newcombe (1998), Interval estimation for the difference between independent proportions: comparison of eleven
        methods.

    >>> low, high = newcombe(56, 70, n_correct_b=48, n_b=80)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0524 0.3339
    """
    a = wilson(n_correct_a, n_a, level=level)
    b = wilson(n_correct_b, n_b, level=level)
    share_a = np.asarray(n_correct_a) / _nan_where_empty(n_a)
    share_b = np.asarray(n_correct_b) / _nan_where_empty(n_b)
    difference = share_a - share_b
    low = difference - np.hypot(share_a - a.low, b.high - share_b)
    high = difference + np.hypot(a.high - share_a, share_b - b.low)
    return Limits(np.asarray(low), np.asarray(high))


def _nan_where_empty(n: ArrayLike) -> FloatArray:
    """The counts as floats with NaN for 0, so that whatever is divided by them is missing rather than infinite."""
    return np.where(np.asarray(n) == 0, np.nan, n)


def _find_distinct(k: CountArray, n: CountArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """A position of each distinct pair (k, n) with 0 ≤ k ≤ n, and for every position the rank of its pair.

    The pairs are numbered row by row in the triangle of all pairs, from the row of the smallest n. Where that range is
    not much larger than the number of pairs, a table addressed by the number replaces the sort.
    """
    if not k.size:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    n_min, n_max = int(n.min()), int(n.max())
    n_skipped = n_min * (n_min + 1) // 2
    codes = n * (n + 1) // 2 + (k - n_skipped)
    n_codes = (n_max + 1) * (n_max + 2) // 2 - n_skipped
    if n_codes > _MAX_CODES_PER_PAIR * k.size:
        _, first, rank = np.unique(codes, return_index=True, return_inverse=True)
        return first, rank
    position = np.full(n_codes, -1, np.intp)
    position[codes] = np.arange(k.size)
    seen = position >= 0
    return position[seen], (np.cumsum(seen) - 1)[codes]


def _solve_distinct(k: CountArray, n: CountArray, tail: float) -> Limits:
    # The upper limit of k is one minus the lower limit of n − k, so a pair and its mirror image share their roots.
    mirrored_k, mirrored_n = np.concatenate([k, n - k]), np.concatenate([n, n])
    first, rank = _find_distinct(mirrored_k, mirrored_n)
    lower = _solve_lower(mirrored_k[first], mirrored_n[first], tail)[rank]
    return Limits(lower[: k.size], 1 - lower[k.size :])


def _solve_lower(k: CountArray, n: CountArray, tail: float) -> FloatArray:
    """The p with P(X ≥ k) = tail for X ~ Binomial(n, p), the tail quantile of Beta(k, n − k + 1); 0 at k = 0."""
    lower = np.where(n > 0, 0.0, np.nan)
    positive = np.flatnonzero(k)
    a = k[positive].astype(np.float64)
    lower[positive] = _invert_beta(a, n[positive] - a + 1, tail)
    return lower


def _invert_beta(a: FloatArray, b: FloatArray, tail: float) -> FloatArray:
    """The tail quantile of Beta(a, b); the result does not depend on the threads, as each entry is solved alone."""
    if a.size < _MIN_PAIRS_FOR_THREADS:
        return np.asarray(betaincinv(a, b, tail), np.float64)
    roots = np.empty_like(a)

    def solve(part: slice) -> None:
        betaincinv(a[part], b[part], tail, out=roots[part])

    # Extreme pairs take longer and lie together; dealing the pairs out in turn gives every thread its share of them.
    with ThreadPoolExecutor(_N_THREADS) as pool:
        list(pool.map(solve, [slice(start, None, _N_THREADS) for start in range(_N_THREADS)]))
    return roots
