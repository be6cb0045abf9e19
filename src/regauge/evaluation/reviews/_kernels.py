"""The compiled loop of sampled review: the wealth of somebody who bets, image after image, that a difference is above 0."""

from __future__ import annotations

import numpy as np
from numba import njit

from regauge.arrays import FloatArray

_LEAST_FACTOR = 0.25
_N_PRIOR = 20.0


@njit(cache=True, nogil=True)
def grow_wealth(values: FloatArray, columns: FloatArray, known: float, bets: FloatArray, enough: float) -> FloatArray:
    """The wealth after every reviewed image; `betting` says what is bet and why.

    Args:
        values: the difference on each reviewed image [reviewed].
        columns: predicted difference, its variance, the least it can be, and weight, of all images in their order [4, images].
        known: the difference on images that nobody reviews.
        bets: differences that are bet on, a purse for each.
        enough: the wealth at which betting ends and the rest of the path stays as it is.
    """
    n_images, n_bets = columns.shape[1], len(bets)
    # What is left from each image on: predicted differences, weights, variance over weight, and the worst step down.
    rest = np.zeros((4, n_images + 1))
    for place in range(n_images - 1, -1, -1):
        predicted, variance, least, weight = columns[:, place]
        rest[0, place] = rest[0, place + 1] + predicted
        rest[1, place] = rest[1, place + 1] + weight
        rest[2, place] = rest[2, place + 1] + variance / weight
        rest[3, place] = min(rest[3, place + 1], (least - predicted) / weight)
    purses = np.full(n_bets, 1.0 / n_bets)
    path = np.ones(len(values))
    seen, foreseen, total = _N_PRIOR, _N_PRIOR, known
    for place in range(len(values)):
        predicted, _, _, weight = columns[:, place]
        expected = total + rest[0, place]
        spread = rest[1, place] * rest[2, place]
        surprise = rest[1, place] * (values[place] - predicted) / weight
        lowest = expected + rest[1, place] * rest[3, place]
        most = (1 - _LEAST_FACTOR) / -lowest if lowest < 0 else np.inf
        variance_now = spread * seen / foreseen
        wealth = 0.0
        for which in range(n_bets):
            size = min(bets[which] / (variance_now + bets[which] ** 2), most)
            purses[which] *= 1 + size * (expected + surprise)
            wealth += purses[which]
        path[place] = wealth
        if wealth >= enough:
            path[place:] = wealth
            break
        if spread > 0:
            seen += surprise**2 / spread
            foreseen += 1.0
        total += values[place]
    return path
