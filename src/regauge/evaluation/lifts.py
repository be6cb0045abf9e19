"""What other labels make of accuracies: the same answers to the same images, judged twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.estimates import DEFAULT_LEVEL, Estimate
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.records.evaluation.details import LabelLift, ScoreChange
from regauge.stats.intervals import clopper_pearson
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
    # What nobody has judged under either is one unknown, and the same under both.
    is_moved = ~((first == Outcome.UNJUDGED) & (second == Outcome.UNJUDGED))
    low = tango(np.sum(is_right & ~maybe_was), np.sum(maybe_was & ~is_right & is_moved), n=n, level=level).low
    high = tango(np.sum(maybe_right & ~was_right & is_moved), np.sum(was_right & ~maybe_right), n=n, level=level).high
    has_unjudged = bool(((maybe_right != is_right) | (maybe_was != was_right))[is_moved].any())
    value = float(is_right.mean() - was_right.mean())
    change = Estimate(value, float(low), float(high), n=n, method="tango", holds_unjudged=has_unjudged)
    return LabelLift(participant, float(was_right.mean()), float(is_right.mean()), change)


def measure_score_changes(
    names: Sequence[str],
    before: Sequence[OutcomeArray],
    *,
    after: Sequence[OutcomeArray],
    metric: str,
    level: float = DEFAULT_LEVEL,
) -> tuple[ScoreChange, ...]:
    """What other labels do to every participant's score and rank.

    Args:
        names: the participants.
        before: per participant, what became of every answer by the labels before.
        after: likewise by the labels after, on the same images.
        metric: what the scores are called.
        level: nominal coverage of every interval.
    """
    was, now = ([estimate_share(one, level=level) for one in found] for found in (before, after))
    ranks_before, ranks_after = (_rank([one.value for one in found]) for found in (was, now))
    lifts = [measure_lift(name, before[row], after=after[row], level=level) for row, name in enumerate(names)]
    return tuple(
        ScoreChange(name, metric, old, new, None if lift is None else lift.change, *ranks)
        for name, old, new, lift, *ranks in zip(names, was, now, lifts, ranks_before, ranks_after, strict=True)
    )


def estimate_share(outcomes: OutcomeArray, *, level: float = DEFAULT_LEVEL) -> Estimate[float | None]:
    """The share of right answers among those that count, with limits that hold whatever unjudged ones turn out to be."""
    n = int(np.count_nonzero(outcomes != Outcome.NOT_COUNTED))
    n_right, n_unjudged = (int(np.count_nonzero(outcomes == one)) for one in (Outcome.RIGHT, Outcome.UNJUDGED))
    if not n:
        return Estimate(None, None, None, n=0, method=None)
    low = float(clopper_pearson(n_right, n, level=level).low)
    high = float(clopper_pearson(n_right + n_unjudged, n, level=level).high)
    return Estimate(n_right / n, low, high, n=n, method="clopper-pearson", holds_unjudged=bool(n_unjudged))


def _rank(values: Sequence[float | None]) -> list[int]:
    """Places by descending value, of equal ones the best that they have together; who has no value comes last.

    >>> _rank([0.5, None, 0.75, 0.5])
    [2, 4, 1, 2]
    """
    known = [-1.0 if value is None else value for value in values]
    return [1 + sum(other > one for other in known) for one in known]
