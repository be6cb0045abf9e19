"""Which pairs of participants are settled whatever is still unjudged, for all pairs at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.reviews.outcomes import judge_field
from regauge.records.evaluation.reviews import PairBounds, ReviewField, ReviewMetric


def find_pair_bounds(field: ReviewField, metric: ReviewMetric) -> PairBounds:
    """Between which ends the difference of every pair of participants lies, by the rule of `evaluation.comparison`.

    The lower end takes the first participant's unjudged answers as wrong and the second's as right, the upper end the other way
    round; where both answer the same class, it stands or falls for both. These ends are exact for the images that count now: that
    reviewers will call further images problematic is not foreseen.

    Args:
        field: answers and verdicts.
        metric: which verdicts make an answer right.

    Returns:
        One row per pair i < j, in the order of the participants.
    """
    outcomes = judge_field(field, metric)
    is_counted = outcomes != Outcome.NOT_COUNTED
    is_right, is_unjudged = outcomes == Outcome.RIGHT, outcomes == Outcome.UNJUDGED
    right, unjudged = _count_beside(is_right, is_counted), _count_beside(is_unjudged, is_counted)
    same = _count_same_unjudged(field.answers, is_unjudged)
    first, second = np.triu_indices(len(outcomes), k=1)
    n_same = same[first, second]
    lower = right[first, second] - right[second, first] - unjudged[second, first] + n_same
    upper = right[first, second] - right[second, first] + unjudged[first, second] - n_same
    return PairBounds(
        participants=field.participants,
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        n_images=_count_beside(is_counted, is_counted)[first, second],
        lower=lower,
        upper=upper,
        n_open=unjudged[first, second] + unjudged[second, first] - 2 * n_same,
    )


def _count_beside(flags: BoolArray, is_counted: BoolArray) -> CountArray:
    """At [i, j] the images with the flag of i that j has counted too, by one product of matrices."""
    # Floats of 32 bits add whole numbers exactly below 2²⁴, which is more than any test set has images.
    kind: type[Any] = np.float32 if flags.shape[1] < 2**24 else np.float64
    product: NDArray[Any] = flags.astype(kind) @ is_counted.astype(kind).T
    return product.astype(np.int64)


def _count_same_unjudged(answers: IntArray, is_unjudged: BoolArray) -> CountArray:
    """At [i, j], i < j, the images where both give the same answer and nobody has judged it."""
    n = len(answers)
    # Whatever is judged or not counted becomes a class of its own participant, and so equals nobody's.
    own = -2 - np.arange(n, dtype=np.int32)[:, np.newaxis]
    classes = np.where(is_unjudged, answers, own)
    same = np.zeros((n, n), np.int64)
    for row in range(n - 1):
        same[row, row + 1 :] = np.count_nonzero(classes[row + 1 :] == classes[row], axis=1)
    return same
