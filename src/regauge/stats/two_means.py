"""Two small samples of whole-number scores: an exact permutation test of their means, and limits of the difference."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtr, ndtri, stdtrit

from regauge.errors import InputError
from regauge.records.arrays import CountArray, FloatArray
from regauge.records.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.counts import check_counts

MAX_EXACT_STEPS = 30_000_000
"""Numbers that an exact test may go through, a tenth of a second; beyond, permutations are drawn."""
N_PERMUTATIONS = 20_000
N_RESAMPLES = 2_000

# Where drawing the kinds of scores takes less time than drawing the scores.
_MANY = 500


class MeansTest(NamedTuple):
    """A permutation test.

    Attributes:
        p: the chance of means at least as far apart if the scores are dealt out at random; NaN where a sample is empty.
        n_drawn: permutations that were drawn; 0 where all of them were counted.
    """

    p: float
    n_drawn: int


class DifferenceLimits(NamedTuple):
    """Limits of mean(second) − mean(first), and whether they come from a bootstrap or from Newcombe's method."""

    low: float
    high: float
    is_bootstrap: bool


def permute_means(first: ArrayLike, second: ArrayLike, *, rng: np.random.Generator) -> MeansTest:
    """Whether two independent samples of whole-number scores have one mean, by dealing all scores out anew.

    If both samples come from one distribution, every way of dealing the scores out is equally likely, whatever that
    distribution is; so the test holds its level at any size, which a t test on a dozen scores heaped at 0 and 1 does not.
    All ways are counted, not drawn, wherever the work allows: the sum of the smaller sample is followed score by score, so
    that p-values as small as thousands of comparisons ask for are exact. Else `N_PERMUTATIONS` are drawn, and
    p = (1 + b)/(1 + N_PERMUTATIONS). Two-sided: by the distance of the means.

    Args:
        first: whole numbers from 0, such as how many participants are right on each image.
        second: likewise.
        rng: the source of drawn permutations.

    Returns:
        p; 1 where all scores are equal, NaN where a sample is empty.

    Reference:
        Pitman (1937), Significance tests which may be applied to samples from any populations; Pagano, Tritchler (1983), On
        obtaining permutation distributions in polynomial time.

    >>> test = permute_means([0, 1, 2], [3, 4, 5], rng=np.random.default_rng(0))
    >>> print(f"{test.p:.3f}")
    0.100
    """
    (a,), (b,) = check_counts(score=first), check_counts(score=second)
    if a.ndim != 1 or b.ndim != 1:
        raise InputError(f"Each sample of scores is one column, not of shape {a.shape} and {b.shape}.")
    if not a.size or not b.size:
        return MeansTest(math.nan, 0)
    scores = np.concatenate([a, b])
    least, unit = int(scores.min()), int(np.gcd.reduce(scores - scores.min()))
    if not unit:
        return MeansTest(1.0, 0)
    smaller = min((a, b), key=len)
    return _test_sum((scores - least) // unit, int(((smaller - least) // unit).sum()), n_drawn=len(smaller), rng=rng)


def _test_sum(scores: CountArray, observed: int, *, n_drawn: int, rng: np.random.Generator) -> MeansTest:
    """The chance that n_drawn of the scores, taken without looking, add up to something as far from its mean."""
    most = int(np.sort(scores)[-n_drawn:].sum())
    if int(scores.max()) == 1:
        chances = _hypergeometric(int(scores.sum()), len(scores), n_drawn=n_drawn)
    elif len(scores) * (n_drawn + 1) * (most + 1) <= MAX_EXACT_STEPS:
        chances = _count_sums(scores, n_drawn=n_drawn, most=most)
    else:
        return _draw_sums(scores, observed, n_drawn=n_drawn, rng=rng)
    # The mean of the sum is total · n_drawn/n; in whole numbers nothing is rounded, so that ties are ties.
    distances = np.abs(len(scores) * np.arange(len(chances)) - n_drawn * int(scores.sum()))
    far = distances >= abs(len(scores) * observed - n_drawn * int(scores.sum()))
    return MeansTest(min(1.0, float(chances[far].sum())), 0)


def _count_sums(scores: CountArray, *, n_drawn: int, most: int) -> FloatArray:
    """The probability of every sum from 0 to `most` of n_drawn scores drawn without replacement.

    Score after score: with j taken so far, the next is taken with probability (n_drawn − j)/(scores left). All terms are
    positive, so that small probabilities keep their digits.
    """
    chances = np.zeros((n_drawn + 1, most + 1))
    chances[0, 0] = 1
    wanted = n_drawn - np.arange(n_drawn + 1)[:, np.newaxis]
    for place, score in enumerate(scores.tolist()):
        taken = chances[:-1] * (wanted[:-1] / (len(scores) - place))
        chances *= 1 - np.minimum(wanted / (len(scores) - place), 1)
        chances[1:, score:] += taken[:, : most + 1 - score]
    return np.asarray(chances[-1])


def _hypergeometric(n_ones: int, n: int, *, n_drawn: int) -> FloatArray:
    """The probability of 0 … n_drawn ones among n_drawn of n scores of which n_ones are one, the rest nought."""
    k = np.arange(n_drawn + 1)
    possible = (k <= n_ones) & (n_drawn - k <= n - n_ones)
    k = k[possible]
    logs = _log_choose(n_ones, k) + _log_choose(n - n_ones, n_drawn - k) - _log_choose(n, np.array(n_drawn))
    chances = np.zeros(n_drawn + 1)
    chances[possible] = np.exp(logs)
    return np.asarray(chances / chances.sum(), np.float64)


def _log_choose(n: int, k: CountArray) -> FloatArray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1), np.float64)


