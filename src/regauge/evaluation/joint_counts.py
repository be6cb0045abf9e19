"""How top-1 and the other metrics judge the same answers of a participant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from regauge.evaluation.outcomes import Measure, Outcome, OutcomeArray
from regauge.records.evaluation.standings import JointCount

FIRST = "top1"
"""The metric that the others are seen against."""


def count_joint(participant: str, judged: Sequence[tuple[Measure, OutcomeArray]]) -> Iterator[JointCount]:
    """The answers that are right by top-1 and each other metric, by one of the two, and by neither.

    An unjudged answer is not right, as in the metrics themselves. An image that one of the two leaves out does not count.
    """
    firsts = [(measure, outcomes) for measure, outcomes in judged if measure.metric == FIRST]
    for first, ours in firsts:
        for second, theirs in judged:
            if second.metric != FIRST:
                counts = (ours != Outcome.NOT_COUNTED) & (theirs != Outcome.NOT_COUNTED)
                is_first, is_second = ours == Outcome.RIGHT, theirs == Outcome.RIGHT
                cells = (is_first & is_second, is_first & ~is_second, ~is_first & is_second, ~is_first & ~is_second)
                yield JointCount(
                    participant,
                    (first.metric, second.metric),
                    (first.labels, second.labels),
                    *(int(np.count_nonzero(cell & counts)) for cell in cells),
                )
