"""Everybody page by page, what a drop would do, and who did what, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
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
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.responses.quality import ListPage
from regauge.storage.campaigns.campaign import measure_progress
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.openings import close_campaign
from regauge.workflows.people.directory import foresee_drop, list_people
from regauge.workflows.people.invitations import Invitation, invite
from regauge.workflows.studies.audit import act_for, list_log
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def work_through(study: Study, campaign: CampaignEntry, person: Invitation) -> None:
    while taken := take(study, campaign, person):
        answer(study, *(make_answer(task) for task in taken))


def test_people_come_newest_first_with_the_campaigns_that_they_agreed_to(pictured: Study) -> None:
    grids = add_contains(pictured)
    agreed = add_people(pictured, grids, 3)
    others = add_people(pictured, None, 2)
    with pictured.read() as reading:
        found = list_people(reading, ListPage(limit=4))
        rest = list_people(reading, ListPage(offset=4, limit=4))
    assert (found.n, found.n_all, len(found.rows), len(rest.rows)) == (5, 5, 4, 1)
    newest = [one.annotator.name for one in (*agreed, *others)][::-1]
    assert [one.entry.name for one in (*found.rows, *rest.rows)] == newest
    assert [len(one.campaigns) for one in (*found.rows, *rest.rows)] == [0, 0, 1, 1, 1]


def test_a_name_is_found_by_any_part_of_it_and_signs_stand_for_themselves(pictured: Study) -> None:
    with pictured.begin() as begun:
        invite(begun, ["Ada_1", "ada 2", "50%", "Bob"])
    for name, expected in (("ADA", 2), ("_", 1), ("%", 1), ("\\", 0), ("'; --", 0), ("", 4)):
        with pictured.read() as reading:
            assert (name, list_people(reading, ListPage(), name=name).n) == (name, expected)


def test_what_a_drop_would_do_is_what_it_does(pictured: Study) -> None:
    # Two answers to each of eight grids. The third person answers four of them while the second still holds them: surplus.
    grids = add_contains(pictured)
    first, second, third = add_people(pictured, grids, 3)
    held = take(pictured, grids, second, n=4)
    get_clock(pictured).jump(10_000)
    work_through(pictured, grids, first)
    work_through(pictured, grids, third)
    answer(pictured, *(make_answer(task) for task in held))
    with pictured.read() as reading:
        effect = foresee_drop(reading, grids.id, annotator=first.annotator.id)
        before = measure_progress(reading, grids)
    assert (before.n_counted, before.n_surplus) == (16, 4)
    assert (effect.annotator.name, effect.n_answers, effect.n_reopened) == (first.annotator.name, 8, 4)
    with pictured.begin() as begun:
        drop_annotator(begun, grids.id, annotator=first.annotator.id, reason="guesses")
    with pictured.read() as reading:
        after = measure_progress(reading, grids)
        again = foresee_drop(reading, grids.id, annotator=first.annotator.id)
    assert before.n_counted - after.n_counted == effect.n_reopened
    assert (again.n_answers, again.n_reopened) == (0, 0)


def test_a_drop_of_nobody_is_refused(pictured: Study) -> None:
    grids = add_contains(pictured)
    with pictured.read() as reading, pytest.raises(InputError, match="There is no annotator 99"):
        foresee_drop(reading, grids.id, annotator=99)


def test_the_log_says_who_did_what_and_why_the_newest_first(pictured: Study) -> None:
    add_contains(pictured)
    with pictured.begin() as begun:
        close_campaign(act_for(begun, "the manager", why="enough"), "grids")
    with pictured.read() as reading:
        everything = list_log(reading, ListPage())
        first = list_log(reading, ListPage(limit=1))
        mine = list_log(reading, ListPage(), who="the manager")
        created = list_log(reading, ListPage(), what="campaign create")
        nothing = list_log(reading, ListPage(), what="campaign create", who="the manager")
        beyond = list_log(reading, ListPage(offset=1_000))
    (event,) = first.rows
    assert (event.what, event.who, event.reason) == ("campaign closed", "the manager", "enough")
    assert everything.n == len(everything.rows) > 3
    assert mine.rows == first.rows
    assert [(one.who, one.reason) for one in created.rows] == [("tester", "")]
    assert (nothing.n, nothing.rows, beyond.rows, beyond.n) == (0, (), (), everything.n)
    assert "campaign closed" in nothing.whats
    assert set(everything.people) == {"tester", "the manager"}
