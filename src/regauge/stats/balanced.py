"""Limits of a mean of per-class means, which hold where classes are small.

Classes of like size form a group. In a group the mean share is treated as the share of a binomial count of as many images as
would leave the same variance, and gets mid-p limits; small groups borrow an image or so from the others for them. The groups
are independent, and their limits are put together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv, betaln, ndtri, stdtrit, xlog1py, xlogy

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.stats.counts import check_counts
from regauge.stats.intervals import Limits

FEW_IMAGES = 5
"""A class with fewer images says little about itself."""

BORROWED_IMAGES = 1.5
"""As many images a group of no more than `FEW_LIKE` takes over from the others; larger ones take fewer."""
FEW_LIKE = 2

_MAX_STEPS = 50
_TOLERANCE = 1e-10


class Carried(NamedTuple):
    """How much of a balanced mean rests on small classes.

    Attributes:
        n_classes: classes with at least one image.
        n_small: those with fewer than `FEW_IMAGES`.
        n_small_images: the images of these.
        n_images: the images of all classes.
        variance_share: the small classes' share of the variance of the mean, were all equally accurate; NaN without any class.
    """

    n_classes: int
    n_small: int
    n_small_images: int
    n_images: int
    variance_share: float

    @property
    def is_carried_by_few(self) -> bool:
        """Whether fewer than half of the images, those of small classes, would make most of the variance."""
        return 2 * self.n_small_images < self.n_images and self.variance_share > 0.5


class _Groups(NamedTuple):
    """The classes that have images, by size: [classes, groups] of zeros and ones, and images per class."""

    membership: FloatArray
    n: FloatArray

    @property
    def weights(self) -> FloatArray:
        """The share of the classes that each group holds."""
        weights: FloatArray = self.membership.sum(axis=0) / len(self.n)
        return weights

    def add(self, by_class: FloatArray) -> FloatArray:
        """The sums over the classes of each group."""
        sums: FloatArray = by_class @ self.membership
        return sums

    def add_others(self, by_class: FloatArray) -> FloatArray:
        """The sums over the classes of all other groups."""
        sums = self.add(by_class)
        rest: FloatArray = sums.sum(axis=-1, keepdims=True) - sums
        return rest


class _Shares(NamedTuple):
    """Per group: a mean of class shares, its variance as far as the classes show one, and its limits."""

    value: FloatArray
    variance: FloatArray
    low: FloatArray
    high: FloatArray


def find_balanced_limits(
    n_correct_by_class: ArrayLike, n_by_class: ArrayLike, *, level: float = DEFAULT_LEVEL
) -> Limits:
    """Limits of the mean over classes of the share correct, over redrawn images at fixed accuracies of the classes.

    Redrawing images within classes shows too little variance where classes are small, and none in a class with one image.
    Here classes of like size (1; 2; 3–4; 5–8; 9–16; …) stand together. In a group of m classes with mean share q, the
    variance v of q is estimated from the spread within classes, without bias, and q counts as the share of a binomial
    number of n* = q(1 − q)/v + 1 images. Student's t with the Σ(n − 1) degrees of freedom behind v takes its due: n*
    shrinks by (z/t)², but not below m²/Σ(1/n), the images that m equally accurate classes would amount to, for unequal
    accuracies only lessen the variance (Hoeffding). Classes that show no variance at all count as equally accurate too.
    To one or two images a group adds `BORROWED_IMAGES` that are right as often as the images of the other groups, times these
    groups' share of all images, for such a group says next to nothing of how often it is right; a larger one adds fewer, in
    inverse proportion to n*. The mid-p limits of such a count are the group's, and the distances of limits from means add
    up over groups as squares (Zou and Donner).

    One class gives its mid-p limits. Many or large classes give the limits of the stratified bootstrap.

    Args:
        n_correct_by_class: [..., classes]; one set of limits per leading entry.
        n_by_class: [classes]; classes without an image are left out.
        level: the nominal coverage.

    Returns:
        Limits in the leading shape, inside [0, 1]; NaN where no class has an image.

    Reference:
        Korn, Graubard (1998), Confidence intervals for proportions with small expected number of positive counts estimated
        from survey data; Hoeffding (1956), On the distribution of the number of successes in independent trials; Lancaster
        (1961), Significance tests in discrete distributions; Zou, Donner (2008), Construction of confidence limits about
        effect measures.

    >>> low, high = find_balanced_limits([95, 90, 1], [100, 100, 1])
    >>> print(f"{low:.3f} {high:.3f}")
    0.703 0.971
    """
    tail = (1 - check_level(level)) / 2
    (k,), groups = _group(n_by_class, n_correct_by_class=n_correct_by_class)
    if not groups.n.size:
        return _missing(k.shape[:-1])
    shares = _measure(k, groups, tail, within=_find_binary_variance(k, groups.n))
    return _join(shares.value, Limits(shares.low, shares.high), groups, bounds=(0, 1))


def find_balanced_score_limits(scores: ArrayLike, classes: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Limits of the mean over classes of the mean score, over redrawn images, where a score is any number from 0 to 1.

    A score is the share of several models that is right on an image: the limits are those of the mean of the models' balanced
    accuracies. As `find_balanced_limits`, which it equals for scores of 0 and 1; the variance within classes is that of the
    scores. Classes that show none count as scores of 0 and 1 would, on the side of a wide interval.

    Args:
        scores: one per image.
        classes: the class of each image, a whole number from 0.
        level: the nominal coverage.

    >>> low, high = find_balanced_score_limits([1, 0.5, 0.5, 0, 1, 1], [0, 0, 0, 1, 1, 1])
    >>> print(f"{low:.3f} {high:.3f}")
    0.262 0.940
    """
    tail = (1 - check_level(level)) / 2
    values, (index,) = np.asarray(scores, np.float64), check_counts(classes=classes)
    if values.shape != index.shape or values.ndim != 1:
        raise InputError(f"Scores and classes are two columns of one length, not {values.shape} and {index.shape}.")
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError("A score is a number from 0 to 1.")
    _, index, n = np.unique(index, return_inverse=True, return_counts=True)
    if not n.size:
        return _missing(())
    sums = np.bincount(index, values).astype(np.float64)
    squares = np.bincount(index, (values - (sums / n)[index]) ** 2)
    groups = _group_by_size(n.astype(np.float64))
    shares = _measure(sums, groups, tail, within=squares / (n * np.maximum(n - 1, 1)))
    return _join(shares.value, Limits(shares.low, shares.high), groups, bounds=(0, 1))


