"""Means of selection frequencies over images, with limits for other images and, where their spread is known, other annotators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from regauge.arrays import CountArray, FloatArray, IntArray, divide
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.stats.counts import check_counts
from regauge.stats.intervals import Limits


def measure_spread(surplus: ArrayLike, information: ArrayLike) -> AnnotatorSpread | None:
    """How far annotators differ in how readily they select, on the logit scale, from what each gave beyond the others.

    An annotator whose logit is δ above the others' selects about δ·Σf(1 − f) pairs more than them, Σ over the pairs that they
    saw; by chance this varies with the variance Σf(1 − f). So surplus/information estimates δ with the variance
    1/information, and what the estimates vary beyond that is the variance of δ (DerSimonian and Laird's moments).

    Args:
        surplus: per annotator, selections beyond the frequencies of the pairs that they saw.
        information: per annotator, the sum of f(1 − f) over these pairs.

    Returns:
        The spread; None with fewer than two annotators who saw a pair on which opinions differ.

    Reference:
        DerSimonian, Laird (1986), Meta-analysis in clinical trials, Controlled Clinical Trials 7, 177–188.
    """
    weights = np.asarray(information, np.float64)
    used = weights > 0
    if np.count_nonzero(used) < 2:
        return None
    weights = weights[used]
    shifts = np.asarray(surplus, np.float64)[used] / weights
    total, squares = float(weights.sum()), float((weights**2).sum())
    middle = float((weights * shifts).sum()) / total
    excess = float((weights * (shifts - middle) ** 2).sum()) - (weights.size - 1)
    return AnnotatorSpread(weights.size, total**2 / squares, max(0.0, excess / (total - squares / total)))


def limit_mean_frequency(
    n_selected: ArrayLike, n_shown: ArrayLike, *, spread: AnnotatorSpread | None = None, level: float = DEFAULT_LEVEL
) -> Limits:
    """Limits of the mean of n_selected / n_shown over images.

    The variance over images is that of the frequencies, which hold the chance of single votes already. Annotators are a
    sample too: if one of them selects readily, so do they on all their images, and more images do not mend it. With n
    annotators whose logits vary by τ² the mean moves by τ²/n · (mean of f(1 − f))². Student's t has the degrees of freedom
    of both parts (Satterthwaite), as fifteen people do not tell their spread exactly. The limits are Wilson's, with as
    many images as would show this variance, so that they stay within [0, 1] and have a width where all agree.

    Args:
        n_selected: per image, annotators who selected the class.
        n_shown: per image, annotators who saw it; at least one.
        spread: how far annotators differ; without it the limits hold for these annotators and other images.
        level: the nominal coverage.

    Returns:
        The limits; NaN with fewer than two images.

    References:
        Wilson (1927), Probable inference, the law of succession, and statistical inference; Satterthwaite (1946), An
        approximate distribution of estimates of variance components.

    >>> low, high = limit_mean_frequency([9, 5, 10, 7] * 50, [10] * 200)
    >>> print(f"{low:.3f} {high:.3f}")
    0.747 0.801
    """
    tail = (1 - check_level(level)) / 2
    selected, shown = check_counts(n_selected=n_selected, n=n_shown)
    n = shown.size
    if n < 2:
        return Limits(np.array(np.nan), np.array(np.nan))
    frequencies = selected / shown
    mean, by_images = float(frequencies.mean()), float(frequencies.var(ddof=1)) / n
    by_annotators = 0.0
    if spread is not None:
        by_annotators = spread.variance / spread.n_effective * float(find_information(selected, shown).mean()) ** 2
    variance = by_images + by_annotators
    below = by_images**2 / (n - 1)
    if spread is not None:
        below += by_annotators**2 / (spread.n_annotators - 1)
    # Two images that happen to be alike must not pass for a well-known variance.
    t = -float(stdtrit(min(variance**2 / below, n - 1) if below > 0 else n - 1, tail))
    n_effective = (mean * (1 - mean) + 0.25 / n) / (variance + 0.25 / n**2)
    return _limit_share(np.asarray(mean), np.asarray(t**2 / n_effective))


@dataclass(frozen=True, slots=True, eq=False)
class GroupedValues:
    """Values from 0 to 1 in groups, such as selection frequencies of the images of classes.

    Attributes:
        values: one per image; NaN where there is none.
        groups: per image, its group.
        n_groups: how many groups there are.
    """

    values: FloatArray
    groups: IntArray | CountArray
    n_groups: int

    def sum(self, values: FloatArray) -> FloatArray:
        """The sum over each group of what stands beside known values."""
        known = ~np.isnan(self.values)
        return np.asarray(np.bincount(self.groups[known], values[known], self.n_groups), np.float64)

    @property
    def n(self) -> CountArray:
        """How many values each group has."""
        return np.bincount(self.groups[~np.isnan(self.values)], minlength=self.n_groups)

    @property
    def means(self) -> FloatArray:
        """The mean of each group; NaN without values."""
        return divide(self.sum(self.values), self.n)


def limit_group_means(
    grouped: GroupedValues,
    *,
    information: FloatArray | None = None,
    spread: AnnotatorSpread | None = None,
    level: float = DEFAULT_LEVEL,
) -> Limits:
    """Limits of the mean of every group, as `limit_mean_frequency` makes them for one.

    Redrawing ten images tells too little of images that were not drawn: a bootstrap of groups of ten is too short, and has no
    width where all values are alike.

    Args:
        grouped: the values.
        information: beside every value, an estimate of p(1 − p), see `find_information`.
        spread: how far annotators differ; needs the information.
        level: the nominal coverage.

    Returns:
        The limits, NaN for groups with fewer than two values.
    """
    n = grouped.n
    means = grouped.means
    residuals = (grouped.values - means[grouped.groups]) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        by_images = np.where(n > 1, grouped.sum(residuals) / np.maximum(n - 1, 1) / n, np.nan)
        by_annotators = np.zeros(grouped.n_groups)
        below = by_images**2 / (n - 1)
        if spread is not None and information is not None:
            by_annotators = spread.variance / spread.n_effective * divide(grouped.sum(information), n) ** 2
            below = below + by_annotators**2 / (spread.n_annotators - 1)
        variance = by_images + by_annotators
        freedom = np.where(below > 0, np.minimum(variance**2 / below, n - 1), n - 1)
        t = -stdtrit(freedom, (1 - check_level(level)) / 2)
        n_effective = (means * (1 - means) + 0.25 / n) / (variance + 0.25 / n**2)
        ratio = t**2 / n_effective
    limits = _limit_share(means, ratio)
    is_limited = n > 1
    return Limits(np.where(is_limited, limits.low, np.nan), np.where(is_limited, limits.high, np.nan))


def find_information(n_selected: CountArray, n_shown: CountArray) -> FloatArray:
    """Unbiased estimates of p(1 − p) from k of n votes; 0 from a single vote, which tells nothing about it."""
    others = np.maximum(n_shown - 1, 1)
    return np.asarray(n_selected * (n_shown - n_selected) / (np.maximum(n_shown, 1) * others), np.float64)


def _limit_share(share: FloatArray, ratio: FloatArray) -> Limits:
    """Wilson's limits with z²/n given."""
    centre = share + ratio / 2
    half = np.sqrt(np.maximum(ratio * share * (1 - share), 0) + ratio**2 / 4)
    return Limits(np.maximum(0.0, (centre - half) / (1 + ratio)), np.minimum(1.0, (centre + half) / (1 + ratio)))
