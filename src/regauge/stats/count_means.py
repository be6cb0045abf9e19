"""The mean of small counts, such as labels per image, with limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

from regauge.estimates import DEFAULT_LEVEL, Estimate, check_level
from regauge.stats.counts import check_counts
from regauge.stats.resampling import DEFAULT_RESAMPLES, percentile_limits

METHOD = "bootstrap or Poisson, the wider"


def estimate_count_mean(
    counts: ArrayLike, *, least: int = 0, rng: np.random.Generator, level: float = DEFAULT_LEVEL
) -> Estimate[float | None]:
    """The mean of counts that are all at least `least`, with limits.

    The limits are those of a percentile bootstrap and of Garwood's exact method for what the counts have beyond the least one, at
    either end the wider. A bootstrap alone has no width where all counts are equal, and Garwood's alone is too narrow where they
    spread more than Poisson's.

    Args:
        counts: one whole number per thing [n].
        least: no count can be below it.
        rng: the source of the draws.
        level: coverage of the limits.

    Returns:
        No value where there is no count.

    Reference:
        Garwood (1936), Fiducial limits for the Poisson distribution, Biometrika 28.

    >>> mean = estimate_count_mean([2, 2, 2, 2], least=2, rng=np.random.default_rng(0))
    >>> mean.value, mean.low, round(mean.high, 2)
    (2.0, 2.0, 2.92)
    """
    tail = (1 - check_level(level)) / 2
    (column,) = check_counts(counts=counts)
    beyond, n = column - least, column.size
    if not n:
        return Estimate(None, None, None, n=0)
    values, counted = np.unique(beyond, return_counts=True)
    drawn = rng.multinomial(n, counted / n, size=DEFAULT_RESAMPLES) @ values / n
    limits = percentile_limits(drawn, level=level)
    total = int(beyond.sum())
    exact_low = float(gammaincinv(total, tail)) / n if total else 0.0
    exact_high = float(gammaincinv(total + 1, 1 - tail)) / n
    low, high = min(float(limits.low), exact_low), max(float(limits.high), exact_high)
    return Estimate(float(column.mean()), least + low, least + high, n=n, method=METHOD)