def find_balanced_difference_limits(
    n_only_first_by_class: ArrayLike,
    n_only_second_by_class: ArrayLike,
    *,
    n_by_class: ArrayLike,
    level: float = DEFAULT_LEVEL,
) -> Limits:
    """Limits of the mean over classes of the difference in the share correct of two participants on the same images.

    The paired counterpart of `find_balanced_limits`. In each group of classes the share that only the first gets right and
    the share that only the second gets right have limits as there; the limits of their difference follow from both and
    from the correlation of the two, which is never positive, for no image is in both. So there is a width where no image tells
    the two apart.

    Args:
        n_only_first_by_class: [..., classes], images that only the first participant gets right.
        n_only_second_by_class: likewise of the second.
        n_by_class: [classes], images that both answered.
        level: the nominal coverage.

    Returns:
        Limits in the leading shape, inside [−1, 1]; NaN where no class has an image.

    Reference:
        As for `find_balanced_limits`; Newcombe (1998), Improved confidence intervals for the difference between binomial
        proportions based on paired data, for the correlation.

    >>> low, high = find_balanced_difference_limits([0, 0], [0, 0], n_by_class=[50, 50])
    >>> print(f"{low:.3f} {high:.3f}")
    -0.030 0.030
    """
    tail = (1 - check_level(level)) / 2
    (b, c), groups = _group(
        n_by_class, n_only_first_by_class=n_only_first_by_class, n_only_second_by_class=n_only_second_by_class
    )
    if not groups.n.size:
        return _missing(b.shape[:-1])
    first, second = (_measure(one, groups, tail, within=_find_binary_variance(one, groups.n)) for one in (b, c))
    limits = _subtract(first, second, _correlate(b, c, groups, first, second))
    return _join(first.value - second.value, limits, groups, bounds=(-1, 1))


