"""Shares among all mistakes, where all or only some of them were looked at."""

from __future__ import annotations

from regauge.estimates import DEFAULT_LEVEL, make_share
from regauge.records.mistakes.found import SampledShare
from regauge.stats.finite import limit_whole_count
from regauge.stats.intervals import clopper_pearson


def share_of_sample(n_found: int, n_sampled: int, *, n_whole: int, level: float = DEFAULT_LEVEL) -> SampledShare:
    """The share of mistakes with a property, with an interval for all of them.

    Where all were looked at, that share is known, and the interval is for mistakes such as these (Clopper–Pearson).

    >>> found = share_of_sample(47, 100, n_whole=900)
    >>> str(found.share), found.n_low, found.n_high
    ('47.0% [37.6, 56.7]', 338, 510)
    """
    if n_sampled == n_whole:
        low, high = clopper_pearson(n_found, n_sampled, level=level)
        share = make_share(n_found, n_sampled, limits=(float(low), float(high)), method="clopper-pearson")
        return SampledShare(share, n_whole, n_found, n_found)
    whole = limit_whole_count(n_found, n_sampled, n_whole=n_whole, level=level)
    limits = (whole.low / n_whole, whole.high / n_whole)
    share = make_share(n_found, n_sampled, limits=limits, method="hypergeometric")
    return SampledShare(share, n_whole, *whole)
