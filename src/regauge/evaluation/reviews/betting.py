"""When a sample of reviewed images is enough to say who of two participants is ahead: a test by betting.

Of a pair, T = Σ (1 − problematic)·(y(first) − y(second)) over all images is what the review of all of them would give. Images
are drawn without replacement, the next one with probability q in proportion to its weight. Then

    X = known so far + Σ predicted differences of what remains + (difference − predicted) / q

has the expectation T at every step, whatever was predicted and whatever came before. Somebody who starts with 1 and stakes a
share of their wealth on X > 0 each time can expect no gain while T ≤ 0, so by Ville's inequality the chance that they *ever* hold
1/α is at most α: the review may be looked at after every image and ended at any. The same is done for T < 0 with reversed signs.

Stakes follow purses that each bet on one difference T' by T' / (variance + T'²), the share at which wealth grows fastest if T is
T'. The wealth is the sum of equal purses, which is the same as one stake that leans to the purses that did well; so nothing need
be known beforehand of how large T is. Stakes are fixed before the image is seen, and so small that no factor can fall below ¼.
The variance is the predicted one, corrected by how far earlier images surprised.

References:
    Waudby-Smith and Ramdas (2020), Confidence sequences for sampling without replacement.
    Shekhar, Xu, Lipton, Liang and Ramdas (2023), Risk-limiting financial audits via weighted sampling without replacement.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.records.evaluation.sampled_reviews import SampledReviewPlan, SettledBy

BETS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Differences that are bet on, in standard deviations of X at the start."""


class PairColumns(NamedTuple):
    """What is expected of a pair on the images of a plan, in their order.

    Attributes:
        predicted: the difference that is predicted.
        variances: its variance under the prediction.
        lowest: the least that the difference can be.
        highest: the most.
    """

    predicted: FloatArray
    variances: FloatArray
    lowest: CountArray
    highest: CountArray


class Settlement(NamedTuple):
    """Where in its order a review settles a pair.

    Attributes:
        sign: who is ahead; None where it is not settled.
        by: how it was settled.
        n_images: after how many images; all that were reviewed where it is not.
        evidence: the highest wealth of the bets on the first and on the second.
        ends: the least and the most that the difference can be, by the images that were reviewed.
    """

    sign: int | None
    by: SettledBy | None
    n_images: int
    evidence: tuple[float, float]
    ends: tuple[int, int]


def expect_pair(plan: SampledReviewPlan, pair: tuple[int, int]) -> PairColumns:
    """What is expected of a pair: 0 where both answer alike or one does not answer.

    The difference can be 0 on every image that is reviewed, for a reviewer may call it problematic.
    """
    first, second = pair
    outcomes, chances = plan.outcomes[[first, second]], plan.chances[[first, second]]
    is_open = (plan.answers[first] != plan.answers[second]) & (outcomes != Outcome.NOT_COUNTED).all(axis=0)
    is_right, is_maybe = outcomes == Outcome.RIGHT, (outcomes == Outcome.RIGHT) | (outcomes == Outcome.UNJUDGED)
    lowest = np.minimum(is_right[0].astype(np.int64) - is_maybe[1], 0) * is_open
    highest = np.maximum(is_maybe[0].astype(np.int64) - is_right[1], 0) * is_open
    counted = (1 - plan.predictor.problematic) * is_open
    predicted = counted * (chances[0] - chances[1])
    squares = counted * (chances[0] + chances[1] - 2 * chances[0] * chances[1])
    return PairColumns(predicted, squares - predicted**2, lowest, highest)


def find_differences(outcomes: OutcomeArray, pair: tuple[int, int]) -> CountArray:
    """Per image, the difference of two participants: 0 where one of them is not counted."""
    first, second = outcomes[pair[0]], outcomes[pair[1]]
    is_counted = (first != Outcome.NOT_COUNTED) & (second != Outcome.NOT_COUNTED)
    differences: CountArray = is_counted * ((first == Outcome.RIGHT).astype(np.int64) - (second == Outcome.RIGHT))
    return differences


def settle_pair(
    plan: SampledReviewPlan,
    pair: tuple[int, int],
    *,
    values: CountArray,
    is_worst: BoolArray | None = None,
    expected: PairColumns | None = None,
) -> Settlement:
    """What the first images of the order say of a pair.

    Args:
        plan: what was frozen.
        pair: which two participants, by row.
        values: the difference on each of the first images.
        is_worst: images of which nothing is known, because they were referred or their file is missing: each enters either bet at
            the value that is worst for it.
        expected: what `expect_pair` gives, where it is at hand.
    """
    expected, n = expected or expect_pair(plan, pair), len(values)
    hidden = np.zeros(n, np.bool_) if is_worst is None else is_worst
    known = int(plan.known[plan.pairs.index(pair)])
    low, high = (np.where(hidden, one[:n], values) for one in (expected.lowest, expected.highest))
    for_first = _bet(plan, expected, values=low, known=known)
    mirrored = PairColumns(-expected.predicted, expected.variances, -expected.highest, -expected.lowest)
    # A pair that is settled stays settled, so that nobody bets on it any more.
    first_at = _find_first(for_first >= plan.enough)
    for_second = _bet(plan, mirrored, values=-high[:first_at], known=-known)
    lower = known + int(expected.lowest.sum()) + np.concatenate(([0], np.cumsum(low - expected.lowest[:n])))
    upper = known + int(expected.highest.sum()) + np.concatenate(([0], np.cumsum(high - expected.highest[:n])))
    found = [
        (first_at, 1, SettledBy.SAMPLE),
        (_find_first(for_second >= plan.enough), -1, SettledBy.SAMPLE),
        (_find_first(lower > 0), 1, SettledBy.BOUNDS),
        (_find_first(upper < 0), -1, SettledBy.BOUNDS),
        (_find_first(lower == upper), int(np.sign(lower[-1])), SettledBy.BOUNDS),
    ]
    at, sign, by = min(found, key=lambda one: (n + 1 if one[0] is None else one[0], one[2] is SettledBy.SAMPLE))
    evidence = float(for_first.max()), float(for_second.max())
    ends = int(lower[-1]), int(upper[-1])
    return Settlement(None, None, n, evidence, ends) if at is None else Settlement(sign, by, at, evidence, ends)


def _bet(plan: SampledReviewPlan, expected: PairColumns, *, values: CountArray, known: int) -> FloatArray:
    """The wealth before the first image and after each, of somebody who bets that the difference is above 0."""
    from regauge.evaluation.reviews._kernels import grow_wealth

    spread = float(plan.weights.sum() * (expected.variances / plan.weights).sum())
    if spread <= 0:
        # Nothing about this pair is uncertain, and the bounds say all there is to say.
        return np.ones(len(values) + 1)
    columns = np.stack([expected.predicted, expected.variances, expected.lowest.astype(np.float64), plan.weights])
    bets = np.sqrt(spread) * np.array(BETS)
    return np.concatenate(([1.0], grow_wealth(values.astype(np.float64), columns, float(known), bets, plan.enough)))


def _find_first(is_so: BoolArray) -> int | None:
    return int(np.argmax(is_so)) if is_so.any() else None