def _draw_sums(scores: CountArray, observed: int, *, n_drawn: int, rng: np.random.Generator) -> MeansTest:
    kinds, counts = np.unique(scores, return_counts=True)
    sums = rng.multivariate_hypergeometric(counts, n_drawn, size=N_PERMUTATIONS) @ kinds
    middle = n_drawn * int(scores.sum())
    far = np.abs(len(scores) * sums - middle) >= abs(len(scores) * observed - middle)
    return MeansTest((1 + int(far.sum())) / (1 + N_PERMUTATIONS), N_PERMUTATIONS)


def find_difference_limits(
    first: ArrayLike, second: ArrayLike, *, top: int, rng: np.random.Generator, level: float = DEFAULT_LEVEL
) -> DifferenceLimits:
    """Limits of mean(second) − mean(first) for scores from 0 to `top`, as a difference of shares of `top`.

    Both samples are redrawn by themselves. Two corrections make percentiles fit for a dozen scores: from n scores n − 1
    are drawn, which shows the whole variance, and the percentiles are those that Student's t puts in the place of the
    normal ones, with Welch's degrees of freedom. A sample whose scores are all equal shows no variance at all, though
    another draw would: there Newcombe's limits are given, as if every score were 0 or `top`. No score between these varies
    more, so they are wide enough. With `top` = 1 the means are shares, and Newcombe's limits are always given.

    Returns:
        The limits; NaN where a sample is empty.

    Reference:
        Rao, Wu (1988), Resampling inference with complex survey data; Hesterberg (2015), What teachers should know about
        the bootstrap, on expanded percentiles; Newcombe (1998).
    """
    tail = (1 - check_level(level)) / 2
    (a,), (b,) = check_counts(score=first), check_counts(score=second)
    if not a.size or not b.size:
        return DifferenceLimits(math.nan, math.nan, is_bootstrap=False)
    if top == 1 or not np.ptp(a) or not np.ptp(b):
        return DifferenceLimits(*_newcombe_of_means(a / top, b / top, z=-float(ndtri(tail))), is_bootstrap=False)
    replicates = (_redraw_mean(b, rng) - _redraw_mean(a, rng)) / top
    share = float(ndtr(stdtrit(_find_dof(a, b), tail)))
    low, high = np.quantile(replicates, [share, 1 - share])
    return DifferenceLimits(float(low), float(high), is_bootstrap=True)


def _redraw_mean(scores: CountArray, rng: np.random.Generator) -> FloatArray:
    """Means of samples of one less; in a large sample, scores of one kind are drawn together."""
    n_drawn = len(scores) - 1
    if n_drawn < _MANY:
        return np.asarray(scores[rng.integers(len(scores), size=(N_RESAMPLES, n_drawn))].mean(axis=1), np.float64)
    kinds, counts = np.unique(scores, return_counts=True)
    return np.asarray(rng.multinomial(n_drawn, counts / len(scores), size=N_RESAMPLES) @ kinds / n_drawn, np.float64)


def _find_dof(first: CountArray, second: CountArray) -> float:
    """Welch's degrees of freedom of a difference of means."""
    parts = [float(scores.var(ddof=1)) / len(scores) for scores in (first, second)]
    below = sum(part**2 / (len(scores) - 1) for part, scores in zip(parts, (first, second), strict=True))
    return sum(parts) ** 2 / below


def _newcombe_of_means(first: FloatArray, second: FloatArray, *, z: float) -> tuple[float, float]:
    (p, p_low, p_high), (q, q_low, q_high) = (_wilson_of_mean(scores, z=z) for scores in (first, second))
    return q - p - math.hypot(q - q_low, p_high - p), q - p + math.hypot(q_high - q, p - p_low)


def _wilson_of_mean(scores: FloatArray, *, z: float) -> tuple[float, float, float]:
    """The mean, and Wilson's limits with the mean in the place of the share of ones."""
    n, mean = len(scores), float(scores.mean())
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return mean, max(centre - half, 0.0), min(centre + half, 1.0)
