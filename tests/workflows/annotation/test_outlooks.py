"""What people are told to have before them, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.workflows.annotation.test_repeats import add_repeated, find_repeated, label
from tests.workflows.campaign_studies import (
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)
from tests.workflows.platform_visitors import add_recruiting, change_terms, come, take_share
from tests.workflows.quiz_campaigns import add_known

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.terms import Newness, Pay
from regauge.recruitment.outlooks import MOST_TOLD, Outlook
from regauge.storage.campaigns.campaign import get_campaign
from regauge.workflows.annotation import outlooks
from regauge.workflows.annotation.outlooks import find_outlook, foresee_work
from regauge.workflows.annotation.tasks import get_seat
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.estimates import find_task_time
from regauge.workflows.campaigns.openings import close_campaign
from regauge.workflows.people.visitors import count_remaining
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def look(study: Study, campaign: CampaignEntry, who: int) -> Outlook:
    with study.read() as reading:
        entry = get_campaign(reading, campaign.id)
        seat = get_seat(reading, campaign.id, annotator_id=who, came_at=get_clock(study).moment.timestamp())
        found = find_outlook(reading, seat, annotator_id=who, time=find_task_time(reading, entry))
        return found.limit(count_remaining(reading, entry, annotator_id=who))


def test_what_is_left_falls_with_every_answer_and_with_what_others_do(pictured):
    campaign = change_terms(pictured, add_contains(pictured, quota=1), pay=Pay(0.4, "USD"))
    people = add_people(pictured, campaign, 2)
    first, second = (one.annotator.id for one in people)
    # Before anybody answered: eight images at 1.25 s, as the campaign is priced; eight tasks of ten seconds are a minute.
    assert look(pictured, campaign, first).words == "8 tasks: about 1 minute, 3.20 USD"
    for _ in range(6):
        (task,) = take(pictured, campaign, people[0])
        answer(pictured, make_answer(task))
    assert look(pictured, campaign, first).words == "6 of 8 done · the other 2: about 20 seconds, 0.80 USD"
    assert look(pictured, campaign, second).words == "2 tasks: about 20 seconds, 0.80 USD"
    # Whoever has a task has it before them; for the other it is gone.
    take(pictured, campaign, people[1])
    assert [look(pictured, campaign, one).n_left for one in (first, second)] == [1, 2]
    assert look(pictured, campaign, first).words == "6 of 7 done · the last one: about 10 seconds, 0.40 USD"


def test_the_time_is_that_which_answers_took(pictured):
    campaign = add_contains(pictured, quota=5)
    people = add_people(pictured, campaign, 5)
    for who in people[:4]:
        for _ in range(8):
            get_clock(pictured).jump(60)
            (task,) = take(pictured, campaign, who)
            get_clock(pictured).jump(60)
            answer(pictured, replace(make_answer(task), seconds=45.0))
    assert look(pictured, campaign, people[4].annotator.id).seconds == pytest.approx(45.0)
    assert look(pictured, campaign, people[4].annotator.id).words == "8 tasks: about 6 minutes"
    assert look(pictured, campaign, people[0].annotator.id).words == "8 tasks done, none left at the moment"


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_the_number_tells_no_hidden_repeat_from_new_work(pictured, tmp_path, share):
    add_known(pictured, tmp_path)
    campaign = add_repeated(pictured, share)
    (person,) = add_people(pictured, campaign, 1)
    told = [look(pictured, campaign, person.annotator.id)]
    given: list[Any] = []
    while taken := take(pictured, campaign, person):
        get_clock(pictured).jump(1)
        answer(pictured, *(label(one) for one in taken))
        given += taken
        told.append(look(pictured, campaign, person.annotator.id))
    assert find_repeated(pictured, campaign, given)
    assert {one.n_left for one in told} == {None}


def test_people_from_a_platform_are_told_their_share_and_not_what_others_pay(pictured):
    campaign = change_terms(pictured, add_recruiting(pictured, n_tasks=2), pay=Pay(0.4, "USD"))
    who = come(pictured, campaign)
    assert look(pictured, campaign, who.annotator.id).words == "2 tasks: about 20 seconds"
    (task, _) = take_share(pictured, who)
    answer(pictured, make_answer(task))
    assert look(pictured, campaign, who.annotator.id).n_left == 1


def test_nobody_is_told_a_number_that_is_not_known(pictured, monkeypatch):
    campaign = change_terms(pictured, add_contains(pictured), newness=Newness.REQUIRED, pay=Pay(0.4, "USD"))
    (person,) = add_people(pictured, campaign, 1)
    assert look(pictured, campaign, person.annotator.id).words == "about 10 seconds and 0.40 USD per task"
    campaign = change_terms(pictured, campaign, newness=Newness.PREFERRED)
    assert look(pictured, campaign, person.annotator.id).n_left == 8 < MOST_TOLD
    monkeypatch.setattr(outlooks, "MOST_TOLD", 7)
    assert look(pictured, campaign, person.annotator.id).n_left is None


def test_whoever_gets_no_tasks_is_told_so(pictured):
    campaign = add_contains(pictured)
    first, second = add_people(pictured, campaign, 2)
    with pictured.begin() as begun:
        drop_annotator(begun, campaign.name, annotator=first.annotator.name, reason="careless")
    assert look(pictured, campaign, first.annotator.id).words == "about 10 seconds per task"
    with pictured.begin() as begun:
        close_campaign(begun, campaign.name)
    assert look(pictured, campaign, second.annotator.id).n_left == 0


def test_those_who_only_look_are_told_what_a_task_takes_and_pays(pictured):
    campaign = change_terms(pictured, add_contains(pictured), pay=Pay(0.004, "EUR"))
    with pictured.read() as reading:
        assert (
            foresee_work(campaign, find_task_time(reading, campaign)).words == "about 10 seconds and 0.004 EUR per task"
        )


@pytest.mark.parametrize(
    ("outlook", "words"),
    [
        (Outlook(0), ""),
        (Outlook(3), "3 tasks done"),
        (Outlook(0, 1), "1 task"),
        (Outlook(2, 5), "2 of 7 done"),
        (Outlook(3, None, 40.0, 0.05, "USD"), "3 tasks done · about 40 seconds and 0.05 USD per task"),
        (Outlook(1_000, 200, 18.0), "1,000 of 1,200 done · the other 200: about 1 hour"),
    ],
)
def test_what_is_not_known_is_left_out(outlook, words):
    assert outlook.words == words
