"""Two participants on the same images: the exact McNemar test, and score limits of the difference."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, ndtri

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.counts import check_counts
from regauge.stats.intervals import Limits

# Floats of 32 bits add whole numbers exactly as long as the sums stay below this.
_MAX_EXACT = 2**24

_MAX_STEPS = 100
_TOLERANCE = 1e-13


def exact_mcnemar(n_only_first: ArrayLike, n_only_second: ArrayLike) -> FloatArray:
    """Two-sided exact p-values for "both participants are right equally often", from the images on which they differ.

    If that holds, an image that only one of them gets right is as likely to be the first's as the second's. So the
    smaller count is compared with Binomial(n_only_first + n_only_second, ½): p = min(1, 2·P(X ≤ smaller)). Images that
    both get right or both get wrong carry no information and do not enter.

    Args:
        n_only_first: images that only the first participant gets right.
        n_only_second: images that only the second gets right.

    Returns:
        p-values in the broadcast shape of the counts; 1 where the participants never differ, for nothing then speaks
        against equality.

    Reference:
        McNemar (1947), Note on the sampling error of the difference between correlated proportions or percentages.

    >>> print(exact_mcnemar(2, 9).round(5))
    0.06543
    """
    first, second = check_counts(n_only_first=n_only_first, n_only_second=n_only_second)
    fewer, more = np.minimum(first, second), np.maximum(first, second)
    # P(X ≤ fewer) is the regularised incomplete beta function at ½. scipy.special.bdtr names the same number but is
    # off by 2e-10 of its value near 100,000 discordant images. With no such image the 1 in place of 0 gives p = 1.
    tail = betainc(np.maximum(more, 1), fewer + 1, 0.5)
    return np.asarray(np.minimum(1.0, 2 * tail), np.float64)


def tango(n_only_first: ArrayLike, n_only_second: ArrayLike, *, n: ArrayLike, level: float = DEFAULT_LEVEL) -> Limits:
    """Limits of the difference in the share correct, first − second, of two participants on the same n images.

    Those differences that a score test would not reject: the variance under test is that of the likeliest shares with
    this difference, not that of the sample. So the interval has a width where the participants never differ,
    ±z²/(n + z²), where a bootstrap of the images has none, and it covers close to the nominal probability from ten
    images on. Of Newcombe's paired interval, which covers as well, it has the advantage that only the images on which
    the two differ count, as in McNemar's test. Its upper limit is the mirror image of the lower one of the second
    against the first.

    Args:
        n_only_first: images that only the first participant gets right.
        n_only_second: images that only the second gets right.
        n: images that both answered.
        level: the nominal coverage.

    Returns:
        Limits in the broadcast shape of the counts, within [−1, 1]; NaN where n is 0.

    Reference:
        Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
        paired-sample design, Statistics in Medicine 17, 891–908.

    >>> low, high = tango([0, 12], [0, 4], n=[20, 50])
    >>> low.round(4), high.round(4)
    (array([-0.1611,  0.0035]), array([0.1611, 0.315 ]))
    """
    z = -float(ndtri((1 - check_level(level)) / 2))
    first, second, size = check_counts(n_only_first=n_only_first, n_only_second=n_only_second, n=n)
    columns = np.stack([one.ravel() for one in (first, second, size)])
    distinct, inverse = np.unique(columns, axis=1, return_inverse=True)
    b, c, whole = distinct
    lower = _solve_lower(np.concatenate([b, c]), np.concatenate([c, b]), np.concatenate([whole, whole]), z=z)
    low, high = lower[: b.size], -lower[b.size :]
    return Limits(low[inverse.ravel()].reshape(size.shape), high[inverse.ravel()].reshape(size.shape))


def _solve_lower(b: CountArray, c: CountArray, n: CountArray, *, z: float) -> FloatArray:
    """The difference at which the score is z, between −1 and the observed difference; NaN where n is 0.

    The excess of the score over z is at least 0 at −1, where the variance is 0, and at most 0 at the observed
    difference. Between them regula falsi closes in on the root, halving the height of an end that stays (Illinois).
    """
    size = np.where(n == 0, np.nan, n)
    left, right = np.full(b.shape, -1.0), (b - c) / size
    above, below = _exceed(left, b, c, size, z), _exceed(right, b, c, size, z)
    last, root, is_open = np.zeros(b.shape), right, n > 0
    for _ in range(_MAX_STEPS):
        gap = above - below
        step = np.where(gap > 0, left + (right - left) * above / np.where(gap > 0, gap, 1.0), right)
        # A root that was found stays as it is, so that no row depends on how long the others take.
        root = np.where(is_open, step, root)
        height = _exceed(root, b, c, size, z)
        is_open &= np.abs(height) > _TOLERANCE * size
        if not is_open.any():
            break
        sign = np.sign(height)
        is_above = sign > 0
        left, right = np.where(is_above, root, left), np.where(is_above, right, root)
        halved = np.where(sign == last, 0.5, 1.0)
        above, below = np.where(is_above, height, above * halved), np.where(is_above, below * halved, height)
        last = sign
    return np.where(c == 0, _solve_one_sided(b, n, z=z), root)


def _solve_one_sided(b: CountArray, n: CountArray, *, z: float) -> FloatArray:
    """The same where only the first is ever right alone: there the observed difference can be a second, false root.

    Up to b/(2n − b) the variance is n(b/n − d)(1 + d), which leaves a linear equation; beyond, the second is never right
    alone under the likeliest shares either, and the limit is Wilson's for b of n.
    """
    size = np.where(n == 0, np.nan, n)
    straight = (b - z**2) / (size + z**2)
    half_width = z * np.sqrt(b * (size - b) / size + z**2 / 4)
    return np.where(straight * (2 * size - b) <= b, straight, (b + z**2 / 2 - half_width) / (size + z**2))


def _exceed(difference: FloatArray, b: CountArray, c: CountArray, n: FloatArray, z: float) -> FloatArray:
    """How far b − c lies above the difference, in images, beyond z standard errors under that difference.

    The share that only the second gets right has its largest likelihood, given the difference, at the positive root of
    a quadratic.
    """
    linear = (2 * n - b + c) * difference - b - c
    constant = c * difference * (1 - difference)
    only_second = (np.sqrt(np.maximum(linear**2 + 8 * n * constant, 0)) - linear) / (4 * n)
    variance = n * np.maximum(2 * only_second + difference * (1 - difference), 0)
    return np.asarray(b - c - n * difference - z * np.sqrt(variance))


class DiscordantPairs(NamedTuple):
    """The images on which two participants differ, for every pair of them.

    Attributes:
        n_only_first: [participants, participants]; at [i, j] the images that i gets right and j does not.
        n_only_second: at [i, j] those that j gets right and i does not.
    """

    n_only_first: CountArray
    n_only_second: CountArray


def count_discordant_pairs(right: ArrayLike) -> DiscordantPairs:
    """What `exact_mcnemar` needs, for all pairs at once: one product of matrices counts what both get right.

    Args:
        right: bool [participants, images], whether the participant is right.

    Returns:
        Counts for every ordered pair; 0 on the diagonal, and everywhere when there are no images.

    >>> count_discordant_pairs([[True, True, False], [False, True, False]]).n_only_first
    array([[0, 1],
           [0, 0]])
    """
    flags = np.asarray(right)
    if flags.ndim != 2 or flags.dtype != np.bool_:
        raise InputError(f"Answers are right or wrong: bool [participants, images], not {flags.dtype} {flags.shape}.")
    numbers: NDArray[Any] = flags.astype(np.float32 if flags.shape[1] < _MAX_EXACT else np.float64)
    n_both = (numbers @ numbers.T).astype(np.int64)
    n_only_first = np.count_nonzero(flags, axis=1)[:, np.newaxis] - n_both
    return DiscordantPairs(n_only_first, n_only_first.T)
