"""The answers to a campaign in a few numbers: annotators, agreement, selection frequencies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.arrays import BoolArray, FloatArray
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share
from regauge.records.responses.figures import ImageCounts
from regauge.records.responses.quality import AnnotatorQuality
from regauge.records.responses.summaries import AnswerSummary, FrequencyBin, MedianShare
from regauge.responses.live.shares import make_shares
from regauge.stats.agreement.coefficients import limit_agreement, measure_agreement
from regauge.stats.agreement.tables import count_answers
from regauge.stats.quantiles import find_median_limits

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Ends of the bins of selection frequencies."""
DIVIDED = (0.25, 0.75)
"""Annotators are divided about a pair that such a share of them selected, the ends included."""


def summarise_answers(
    annotators: Sequence[AnnotatorQuality], counts: ImageCounts, *, has_pairs: bool, level: float = DEFAULT_LEVEL
) -> AnswerSummary:
    """What a report tells of the answers to a campaign.

    Args:
        annotators: everybody who has answered.
        counts: how often classes were selected for images.
        has_pairs: whether an entry of the counts is an (image, class) pair that people selected or not.
        level: nominal coverage of limits.
    """
    kept = [one for one in annotators if not one.is_dropped]
    controls, agreement = (
        find_median_share([getattr(one, name) for one in kept], level=level) for name in ("controls", "agreement")
    )
    is_asked = ~counts.is_control & (counts.n_shown > 0)
    if not has_pairs or not is_asked.any():
        return AnswerSummary(controls, agreement, None, (), None)
    alpha = _measure_alpha(counts, is_asked, level)
    return AnswerSummary(
        controls, agreement, alpha, _bin(counts.frequencies[is_asked]), _count_divided(counts, is_asked)
    )


def find_median_share(shares: Sequence[Share[float | None]], *, level: float = DEFAULT_LEVEL) -> MedianShare | None:
    """The share of the annotator in the middle; those without a value do not count, and without anybody there is none.

    The limits are two of the shares themselves, the innermost pair between which the median of all annotators like these lies
    with at least the nominal probability, whatever the distribution: the number of shares below it is Binomial(n, ½). Fewer
    than six annotators have no such pair at 95%.

    >>> find_median_share([Share(k / 10, 0.0, 1.0, n=10, k=k) for k in range(3, 10)]).median
    Estimate(value=0.6, low=0.3, high=0.9, n=7, method='order statistics', holds_unjudged=False)
    """
    known = [one for one in shares if one.value is not None]
    if not known:
        return None
    values = np.sort(np.array([one.value for one in known], np.float64))
    limits = find_median_limits(values, level=level)
    middle = float(np.median(values))
    estimate: Estimate[float | None] = Estimate(middle, None, None, n=len(values))
    if not np.isnan(limits.low):
        estimate = Estimate(middle, float(limits.low), float(limits.high), n=len(values), method="order statistics")
    return MedianShare(estimate, float(values[0]), float(values[-1]), sum(one.n for one in known))


def _measure_alpha(counts: ImageCounts, is_asked: BoolArray, level: float) -> Estimate[float | None] | None:
    n, k = counts.n_shown[is_asked], counts.n_selected[is_asked]
    # Two runs of votes per pair: those who selected it, then those who did not.
    runs = np.stack([k, n - k], axis=1).ravel()
    pairs = np.repeat(np.repeat(np.arange(len(n)), 2), runs)
    votes = np.repeat(np.tile([1, 0], len(n)), runs)
    table = count_answers(pairs, votes, n_tasks=len(n), n_labels=2)
    alpha, limits = float(measure_agreement(table).alpha), limit_agreement(table, level=level).alpha
    if np.isnan(alpha):
        return None
    low, high = float(limits.low), float(limits.high)
    n_pairs = int(np.count_nonzero(n >= 2))
    if np.isnan(low) or np.isnan(high):
        return Estimate(alpha, None, None, n=n_pairs)
    return Estimate(alpha, low, high, n=n_pairs, method="score, over pairs")


def _bin(frequencies: FloatArray) -> tuple[FrequencyBin, ...]:
    places = np.clip(np.searchsorted(EDGES, np.round(frequencies, 9)) - 1, 0, len(EDGES) - 2)
    counts = np.bincount(places, minlength=len(EDGES) - 1)
    return tuple(FrequencyBin(EDGES[place], EDGES[place + 1], int(n)) for place, n in enumerate(counts))


def _count_divided(counts: ImageCounts, is_asked: BoolArray) -> Share[float | None]:
    is_several = is_asked & (counts.n_shown >= 2)
    frequencies = counts.frequencies[is_several]
    is_divided = (frequencies >= DIVIDED[0]) & (frequencies <= DIVIDED[1])
    return make_shares([int(is_divided.sum())], [int(is_several.sum())])[0]
