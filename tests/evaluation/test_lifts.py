"""What other labels make of an accuracy: the same answers on the same images, with limits of a paired difference."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.evaluation.lifts import measure_lift, measure_score_changes
from regauge.evaluation.outcomes import Outcome
from regauge.stats.paired import tango

RIGHT, WRONG, UNJUDGED, OUT = (
    np.int8(one) for one in (Outcome.RIGHT, Outcome.WRONG, Outcome.UNJUDGED, Outcome.NOT_COUNTED)
)


def test_a_lift_is_the_paired_difference_on_the_images_that_count_both_times() -> None:
    before = np.array([RIGHT] * 10 + [WRONG] * 10 + [RIGHT] * 5, np.int8)
    # Of the 20 that count both times, 4 become right and 1 becomes wrong: 10 / 20 → 13 / 20.
    after = np.array([WRONG] + [RIGHT] * 9 + [RIGHT] * 4 + [WRONG] * 6 + [OUT] * 5, np.int8)
    found = measure_lift("model", before, after=after)
    assert found is not None
    assert (found.before, found.after, found.change.n) == (0.5, 0.65, 20)
    low, high = (float(end) for end in tango(4, 1, n=20))
    assert (found.change.value, found.change.low, found.change.high) == pytest.approx((0.15, low, high))
    assert not found.change.holds_unjudged


def test_limits_hold_whatever_unjudged_answers_turn_out_to_be() -> None:
    before = np.array([RIGHT] * 10 + [WRONG] * 10, np.int8)
    unsure = np.array([RIGHT] * 10 + [UNJUDGED] * 4 + [WRONG] * 6, np.int8)
    found = measure_lift("model", before, after=unsure)
    assert found is not None
    assert found.change.holds_unjudged
    for sure in (RIGHT, WRONG):
        known = measure_lift("model", before, after=np.where(unsure == UNJUDGED, sure, unsure))
        assert known is not None
        assert found.change.low <= known.change.low
        assert known.change.high <= found.change.high


def test_equal_scores_share_the_better_rank_whatever_their_names() -> None:
    half, most, none = (np.array(one, np.int8) for one in ([RIGHT, WRONG], [RIGHT, RIGHT], [OUT, OUT]))
    found = measure_score_changes(
        ["b", "a", "c", "d"], [half, half, most, none], after=[most, most, half, none], metric="multilabel_strict"
    )
    assert [(one.participant, one.rank_before, one.rank_after) for one in found] == [
        ("b", 2, 1),
        ("a", 2, 1),
        ("c", 1, 3),
        ("d", 4, 4),
    ]


def test_without_a_common_image_there_is_no_lift() -> None:
    assert measure_lift("model", np.array([OUT, RIGHT]), after=np.array([RIGHT, OUT])) is None
