"""People from platforms: the same person under the same name, a share and no more, and codes for those who earned them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import LEASE, add_contains, add_people, get_clock, make_pictured, take
from tests.workflows.platform_visitors import (
    ASSIGNMENT,
    DONE,
    OTHER_PID,
    OUT,
    PID,
    SESSION,
    WORKER,
    add_recruiting,
    change_terms,
    come,
    finish,
    give_back,
    take_share,
    work,
)

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, Platform
from regauge.records.campaigns.terms import Prolific
from regauge.records.campaigns.visits import Arrival, VisitState
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.people.visits import count_visits
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.openings import close_campaign
from regauge.workflows.people.identities import check_receipt
from regauge.workflows.people.visitors import admit, count_remaining, finish_visit
from regauge.workflows.people.visits import describe_visits
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


@pytest.fixture
def campaign(pictured: Study) -> CampaignEntry:
    return add_recruiting(pictured)


def test_the_same_person_has_the_same_name_and_goes_on(pictured, campaign):
    first = come(pictured, campaign)
    again = come(pictured, campaign)
    other = come(pictured, campaign, OTHER_PID)
    assert again == first
    assert other.annotator.name != first.annotator.name
    assert first.annotator.platform is Platform.PROLIFIC
    assert first.annotator.name.startswith("prolific-")
    assert PID not in first.annotator.name


def test_a_worker_and_a_participant_of_one_id_are_two_people(pictured, campaign):
    names = {come(pictured, campaign, PID, platform=one).annotator.name for one in (Platform.PROLIFIC, Platform.MTURK)}
    assert len(names) == 2


def test_nobody_is_given_more_than_their_share(pictured, campaign):
    who = come(pictured, campaign)
    assert len(take_share(pictured, who)) == 2
    assert work(pictured, who, 5) == 2
    assert take_share(pictured, who) == ()


def test_whoever_did_their_share_gets_the_code_as_often_as_they_ask(pictured, campaign):
    who = come(pictured, campaign)
    work(pictured, who, 2)
    first, again = finish(pictured, who), finish(pictured, who)
    assert (first.state, first.code, first.n_done) == (VisitState.COMPLETED, DONE, 2)
    assert again == first


def test_whoever_can_go_on_gets_no_code(pictured, campaign):
    who = come(pictured, campaign)
    work(pictured, who, 1)
    found = finish(pictured, who)
    assert (found.state, found.code, found.n_done) == (VisitState.STARTED, "", 1)


def test_whoever_found_less_than_their_share_has_completed_it(pictured):
    campaign = add_recruiting(pictured, n_tasks=50)
    who = come(pictured, campaign)
    assert work(pictured, who, 50) == campaign.n_tasks
    found = finish(pictured, who)
    assert (found.state, found.code, found.n_done) == (VisitState.COMPLETED, DONE, campaign.n_tasks)


def test_whoever_found_nothing_to_do_is_screened_out(pictured):
    campaign = add_recruiting(pictured, n_tasks=50, quota=1)
    work(pictured, come(pictured, campaign), 50)
    late = come(pictured, campaign, OTHER_PID)
    found = finish(pictured, late)
    assert (found.state, found.code) == (VisitState.SCREENED_OUT, OUT)


def test_whoever_has_not_agreed_yet_can_still_go_on(pictured, campaign):
    with pictured.begin() as begun:
        found = admit(begun, campaign.id, Arrival(Platform.PROLIFIC, PID, ""))
    assert finish(pictured, found).state is VisitState.STARTED


def test_without_a_code_for_the_screened_out_there_is_none(pictured):
    campaign = change_terms(pictured, add_recruiting(pictured), prolific=Prolific(DONE))
    who = come(pictured, campaign)
    with pictured.begin() as begun:
        close_campaign(begun, campaign.name)
    found = finish(pictured, who)
    assert (found.state, found.code) == (VisitState.SCREENED_OUT, "")


def test_somebody_who_was_dropped_half_way_does_not_complete(pictured, campaign):
    who = come(pictured, campaign)
    work(pictured, who, 1)
    with pictured.begin() as begun:
        drop_annotator(begun, campaign.id, annotator=who.annotator.id, reason="too fast")
    assert finish(pictured, who).code == OUT


def test_somebody_who_was_dropped_after_their_share_did_their_share(pictured, campaign):
    who = come(pictured, campaign)
    work(pictured, who, 2)
    with pictured.begin() as begun:
        drop_annotator(begun, campaign.id, annotator=who.annotator.id, reason="too fast")
    assert finish(pictured, who).code == DONE


def test_returning_gives_the_tasks_to_others_at_once(pictured):
    campaign = add_recruiting(pictured, n_tasks=0, quota=1)
    who, other = come(pictured, campaign), come(pictured, campaign, OTHER_PID)
    held = take_share(pictured, who, 5)
    found = give_back(pictured, who)
    assert (found.state, found.code) == (VisitState.RETURNED, "")
    assert {one.task_id for one in held} & {one.task_id for one in take_share(pictured, other, 5)}
    assert take_share(pictured, who) == ()
    with pytest.raises(InputError, match="already ended"):
        give_back(pictured, who)


def test_whoever_returned_by_mistake_and_comes_back_goes_on_with_what_they_had_done(pictured, campaign):
    who = come(pictured, campaign)
    work(pictured, who, 1)
    give_back(pictured, who)
    again = come(pictured, campaign)
    assert again.visit.is_open
    assert work(pictured, again, 5) == 1
    assert finish(pictured, again).n_done == 2


def test_a_second_visit_is_a_second_share_and_every_task_is_paid_for_once(pictured, campaign):
    for reference in ("first", "second"):
        who = come(pictured, campaign, reference=reference)
        assert work(pictured, who, 5) == 2
        assert finish(pictured, who).n_done == 2


def test_two_visits_at_once_are_paid_for_one_after_the_other(pictured, campaign):
    one, two = (come(pictured, campaign, WORKER, reference=f"{ASSIGNMENT}{n}", platform=Platform.MTURK) for n in "12")
    assert work(pictured, one, 9) == 2
    assert finish(pictured, one).n_done == 2
    assert work(pictured, two, 9) == 2
    assert finish(pictured, two).n_done == 2


def test_an_assignment_that_was_given_up_does_not_make_the_next_one_longer(pictured, campaign):
    come(pictured, campaign, WORKER, reference="3GIVENUP", platform=Platform.MTURK)
    who = come(pictured, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    assert work(pictured, who, 9) == 2
    assert finish(pictured, who).state is VisitState.COMPLETED


def test_whoever_is_at_work_when_the_campaign_is_closed_is_paid_for_what_they_did(pictured, campaign):
    who, idle = come(pictured, campaign), come(pictured, campaign, OTHER_PID)
    work(pictured, who, 1)
    with pictured.begin() as begun:
        close_campaign(begun, campaign.name)
        closed = get_campaign(begun, campaign.id)
        assert count_remaining(begun, closed, annotator_id=who.annotator.id) == 0
    found = finish(pictured, who)
    assert (found.state, found.code, found.n_done) == (VisitState.COMPLETED, DONE, 1)
    assert finish(pictured, idle).code == OUT


def test_one_share_does_not_pay_for_two_visits(pictured, campaign):
    one, two = (come(pictured, campaign, WORKER, reference=f"{ASSIGNMENT}{n}", platform=Platform.MTURK) for n in "12")
    work(pictured, one, 2)
    assert finish(pictured, one).state is VisitState.COMPLETED
    assert finish(pictured, two).state is VisitState.STARTED


def test_a_receipt_names_the_visit_and_cannot_be_made_up(pictured, campaign):
    who = come(pictured, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    work(pictured, who, 2)
    receipt = finish(pictured, who).code
    assert check_receipt(pictured, receipt) == (who.visit.id, 2)
    for forged in (
        receipt.replace(".2.", ".9."),
        receipt[:-1] + ("0" if receipt[-1] != "0" else "1"),
        "",
        "1.2",
        "é.1.2",
    ):
        with pytest.raises(InputError, match="not a receipt"):
            check_receipt(pictured, forged)


def test_a_campaign_takes_people_only_from_where_its_terms_say(pictured):
    campaign = add_contains(pictured)
    for platform in (Platform.PROLIFIC, Platform.MTURK):
        with pytest.raises(InputError, match="does not take people from"), pictured.begin() as begun:
            admit(begun, campaign.id, Arrival(platform, PID, "x"))


def test_a_closed_campaign_lets_back_in_those_who_were_there_and_nobody_else(pictured, campaign):
    who = come(pictured, campaign)
    with pictured.begin() as begun:
        close_campaign(begun, campaign.name)
        assert admit(begun, campaign.id, Arrival(Platform.PROLIFIC, PID, SESSION)).visit.id == who.visit.id
    with pytest.raises(InputError, match="closed"), pictured.begin() as begun:
        admit(begun, campaign.id, Arrival(Platform.PROLIFIC, OTHER_PID, "x"))


def test_people_by_link_have_no_share_and_no_visit(pictured, campaign):
    (one,) = add_people(pictured, campaign, 1)
    with pictured.begin() as begun:
        assert count_remaining(begun, campaign, annotator_id=one.annotator.id) is None
        assert finish_visit(begun, campaign.id, annotator_id=one.annotator.id) is None
    assert len(take(pictured, campaign, one, 5)) == 5


def test_whoever_came_for_one_campaign_gets_nothing_of_another(pictured, campaign):
    who = come(pictured, campaign)
    other = add_recruiting(pictured, "others")
    with pictured.begin() as begun:
        assert count_remaining(begun, other, annotator_id=who.annotator.id) == 0


def test_visits_are_listed_with_what_was_done_so_far(pictured, campaign):
    who, other = come(pictured, campaign), come(pictured, campaign, OTHER_PID)
    work(pictured, who, 2)
    finish(pictured, who)
    work(pictured, other, 1)
    get_clock(pictured).jump(LEASE)
    with pictured.read() as reading:
        found = describe_visits(reading, campaign.name)
        counts = count_visits(reading, campaign)
    assert [(one.annotator, one.state, one.n_done) for one in found] == [
        (who.annotator.name, VisitState.COMPLETED, 2),
        (other.annotator.name, VisitState.STARTED, 1),
    ]
    assert counts == {
        VisitState.STARTED: 1,
        VisitState.WAITING: 0,
        VisitState.COMPLETED: 1,
        VisitState.FAILED: 0,
        VisitState.SCREENED_OUT: 0,
        VisitState.RETURNED: 0,
    }
