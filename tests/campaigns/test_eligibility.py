"""Who may take a task, in words that are the same for all kinds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from regauge.campaigns.eligibility import AFTER, ONLY_AFTER, PANEL, Taker, has_conditions, is_on_panel, may_take

POSITIONS = st.sets(st.integers(0, 9), max_size=5)


def test_a_task_of_the_first_round_is_open_to_all():
    assert may_take({}, Taker(7, {5, 6}))


@given(POSITIONS, POSITIONS)
def test_who_had_one_of_the_tasks_before_does_not_get_a_task_after_them(named, had):
    assert may_take({AFTER: sorted(named)}, Taker(7, had)) is not bool(named & had)


@given(POSITIONS, POSITIONS)
def test_who_had_none_of_the_tasks_before_does_not_get_a_task_that_goes_on_with_them(named, had):
    assert may_take({ONLY_AFTER: sorted(named)}, Taker(7, had | {0}, had)) is bool(named & had)


def test_a_task_can_be_for_some_people_and_an_empty_panel_is_nobody():
    assert [may_take({PANEL: panel}, Taker(7)) for panel in ([7, 8], [8], [])] == [True, False, False]


def test_a_task_without_such_words_is_for_everybody():
    assert not has_conditions({"image": 0, "priority": 1})
    assert all(has_conditions({name: []}) for name in (AFTER, ONLY_AFTER, PANEL))


def test_a_campaign_without_a_panel_is_open_to_everybody():
    assert is_on_panel({"seed": 1}, 7)
    assert not is_on_panel({PANEL: [1, 2]}, 7)
