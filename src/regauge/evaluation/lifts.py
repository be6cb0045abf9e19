"""What other labels make of accuracies: the same answers to the same images, judged twice."""

from __future__ import annotations

import numpy as np

from regauge.estimates import DEFAULT_LEVEL, Estimate
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.records.evaluation.details import LabelLift
from regauge.stats.paired import tango


def measure_lift(
    participant: str, before: OutcomeArray, *, after: OutcomeArray, level: float = DEFAULT_LEVEL
) -> LabelLift | None:
    """How far the labels of `after` move a participant's accuracy, on the images that count under both.

    The limits are Tango's for paired shares. Unjudged answers of either side count as wrong in the value; the lower limit
    takes those after as wrong and those before as right, the upper limit the other way round.

    Returns:
        None where no image counts under both.

    >>> was, now = np.array([0, 0, 1, 1], np.int8), np.array([1, 0, 1, 1], np.int8)
    >>> lift = measure_lift("model", was, after=now)
    >>> lift.before, lift.after, lift.change.value
    (0.5, 0.75, 0.25)
    """
    both = (before != Outcome.NOT_COUNTED) & (after != Outcome.NOT_COUNTED)
    n = int(np.count_nonzero(both))
    if not n:
        return None
    first, second = after[both], before[both]
    is_right, was_right = first == Outcome.RIGHT, second == Outcome.RIGHT
    maybe_right, maybe_was = is_right | (first == Outcome.UNJUDGED), was_right | (second == Outcome.UNJUDGED)
    low = tango(np.sum(is_right & ~maybe_was), np.sum(maybe_was & ~is_right), n=n, level=level).low
    high = tango(np.sum(maybe_right & ~was_right), np.sum(was_right & ~maybe_right), n=n, level=level).high
    has_unjudged = bool((maybe_right != is_right).any() or (maybe_was != was_right).any())
    value = float(is_right.mean() - was_right.mean())
    change = Estimate(value, float(low), float(high), n=n, method="tango", holds_unjudged=has_unjudged)
    return LabelLift(participant, float(was_right.mean()), float(is_right.mean()), change)
