"""Two participants on the same images: the exact McNemar test."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from regauge.records.arrays import FloatArray
from regauge.stats.counts import check_counts


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
