"""Dropping annotators and taking them back, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.answer_rows import read_answers, read_responses
from tests.workflows.campaign_studies import (
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, ResponseStatus
from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.campaigns.decisions import list_decisions
from regauge.storage.events import list_events
from regauge.workflows.campaigns.assigning import drop_annotator, restore_annotator
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def work_through(study: Study, campaign: CampaignEntry, person: Invitation, *, most: int = 100) -> int:
    """Answer until there is nothing left, or enough is done; how many tasks that were."""
    n = 0
    while n < most and (taken := take(study, campaign, person)):
        answer(study, *(make_answer(task) for task in taken))
        n += len(taken)
    return n


def drop(study: Study, person: Invitation, reason: str = "guesses") -> None:
    with study.begin() as begun:
        drop_annotator(begun, "grids", annotator=person.annotator.name, reason=reason)


def restore(study: Study, person: Invitation) -> None:
    with study.begin() as begun:
        restore_annotator(begun, "grids", annotator=person.annotator.name, reason="a mistake of ours")


def list_statuses(study: Study, campaign: CampaignEntry, person: Invitation) -> set[ResponseStatus]:
    with study.read() as reading:
        return {one.status for one in read_responses(reading, campaign) if one.annotator == person.annotator.name}


def count_done(study: Study, campaign: CampaignEntry) -> int:
    with study.read() as reading:
        return measure_progress(reading, campaign).n_done


def test_tasks_of_somebody_who_is_dropped_reopen_until_others_have_answered_them(pictured):
    campaign = add_contains(pictured, quota=2)
    first, second, third = add_people(pictured, campaign, 3)
    for person in (first, second):
        assert work_through(pictured, campaign, person) == campaign.n_tasks
    assert work_through(pictured, campaign, third) == 0
    drop(pictured, first)
    assert count_done(pictured, campaign) == 0
    assert list_statuses(pictured, campaign, first) == {ResponseStatus.DROPPED}
    assert work_through(pictured, campaign, third) == campaign.n_tasks
    assert count_done(pictured, campaign) == campaign.n_tasks
    with pictured.read() as reading:
        assert {one.annotator for one in read_answers(reading, "grids").answers} == {
            second.annotator.name,
            third.annotator.name,
        }


def test_somebody_who_is_dropped_gets_no_tasks_and_late_answers_do_not_count(pictured):
    campaign = add_contains(pictured, quota=2)
    (person,) = add_people(pictured, campaign, 1)
    (task,) = take(pictured, campaign, person)
    drop(pictured, person)
    assert take(pictured, campaign, person) == ()
    assert answer(pictured, make_answer(task))[0].status is ResponseStatus.DROPPED
    restore(pictured, person)
    assert list_statuses(pictured, campaign, person) == {ResponseStatus.COUNTED}
    assert take(pictured, campaign, person)


def test_surplus_answers_take_the_place_of_dropped_ones(pictured):
    campaign = add_contains(pictured, quota=1)
    first, second = add_people(pictured, campaign, 2)
    (task,) = take(pictured, campaign, first)
    get_clock(pictured).jump(10_000)
    (same,) = take(pictured, campaign, second)
    assert same.task_id == task.task_id
    assert answer(pictured, make_answer(same))[0].status is ResponseStatus.COUNTED
    assert answer(pictured, make_answer(task))[0].status is ResponseStatus.SURPLUS
    drop(pictured, second)
    assert list_statuses(pictured, campaign, first) == {ResponseStatus.COUNTED}
    restore(pictured, second)
    assert list_statuses(pictured, campaign, second) == {ResponseStatus.SURPLUS}


def test_every_decision_keeps_its_reason_and_grows_the_generation(pictured):
    campaign = add_contains(pictured)
    (person,) = add_people(pictured, campaign, 1)
    drop(pictured, person, reason=" missed the controls ")
    restore(pictured, person)
    with pictured.read() as reading:
        found = list_decisions(reading, campaign)
        events = [(event.what, event.parameters["reason"]) for event in list_events(reading)[-2:]]
    assert [(one.annotator, one.is_dropped, one.reason) for one in found] == [
        (person.annotator.name, True, "missed the controls"),
        (person.annotator.name, False, "a mistake of ours"),
    ]
    assert events == [("annotator drop", "missed the controls"), ("annotator restore", "a mistake of ours")]


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("annotator", "reason", "message"),
    [
        ("nobody", "x", "There is no annotator 'nobody'"),
        ("annotator-0001", "  ", "Say why"),
        ("annotator-0001", "x" * 2_000, "Say why"),
    ],
)
def test_what_cannot_be_decided_is_refused_in_a_sentence(pictured, annotator, reason, message):
    campaign = add_contains(pictured)
    add_people(pictured, campaign, 1)
    with pictured.begin() as begun, pytest.raises(InputError, match=message):
        drop_annotator(begun, "grids", annotator=annotator, reason=reason)


def test_nobody_is_dropped_twice_or_restored_without_having_been_dropped(pictured):
    campaign = add_contains(pictured)
    (person,) = add_people(pictured, campaign, 1)
    with pytest.raises(InputError, match="is not dropped in campaign grids"):
        restore(pictured, person)
    drop(pictured, person)
    with pytest.raises(InputError, match="is dropped already in campaign grids"):
        drop(pictured, person)