def subtract_limits(first: FloatArray, second: FloatArray, *, limits: tuple[Limits, Limits]) -> Limits:
    """Limits of first − second of two independent estimates, from the estimates and the limits of each.

    What `regauge.stats.intervals.newcombe` does for two proportions, for estimates with limits of any kind.

    Reference:
        Zou, Donner (2008), Construction of confidence limits about effect measures.

    >>> low, high = subtract_limits(np.array(0.8), np.array(0.6), limits=(Limits(0.7, 0.85), Limits(0.5, 0.7)))
    >>> print(f"{low:.4f} {high:.4f}")
    0.0586 0.3118
    """
    a, b = limits
    difference = first - second
    low = difference - np.hypot(first - a.low, b.high - second)
    high = difference + np.hypot(a.high - first, second - b.low)
    return Limits(np.asarray(low), np.asarray(high))


def measure_small_classes(n_by_class: ArrayLike) -> Carried:
    """How many classes have few images, and what share of a balanced mean's variance they would carry, accuracies being equal.

    Class c adds p(1 − p)/n_c, so that one image may weigh as much as a hundred of another class.

    >>> measure_small_classes([100, 100, 2, 4, 0])
    Carried(n_classes=4, n_small=2, n_small_images=6, n_images=206, variance_share=0.974025974025974)
    """
    (n,) = check_counts(n_by_class=n_by_class)
    used = n[n > 0]
    small = used[used < FEW_IMAGES]
    share = float((1 / small).sum() / (1 / used).sum()) if used.size else np.nan
    return Carried(int(used.size), int(small.size), int(small.sum()), int(used.sum()), share)


def _group(n_by_class: ArrayLike, **parts: ArrayLike) -> tuple[list[FloatArray], _Groups]:
    """The counts of the classes that have images, and these classes by size."""
    n = np.asarray(n_by_class)
    if n.ndim != 1:
        raise InputError(f"The images by class are one column, not an array of shape {n.shape}.")
    counts = check_counts(**parts, n=n)[:-1]
    is_used = n > 0
    groups = _group_by_size(n[is_used].astype(np.float64))
    return [part[..., is_used].astype(np.float64) for part in counts], groups


def _group_by_size(n: FloatArray) -> _Groups:
    # 1, 2, 3–4, 5–8, …: the number of binary digits of n − 1.
    _, group = np.unique(np.frexp(n - 1)[1], return_inverse=True)
    membership = (group[:, np.newaxis] == np.arange(group.max(initial=-1) + 1)).astype(np.float64)
    return _Groups(membership, n)


def _find_binary_variance(k: FloatArray, n: FloatArray) -> FloatArray:
    """The variance of every class's share, estimated without bias; 0 where there is one image."""
    variance: FloatArray = k * (n - k) / (n * n * np.maximum(n - 1, 1))
    return variance


def _measure(k: FloatArray, groups: _Groups, tail: float, *, within: FloatArray) -> _Shares:
    """The shares k/n by group; `within` is the variance of every class's share, as far as the class shows one."""
    n, n_classes = groups.n, groups.membership.sum(axis=0)
    q = groups.add(k / n) / n_classes
    variance = groups.add(within) / n_classes**2
    n_equal = n_classes**2 / groups.add(1 / n)
    n_like = np.where(variance > 0, q * (1 - q) / np.where(variance > 0, variance, 1) + 1, n_equal)
    dof = np.maximum(groups.add(n - 1), 1)
    n_like = np.maximum(n_like * (ndtri(tail) / stdtrit(dof, tail)) ** 2, np.minimum(n_like, n_equal))
    borrowed = BORROWED_IMAGES / np.maximum(n_like / FEW_LIKE, 1) / n.sum()
    n_right = q * n_like + borrowed * groups.add_others(k)
    n_wrong = (1 - q) * n_like + borrowed * groups.add_others(n - k)
    # The upper limit of a share is one minus the lower limit of the rest.
    low, below = _solve_mid_p(np.stack([n_right, n_wrong]), n_right + n_wrong, tail)
    return _Shares(q, variance, np.minimum(low, q), np.maximum(1 - below, q))


