"""Links, consent, leases and quotas, on both databases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select
from tests.workflows.answer_rows import load_tasks
from tests.workflows.campaign_studies import (
    LEASE,
    QUOTA,
    add_classify,
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, ResponseStatus, Role
from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.database.schema import annotators, assignments, consents, responses
from regauge.storage.events import list_events
from regauge.workflows.annotation.choosing import MAX_AT_ONCE, take_tasks
from regauge.workflows.annotation.showing import view_task
from regauge.workflows.annotation.tasks import (
    consent,
    find_previous,
    find_start,
    get_own_assignment,
    get_seat,
    list_seats,
)
from regauge.workflows.campaigns.openings import close_campaign, open_campaign
from regauge.workflows.campaigns.texts import revise_texts
from regauge.workflows.people.invitations import Invitation, come_in, invite, invite_many, renew_link
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def count_live(study: Study, campaign: CampaignEntry) -> int:
    with study.read() as reading:
        return measure_progress(reading, campaign).n_leased


def finish(study: Study, campaign: CampaignEntry, people: tuple[Invitation, ...]) -> None:
    """Let people work until nobody gets anything any more."""
    while sum(_work_once(study, campaign, who) for who in people):
        pass


def _work_once(study: Study, campaign: CampaignEntry, who: Invitation) -> bool:
    given = take(study, campaign, who)
    receipts = answer(study, *(make_answer(one) for one in given))
    assert all(receipt.status is ResponseStatus.COUNTED for receipt in receipts)
    return bool(given)


# Links.


def test_a_link_lets_in_whom_it_was_made_for_and_is_stored_as_a_checksum_only(pictured: Study) -> None:
    with pictured.begin() as begun:
        (made,) = invite(begun, ["Ann"])
        assert come_in(begun, made.token) == made.annotator
        assert come_in(begun, made.token[:-1]) is None
        assert come_in(begun, "") is None
        rows = begun.connection.execute(select(annotators)).all()
        events = list_events(begun)
    assert made.token not in repr(rows) + repr(events)
    assert len(bytes.fromhex(made.token)) == 24


def test_links_do_not_come_from_the_generator_of_the_study(pictured: Study, tmp_path: Path) -> None:
    expected = np.random.default_rng(0).bytes(24).hex()
    with make_pictured(tmp_path / "twin") as twin, twin.begin() as begun:
        (made,) = invite(begun, ["Ann"])
        (other,) = invite(begun, ["Bob"])
    assert expected not in {made.token, other.token}
    with pictured.begin() as begun:
        assert invite(begun, ["Ann"])[0].token != made.token


def test_a_new_link_ends_the_old_one(pictured: Study) -> None:
    with pictured.begin() as begun:
        first = renew_link(begun, "manager", role=Role.MANAGER)
        second = renew_link(begun, "manager", role=Role.MANAGER)
        assert come_in(begun, first.token) is None
        found = come_in(begun, second.token)
    assert found is not None
    assert found.role is Role.MANAGER


@pytest.mark.same_sql
@pytest.mark.parametrize("name", ["", " a", "a\n", "a\x00b", "x" * 201, "\u202eabc"])
def test_a_name_that_cannot_be_shown_is_refused(pictured: Study, name: str) -> None:
    with pytest.raises(InputError, match="printable characters"), pictured.begin() as begun:
        invite(begun, [name])


def test_nobody_else_is_called_manager(pictured: Study) -> None:
    with pytest.raises(InputError, match="is the manager of the study"), pictured.begin() as begun:
        invite(begun, ["manager"])


def test_a_name_that_is_taken_is_refused_and_nobody_is_added(pictured: Study) -> None:
    with pictured.begin() as begun:
        invite(begun, ["Ann"])
    with pytest.raises(InputError, match="'Ann'"), pictured.begin() as begun:
        invite(begun, ["Bob", "Ann"])
    with pictured.begin() as begun:
        assert [one.annotator.name for one in invite(begun, ["Bob"])] == ["Bob"]


def test_counted_names_pass_over_those_that_are_taken(pictured: Study) -> None:
    with pictured.begin() as begun:
        invite(begun, ["annotator-0002"])
        names = [one.annotator.name for one in invite_many(begun, 3)]
    assert names == ["annotator-0001", "annotator-0003", "annotator-0004"]


# Consent.


def test_without_consent_there_are_no_tasks(pictured: Study) -> None:
    entry = add_contains(pictured)
    (who,) = add_people(pictured, None, 1)
    with pytest.raises(InputError, match="agree to the text"):
        take(pictured, entry, who)


def test_a_new_text_asks_for_consent_again_and_both_are_kept(pictured: Study) -> None:
    entry = add_contains(pictured)
    (who,) = add_people(pictured, entry, 1)
    with pictured.begin() as begun:
        revise_texts(begun, "grids", consent="Agree anew?")
        assert not get_seat(begun, entry.id, annotator_id=who.annotator.id).has_consented
    with pytest.raises(InputError, match="agree to the text"):
        take(pictured, entry, who)
    with pictured.begin() as begun:
        with pytest.raises(InputError, match="has changed"):
            consent(begun, entry.id, annotator_id=who.annotator.id, version=1)
        consent(begun, entry.id, annotator_id=who.annotator.id, version=2)
        consent(begun, entry.id, annotator_id=who.annotator.id, version=2)
        versions = begun.connection.scalars(select(consents.c.version).order_by(consents.c.version)).all()
    assert versions == [1, 2]
    assert take(pictured, entry, who)


# Closed campaigns.


def test_a_closed_campaign_gives_no_tasks_and_takes_answers_to_those_that_are_out(pictured: Study) -> None:
    entry = add_contains(pictured)
    (who,) = add_people(pictured, entry, 1)
    (one,) = take(pictured, entry, who)
    with pictured.begin() as begun:
        close_campaign(begun, "grids")
    with pytest.raises(InputError, match="is closed"):
        take(pictured, entry, who)
    assert answer(pictured, make_answer(one))[0].status is ResponseStatus.COUNTED
    with pictured.begin() as begun:
        open_campaign(begun, "grids")
    assert take(pictured, entry, who)[0].task_id != one.task_id


def test_only_open_campaigns_are_offered(pictured: Study) -> None:
    add_contains(pictured, "draft", is_open=False)
    entry = add_contains(pictured)
    (who,) = add_people(pictured, entry, 1)
    with pictured.read() as reading:
        seats = list_seats(reading, who.annotator.id)
    assert [(seat.campaign.name, seat.n_answered, seat.has_consented) for seat in seats] == [("grids", 0, True)]


# Leases.


def test_whoever_asks_again_gets_what_they_have(pictured: Study) -> None:
    entry = add_contains(pictured)
    (who,) = add_people(pictured, entry, 1)
    first = take(pictured, entry, who, 2)
    assert [one.id for one in take(pictured, entry, who, 2)] == [one.id for one in first]
    assert len(take(pictured, entry, who, 99)) == MAX_AT_ONCE


def test_asking_again_keeps_a_task(pictured: Study) -> None:
    entry = add_contains(pictured, quota=1)
    first, second = add_people(pictured, entry, 2)
    (mine,) = take(pictured, entry, first)
    for _ in range(3):
        get_clock(pictured).jump(LEASE - 1)
        assert [one.id for one in take(pictured, entry, first)] == [mine.id]
    given = {one.task_id for one in take(pictured, entry, second, 5)} | {
        one.task_id for one in take(pictured, entry, second, 5)
    }
    assert mine.task_id not in given


def test_a_task_goes_to_somebody_else_when_its_lease_has_ended(pictured: Study) -> None:
    entry = add_contains(pictured, quota=1)
    first, second = add_people(pictured, entry, 2)
    (mine,) = take(pictured, entry, first)
    get_clock(pictured).jump(LEASE + 1)
    assert take(pictured, entry, second)[0].task_id == mine.task_id


def test_a_task_whose_lease_has_ended_comes_back_unless_others_took_the_room(pictured: Study) -> None:
    entry = add_contains(pictured, quota=1)
    first, second = add_people(pictured, entry, 2)
    (mine,) = take(pictured, entry, first)
    get_clock(pictured).jump(LEASE + 1)
    assert take(pictured, entry, first)[0].id == mine.id
    get_clock(pictured).jump(LEASE + 1)
    (theirs,) = take(pictured, entry, second)
    assert theirs.task_id == mine.task_id
    assert take(pictured, entry, first)[0].task_id != mine.task_id
    get_clock(pictured).jump(LEASE + 1)
    assert mine.id in {one.id for one in take(pictured, entry, first, 5)}


def test_no_task_is_out_to_more_people_than_it_needs(pictured: Study) -> None:
    entry = add_contains(pictured)
    people = add_people(pictured, entry, 12)
    given = Counter(one.task_id for who in people for one in take(pictured, entry, who, 3))
    assert max(given.values()) <= QUOTA
    assert sum(given.values()) == entry.n_tasks * QUOTA
    assert take(pictured, entry, add_people(pictured, entry, 1)[0]) == ()


def test_a_clock_that_jumps_back_keeps_no_task_for_longer_than_two_leases(pictured: Study) -> None:
    entry = add_contains(pictured, quota=1)
    first, second = add_people(pictured, entry, 2)
    clock = get_clock(pictured)
    clock.jump(365 * 24 * 3600)
    held = {one.task_id for one in take(pictured, entry, first, 5)}
    clock.jump(-365 * 24 * 3600)
    assert count_live(pictured, entry) == 0
    assert {one.task_id for one in take(pictured, entry, second, 5)} == held


def test_a_clock_that_steps_back_a_little_takes_no_task_away(pictured: Study) -> None:
    entry = add_contains(pictured, quota=1)
    first, second = add_people(pictured, entry, 2)
    held = {one.task_id for one in take(pictured, entry, first, 3)}
    get_clock(pictured).jump(-5)
    assert count_live(pictured, entry) == 3
    assert not held & {one.task_id for one in take(pictured, entry, second, 5)}


def test_nobody_ever_gets_a_task_twice_however_the_clock_jumps(pictured: Study) -> None:
    entry = add_contains(pictured)
    people = add_people(pictured, entry, 4)
    rng = np.random.default_rng(1)
    for _ in range(60):
        who = people[rng.integers(4)]
        given = take(pictured, entry, who, int(rng.integers(1, 4)))
        answer(pictured, *(make_answer(one) for one in given if rng.random() < 0.5))
        get_clock(pictured).jump(float(rng.normal(0, 2 * LEASE)))
    with pictured.read() as reading:
        pairs = reading.connection.execute(select(assignments.c.task_id, assignments.c.annotator_id)).all()
        counted = reading.connection.execute(
            select(responses.c.task_id, responses.c.annotator_id).where(responses.c.status == "counted")
        ).all()
    assert len(set(pairs)) == len(pairs)
    assert max(Counter(task_id for task_id, _ in set(counted)).values()) <= QUOTA


def test_all_tasks_get_done(pictured: Study) -> None:
    entry = add_contains(pictured)
    finish(pictured, entry, add_people(pictured, entry, 3))
    with pictured.read() as reading:
        progress = measure_progress(reading, entry)
        assert find_start(reading, entry) == entry.n_tasks
    assert (progress.n_done, progress.n_counted, progress.n_surplus) == (8, 16, 0)


def test_the_start_is_the_first_task_that_lacks_answers(pictured: Study) -> None:
    entry = add_contains(pictured, quota=1)
    (who,) = add_people(pictured, entry, 1)
    first, second, third = sorted(take(pictured, entry, who, 3), key=lambda one: one.task_id)
    answer(pictured, make_answer(first), make_answer(third))
    with pictured.read() as reading:
        assert find_start(reading, entry) == 1
    answer(pictured, make_answer(second))
    with pictured.read() as reading:
        assert find_start(reading, entry) == 3
        assert find_start(reading, entry, start=2) == 3


# Independence.


def test_tasks_with_images_that_somebody_has_seen_come_last(pictured: Study) -> None:
    entry = add_contains(pictured, quota=5)
    (who,) = add_people(pictured, entry, 1)
    with pictured.read() as reading:
        open_tasks = {
            number: {image for image, _ in task["cells"]} for number, task in load_tasks(reading, entry).items()
        }
    seen: set[int] = set()
    in_order = True
    while open_tasks:
        (one,) = take(pictured, entry, who)
        fewest = min(len(seen & images) for images in open_tasks.values())
        in_order = in_order and one.task_id == min(open_tasks)
        assert len(seen & open_tasks[one.task_id]) == fewest
        seen |= open_tasks.pop(one.task_id)
        answer(pictured, make_answer(one))
    assert not in_order


# Looking at tasks.


def test_an_assignment_is_shown_to_its_owner_only(pictured: Study) -> None:
    entry = add_contains(pictured)
    first, second = add_people(pictured, entry, 2)
    (one,) = take(pictured, entry, first)
    with pictured.read() as reading:
        found = get_own_assignment(reading, one.id, annotator_id=first.annotator.id)[1]
        assert (found.id, found.payload) == (one.id, one.payload)
        with pytest.raises(InputError, match="no such assignment of yours"):
            get_own_assignment(reading, one.id, annotator_id=second.annotator.id)


def test_the_order_of_candidates_is_the_annotators_own_and_stays(pictured: Study) -> None:
    entry = add_classify(pictured, quota=40)
    people = add_people(pictured, entry, 30)
    orders = set()
    for who in people:
        one = take(pictured, entry, who)[0]
        views = [view_task(pictured, one, entry)["candidates"] for _ in range(2)]
        assert views[0] == views[1]
        orders.add(tuple(shown["class"] for shown in views[0]))
    assert len(orders) > 3


def test_the_previous_answer_is_the_last_one_with_its_last_revision(pictured: Study) -> None:
    entry = add_contains(pictured)
    (who,) = add_people(pictured, entry, 1)
    first, second = take(pictured, entry, who, 2)
    number = who.annotator.id
    with pictured.read() as reading:
        assert find_previous(reading, entry.id, annotator_id=number) is None
    answer(pictured, make_answer(first, "1"))
    answer(pictured, make_answer(second, "2"))
    answer(pictured, make_answer(second, "4", revision=2), make_answer(second, "8", revision=1))
    with pictured.read() as reading:
        found = find_previous(reading, entry.id, annotator_id=number)
    assert found is not None
    assert (found.id, found.revision, dict(found.answer or {})["mask"]) == (second.id, 2, "4")


def test_taking_needs_a_campaign_that_exists(pictured: Study) -> None:
    with pytest.raises(InputError, match="no such campaign"), pictured.begin() as begun:
        take_tasks(begun, 77, annotator_id=1)
