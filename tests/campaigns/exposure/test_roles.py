"""As what a campaign shows images, and whose images it keeps back from whom."""

from __future__ import annotations

import pytest

from regauge.campaigns.exposure.durations import parse_washout
from regauge.campaigns.exposure.roles import counts_for, find_hiding, find_role
from regauge.errors import InputError
from regauge.records.campaigns.campaign import TaskRole
from regauge.records.campaigns.evaluations import BLIND, TRAINS
from regauge.records.exposure.exposures import ExposureRole

EVALUATION = {BLIND: True}


def test_what_a_task_shows_its_images_as_depends_on_what_it_is_for():
    usual = ExposureRole.REVIEWER
    assert find_role(usual, {}) is usual
    assert find_role(usual, {"mode": "open"}) is usual
    assert find_role(usual, EVALUATION) is ExposureRole.LABELER
    assert find_role(usual, {TRAINS: True}) is ExposureRole.TRAINEE
    assert find_role(usual, EVALUATION, task_role=TaskRole.QUESTION) is ExposureRole.TRAINEE
    assert find_role(usual, {}, task_role=TaskRole.REPEAT) is usual


def test_the_tasks_of_a_campaign_do_not_count_against_its_own_washout_but_its_cards_do():
    assert not counts_for(3, ExposureRole.LABELER, own=3)
    assert counts_for(2, ExposureRole.LABELER, own=3)
    assert counts_for(3, ExposureRole.CARD, own=3)
    assert counts_for(3, ExposureRole.TRAINEE, own=3)
    assert counts_for(0, ExposureRole.MANAGER, own=3)


def test_an_evaluation_for_everybody_hides_from_all_but_those_who_make_the_labels():
    planned = {1: EVALUATION, 2: {TRAINS: True}, 3: {}}
    found = {role: find_hiding(planned, [7], role=role) for role in ExposureRole}
    assert {role for role, hiding in found.items() if hiding == ()} == {ExposureRole.REVIEWER, ExposureRole.PANELIST}
    assert set(found.values()) == {(), (1,)}


def test_an_evaluation_with_a_panel_hides_from_its_panel_alone_whatever_they_do():
    planned = {1: {**EVALUATION, "panel": [7, 9]}}
    assert find_hiding(planned, [7], role=ExposureRole.REVIEWER) == (1,)
    assert find_hiding(planned, [8], role=ExposureRole.ANNOTATOR) == ()
    # Another name of somebody on the panel.
    assert find_hiding(planned, [8, 9], role=ExposureRole.ANNOTATOR) == (1,)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("180d", 180),
        ("1 day", 1),
        ("26W", 182),
        ("6m", 180),
        ("2 months", 60),
        ("1y", 365),
        ("", 0),
        ("0", 0),
        ("0d", 0),
    ],
)
def test_a_washout_is_written_as_people_write_times(text, days):
    assert parse_washout(text) == days


@pytest.mark.parametrize("text", ["six months", "180", "-3d", "1.5y", "d", "180 d d", "99999y", "٣d", "3d; drop"])
def test_what_is_no_time_is_refused_with_the_rule(text):
    with pytest.raises(InputError, match="180d, 26w, 6m or 1y"):
        parse_washout(text)