def _solve_mid_p(k: FloatArray, n: FloatArray, tail: float) -> FloatArray:
    """The p with P(X > k) + P(X = k)/2 = tail for X ~ Binomial(n, p); 0 at k = 0.

    Both chances are beta functions of p, so that k and n may be fractions. With F(p) = P(X ≥ k) and G(p) = P(X > k) it is
    the root of F + G = 2·tail. It lies between the roots of F = tail and of G = tail; Newton's steps that leave the bracket
    are replaced by its middle. They are taken on logarithms of both sides: near 0 both chances are powers of p.
    """
    # Rounding may leave a share of all images a hair below it.
    rest = np.where(n - k < 1e-9 * n, 0, n - k)
    is_open = k > 1e-9 * n
    a, c = np.where(is_open, k, 1.0), np.where(rest > 0, rest, 1.0)
    low = betaincinv(a, rest + 1, tail)
    high = np.where(rest > 0, betaincinv(a + 1, c, tail), 1.0)
    p = (low + high) / 2
    for _ in range(_MAX_STEPS):
        both = betainc(a, rest + 1, p) + np.where(rest > 0, betainc(a + 1, c, p), 0)
        low, high = np.where(both < 2 * tail, p, low), np.where(both < 2 * tail, high, p)
        slope = _density(a, rest + 1, p) + np.where(rest > 0, _density(a + 1, c, p), 0)
        is_steep = (both > 0) & (p * slope > 0) & np.isfinite(slope)
        power = np.where(is_steep, both, np.nan) / np.where(is_steep, p * slope, 1)
        step = p * np.exp(power * np.log(2 * tail / np.where(is_steep, both, 1)))
        following = np.where((step >= low) & (step <= high), step, (low + high) / 2)
        is_done = np.abs(following - p).max(initial=0) < _TOLERANCE
        p = following
        if is_done:
            break
    return np.where(is_open, p, 0.0)


def _density(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
    """The density of Beta(a, b)."""
    density: FloatArray = np.exp(xlogy(a - 1, p) + xlog1py(b - 1, -p) - betaln(a, b))
    return density


def _correlate(b: FloatArray, c: FloatArray, groups: _Groups, first: _Shares, second: _Shares) -> FloatArray:
    """The correlation of the two mean shares of each group; where the classes do not show it, as if all were alike."""
    n = groups.n
    covariance = groups.add(b * c / (n * n * np.maximum(n - 1, 1))) / groups.membership.sum(axis=0) ** 2
    product = first.variance * second.variance
    odds = first.value * second.value
    alike = odds / np.maximum((1 - first.value) * (1 - second.value), odds + (odds == 0))
    shown = covariance / np.sqrt(np.where(product > 0, product, 1))
    return np.asarray(-np.clip(np.where(product > 0, shown, np.sqrt(alike)), 0, 1))


def _subtract(first: _Shares, second: _Shares, correlation: FloatArray) -> Limits:
    """Limits of first − second in each group."""
    difference = first.value - second.value

    def reach(one: FloatArray, other: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(one**2 + other**2 - 2 * correlation * one * other))

    low = difference - reach(first.value - first.low, second.high - second.value)
    high = difference + reach(first.high - first.value, second.value - second.low)
    return Limits(np.maximum(low, -1), np.minimum(high, 1))


def _join(value: FloatArray, limits: Limits, groups: _Groups, *, bounds: tuple[float, float]) -> Limits:
    """Limits of the weighted mean of independent groups: the distances from the mean add up as squares."""
    mean = value @ groups.weights
    below = np.sqrt((value - limits.low) ** 2 @ groups.weights**2)
    above = np.sqrt((limits.high - value) ** 2 @ groups.weights**2)
    return Limits(np.maximum(mean - below, bounds[0]), np.minimum(mean + above, bounds[1]))


def _missing(shape: tuple[int, ...]) -> Limits:
    return Limits(np.full(shape, np.nan), np.full(shape, np.nan))
