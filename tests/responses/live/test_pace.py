"""How fast answers come in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.responses.live.pace import HOUR, Pace, count_hours, find_pace

NOW = 1_000 * HOUR + HOUR // 2


def test_hours_are_those_of_the_clock_and_the_present_one_is_last():
    received = np.array([NOW, NOW - HOUR // 2, NOW - HOUR // 2 - 1, NOW - 24 * HOUR])
    hours = count_hours(received, NOW)
    assert len(hours) == 24
    assert hours[-1] == (1_000 * HOUR, 2)
    assert hours[-2] == (999 * HOUR, 1)
    # A day ago lies in the hour before the first of the twenty-four.
    assert sum(n for _, n in hours) == 3


@given(st.lists(st.integers(NOW - 30 * HOUR, NOW), max_size=50))
def test_every_answer_of_the_last_23_hours_is_in_one_hour(moments):
    hours = count_hours(np.array(moments, np.int64), NOW)
    assert sum(n for _, n in hours) == sum(moment >= hours[0][0] for moment in moments)


def test_the_last_hour_is_enough_with_twenty_answers():
    recent = np.full(20, NOW - HOUR // 2)
    older = np.full(100, NOW - 3 * HOUR)
    assert find_pace(np.concatenate([recent, older]), NOW, since=0) == Pace(20, 1.0)
    assert find_pace(np.concatenate([recent[1:], older]), NOW, since=0) == Pace(119, 6.0)


def test_a_window_does_not_begin_before_the_campaign():
    received = np.full(30, NOW - 60_000)
    pace = find_pace(received, NOW, since=NOW - HOUR // 4)
    assert pace == Pace(30, 0.25)
    assert pace.per_hour == pytest.approx(120)


@pytest.mark.parametrize(("n", "expected"), [(4, None), (5, Pace(5, 24.0))])
def test_fewer_than_five_answers_in_a_day_tell_nothing(n, expected):
    assert find_pace(np.full(n, NOW - 20 * HOUR), NOW, since=0) == expected


def test_answers_from_the_future_of_a_clock_that_was_wrong_do_not_count():
    assert find_pace(np.full(50, NOW + HOUR), NOW, since=0) is None
