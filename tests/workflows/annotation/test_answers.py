"""Answers are stored once, count while there is room, and are never changed, on both databases."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select
from tests.workflows.answer_rows import read_answers
from tests.workflows.campaign_studies import (
    LEASE,
    add_classify,
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.errors import StorageError
from regauge.records.campaigns.campaign import Assignment, AssignmentId, NewAnswer, Receipt, ResponseStatus
from regauge.records.responses.submissions import MAX_REVISIONS
from regauge.responses.submissions import OTHER_CONTENT, TOO_MANY
from regauge.storage.campaigns import responses as module
from regauge.storage.database.batches import fetch_rows
from regauge.storage.database.schema import events, responses
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.studies.study import Study

COUNTED, SURPLUS = ResponseStatus.COUNTED, ResponseStatus.SURPLUS


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def list_rows(study: Study) -> list[tuple[str, str, int, str]]:
    columns = (responses.c.client_id, responses.c.status, responses.c.revision, responses.c.answer)
    with study.read() as reading:
        found = reading.connection.execute(select(*columns).order_by(responses.c.id)).all()
    return [(row[0], row[1], row[2], row[3]["mask"]) for row in found]


def test_an_answer_is_stored_once_however_often_it_comes(pictured: Study) -> None:
    entry = add_contains(pictured)
    (one,) = take(pictured, entry, add_people(pictured, entry, 1)[0])
    sent = make_answer(one, "5")
    together = answer(pictured, sent, sent)
    again = answer(pictured, sent)
    assert [receipt.status for receipt in (*together, *again)] == [COUNTED] * 3
    assert list_rows(pictured) == [(sent.client_id, "counted", 0, "5")]


@pytest.mark.parametrize("seconds", [0.1 + 0.2, 26.285388339012343, 100 / 3, 1e-320, 9_999_999.999999998])
def test_an_answer_whose_time_has_many_digits_may_come_again_too(pictured: Study, seconds: float) -> None:
    entry = add_contains(pictured)
    (one,) = take(pictured, entry, add_people(pictured, entry, 1)[0])
    sent = replace(make_answer(one), seconds=seconds)
    assert [answer(pictured, sent)[0].status for _ in range(3)] == [COUNTED] * 3
    assert len(list_rows(pictured)) == 1


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("change", [{"answer": {"mask": "6"}}, {"revision": 1}, {"seconds": 9.0}, {"seconds": None}])
def test_an_id_that_comes_again_with_other_content_is_refused(
    pictured: Study, change: dict[str, Any], together: bool
) -> None:
    entry = add_contains(pictured)
    (one,) = take(pictured, entry, add_people(pictured, entry, 1)[0])
    first = make_answer(one, "5", client_id="the-same-id")
    other = replace(first, **change)
    sent = [first, other, first]
    receipts = answer(pictured, *sent) if together else tuple(answer(pictured, each)[0] for each in sent)
    assert receipts[0] == receipts[2] == Receipt("the-same-id", COUNTED)
    assert receipts[1] == Receipt("the-same-id", None, OTHER_CONTENT)
    assert [row[3] for row in list_rows(pictured)] == ["5"]


@pytest.mark.parametrize("together", [True, False])
def test_an_answer_can_be_changed_fifty_times(pictured: Study, together: bool) -> None:
    entry = add_contains(pictured)
    (one, other) = take(pictured, entry, add_people(pictured, entry, 1)[0], 2)
    sent = [make_answer(one, "1", revision=revision) for revision in range(MAX_REVISIONS + 3)]
    receipts = answer(pictured, *sent) if together else tuple(answer(pictured, each)[0] for each in sent)
    assert [receipt.status is not None for receipt in receipts] == [True] * (MAX_REVISIONS + 1) + [False] * 2
    assert receipts[-1].refusal == TOO_MANY
    # What is there is acknowledged as before, and other tasks go on.
    again = answer(pictured, sent[0], sent[MAX_REVISIONS], make_answer(other))
    assert [receipt.status for receipt in again] == [COUNTED] * 3
    assert len(list_rows(pictured)) == MAX_REVISIONS + 2


def test_a_batch_reads_few_rows_however_many_there_are_to_its_tasks(pictured: Study) -> None:
    """As it was before there was a limit: 10,000 answers of one person to a task that others answer, too."""
    entry = add_contains(pictured, quota=5)
    first, second = add_people(pictured, entry, 2)
    (one,), (other,) = take(pictured, entry, first), take(pictured, entry, second)
    assert one.task_id == other.task_id
    answer(pictured, make_answer(one))
    with pictured.begin() as begun:
        row = dict(begun.connection.execute(select(responses)).mappings().one())
        del row["id"]
        many = [{**row, "client_id": f"many-{number}"} for number in range(2, 10_001)]
        begun.connection.execute(insert(responses), many)
    fetched: list[int] = []
    with pictured.begin() as begun, counting_rows(fetched):
        kept = submit_answers(begun, [make_answer(other), make_answer(one, revision=1)])
    assert [receipt.status for receipt in kept] == [COUNTED, None]
    # Two assignments, a task, nothing known; and two people's time.
    assert sum(fetched) <= 6


@contextmanager
def counting_rows(fetched: list[int]) -> Iterator[None]:
    """Write down how many rows every look into the database gives."""
    fetch = fetch_rows

    def count(*given: Any) -> Any:
        rows = fetch(*given)
        fetched.append(len(rows))
        return rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "fetch_rows", count)
        yield


def list_times(study: Study) -> list[tuple[float | None, float | None]]:
    """What every answer claims, and what it is credited with."""
    with study.read() as reading:
        query = select(responses.c.claimed_seconds, responses.c.seconds).order_by(responses.c.id)
        return [(row[0], row[1]) for row in reading.connection.execute(query)]


@pytest.mark.parametrize("together", [True, False])
def test_tasks_that_are_held_together_share_the_time_that_there_was(pictured: Study, together: bool) -> None:
    entry = add_contains(pictured)
    (who,) = add_people(pictured, entry, 1)
    held = take(pictured, entry, who, 5)
    get_clock(pictured).jump(0.21)
    sent = [replace(make_answer(one), seconds=45.0) for one in held]
    for batch in [sent] if together else [[each] for each in sent]:
        answer(pictured, *batch)
    claimed, credited = zip(*list_times(pictured), strict=True)
    assert set(claimed) == {45.0}
    # The first was leased four milliseconds before the last.
    assert 0.2 < sum(credited) <= 0.214


def test_time_is_not_credited_twice_over_batches_campaigns_and_revisions(pictured: Study) -> None:
    grids, more = add_contains(pictured), add_contains(pictured, "more")
    (who,) = add_people(pictured, grids, 1)
    with pictured.begin() as begun:
        consent(begun, more.id, annotator_id=who.annotator.id, version=1)
    (one,), (other,) = take(pictured, grids, who), take(pictured, more, who)
    get_clock(pictured).jump(60)
    answer(pictured, replace(make_answer(one), seconds=50.0))
    answer(pictured, replace(make_answer(other), seconds=50.0))
    get_clock(pictured).jump(10)
    # A revision claims the time of the answer before it, too: 50 and 8 more.
    answer(pictured, replace(make_answer(one, revision=1), seconds=58.0))
    answer(pictured, replace(make_answer(one, revision=2), seconds=None))
    assert list_times(pictured) == [(50.0, 50.0), (50.0, 10.0), (58.0, 58.0), (None, None)]


def test_answers_that_come_late_keep_their_time(pictured: Study) -> None:
    entry = add_contains(pictured)
    held = take(pictured, entry, add_people(pictured, entry, 1)[0], 3)
    get_clock(pictured).jump(LEASE + 10_000)
    answer(pictured, *(replace(make_answer(one), seconds=33.3) for one in held))
    assert list_times(pictured) == [(33.3, 33.3)] * 3


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_what_is_no_time_is_none_and_what_is_too_much_is_cut(pictured: Study, seconds: float) -> None:
    entry = add_contains(pictured)
    one, other = take(pictured, entry, add_people(pictured, entry, 1)[0], 2)
    get_clock(pictured).jump(5)
    wrong = NewAnswer("no-time-1", one.id, one.annotator_id, {"mask": "1"}, seconds)
    receipts = answer(pictured, wrong, replace(make_answer(other), seconds=1e300))
    assert [receipt.status for receipt in receipts] == [COUNTED, COUNTED]
    assert list_times(pictured) == [(None, None), (1e300, 5.0)]


def test_late_answers_count_while_there_is_room_and_are_surplus_after_that(pictured: Study) -> None:
    entry = add_contains(pictured, quota=2)
    people = add_people(pictured, entry, 4)
    late = []
    for who in people:
        (one,) = [one for one in take(pictured, entry, who, 5) if one.task_id == 1]
        late.append(one)
        get_clock(pictured).jump(LEASE + 1)
    assert [answer(pictured, make_answer(one))[0].status for one in late] == [COUNTED, COUNTED, SURPLUS, SURPLUS]


def test_the_quota_holds_within_one_batch(pictured: Study) -> None:
    entry = add_contains(pictured, quota=2)
    given = []
    for who in add_people(pictured, entry, 5):
        given += [one for one in take(pictured, entry, who, 5) if one.task_id == 1]
        get_clock(pictured).jump(LEASE + 1)
    receipts = answer(pictured, *(make_answer(one) for one in given))
    assert [receipt.status for receipt in receipts] == [COUNTED, COUNTED, SURPLUS, SURPLUS, SURPLUS]


def test_a_revision_has_the_status_of_what_it_revises(pictured: Study) -> None:
    entry = add_contains(pictured, quota=1)
    first, second = add_people(pictured, entry, 2)
    (early,) = take(pictured, entry, first)
    get_clock(pictured).jump(LEASE + 1)
    (late,) = take(pictured, entry, second)
    assert early.task_id == late.task_id
    assert answer(pictured, make_answer(early))[0].status is COUNTED
    assert answer(pictured, make_answer(late))[0].status is SURPLUS
    assert answer(pictured, make_answer(late, revision=1))[0].status is SURPLUS
    assert answer(pictured, make_answer(early, revision=1))[0].status is COUNTED
    # Together too: a revision that comes before its first answer takes the room for both.
    assert {row[1] for row in list_rows(pictured) if row[2] == 1} == {"counted", "surplus"}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
@pytest.mark.parametrize("together", [True, False])
def test_the_highest_revision_holds_in_whatever_order_they_arrive(
    pictured: Study, order: tuple[int, ...], together: bool
) -> None:
    entry = add_contains(pictured)
    (one,) = take(pictured, entry, add_people(pictured, entry, 1)[0])
    sent = [make_answer(one, f"{revision + 1:x}", revision=revision) for revision in order]
    for batch in [sent] if together else [[each] for each in sent]:
        assert {receipt.status for receipt in answer(pictured, *batch)} == {COUNTED}
    with pictured.read() as reading:
        (held,) = read_answers(reading, "grids").answers
    assert (held.revision, held.answer["mask"]) == (2, "3")
    assert len(list_rows(pictured)) == 3


def test_of_two_answers_with_one_revision_the_later_holds_everywhere(pictured: Study) -> None:
    entry = add_contains(pictured)
    (who,) = add_people(pictured, entry, 1)
    (one,) = take(pictured, entry, who)
    answer(pictured, make_answer(one, "1"))
    answer(pictured, make_answer(one, "2"))
    with pictured.read() as reading:
        (held,) = read_answers(reading, "grids").answers
    assert held.answer["mask"] == "2"


def test_an_answer_to_somebody_elses_assignment_is_refused(pictured: Study) -> None:
    entry = add_contains(pictured)
    first, second = add_people(pictured, entry, 2)
    (one,) = take(pictured, entry, first)
    stolen = NewAnswer("stolen-id", one.id, second.annotator.id, {"mask": "1"})
    (receipt,) = answer(pictured, stolen)
    assert receipt == Receipt("stolen-id", None, "There is no such assignment of yours.")
    (unknown,) = answer(pictured, NewAnswer("unknown-id", AssignmentId("0" * 32), first.annotator.id, {"mask": "1"}))
    assert unknown.refusal == receipt.refusal
    assert list_rows(pictured) == []


def test_two_people_may_make_the_same_answer_id(pictured: Study) -> None:
    entry = add_contains(pictured)
    first, second = add_people(pictured, entry, 2)
    (one,), (other,) = take(pictured, entry, first), take(pictured, entry, second)
    receipts = answer(
        pictured, make_answer(one, "1", client_id="first-come"), make_answer(other, "2", client_id="first-come")
    )
    assert [receipt.status for receipt in receipts] == [COUNTED, COUNTED]
    assert [row[3] for row in list_rows(pictured)] == ["1", "2"]


def test_what_is_refused_does_not_keep_others_from_being_stored(pictured: Study) -> None:
    entry = add_contains(pictured)
    first, second, third = take(pictured, entry, add_people(pictured, entry, 1)[0], 3)
    receipts = answer(pictured, make_answer(first), make_answer(second, "no mask"), make_answer(third))
    assert [receipt.status is not None for receipt in receipts] == [True, False, True]
    assert "hexadecimal" in receipts[1].refusal
    assert len(list_rows(pictured)) == 2
    # A refused answer has used up neither the task nor its id.
    assert answer(pictured, make_answer(second, client_id=receipts[1].client_id))[0].status is COUNTED


def test_answers_of_several_campaigns_and_kinds_come_in_one_batch(pictured: Study) -> None:
    grids, labels = add_contains(pictured), add_classify(pictured)
    (who,) = add_people(pictured, grids, 1)
    (other,) = add_people(pictured, labels, 1)
    (grid,), (image,) = take(pictured, grids, who), take(pictured, labels, other)
    main = image.payload["candidates"][0]
    classified = NewAnswer("labels-1", image.id, image.annotator_id, {"selected": [7, main], "main": main})
    receipts = answer(pictured, make_answer(grid), classified)
    assert [receipt.status for receipt in receipts] == [COUNTED, COUNTED]
    with pictured.read() as reading:
        (held,) = read_answers(reading, "labels").answers
    assert held.answer == {"version": 1, "selected": [main, 7], "main": main}


def test_no_answers_are_no_trouble(pictured: Study) -> None:
    assert answer(pictured) == ()


def test_large_batches_are_stored_whole(pictured: Study) -> None:
    entry = add_contains(pictured, quota=200)
    sent = [
        make_answer(one, f"{place:x}"[-2:], revision=place % 3)
        for place in range(9)
        for one in _take_all(pictured, entry.id)
    ]
    receipts = answer(pictured, *sent, *sent)
    assert {receipt.status for receipt in receipts} == {COUNTED}
    assert sorted(row[0] for row in list_rows(pictured)) == sorted(one.client_id for one in sent)


def _take_all(study: Study, campaign_id: int) -> list[Assignment]:
    with study.read() as reading:
        entry = read_answers(reading, "grids").campaign
    assert entry.id == campaign_id
    return [one for who in add_people(study, entry, 4) for one in take(study, entry, who, 5)]


def test_a_batch_that_the_database_gave_up_is_not_acknowledged(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        entry = add_contains(study)
        (one,) = take(study, entry, add_people(study, entry, 1)[0])
        with pytest.raises(StorageError, match="gave up a change"):
            _answer_and_roll_back(study, make_answer(one))
        assert list_rows(study) == []


def _answer_and_roll_back(study: Study, sent: NewAnswer) -> None:
    """As SQLite does by itself when the disk is full at a bad moment."""
    with study.begin() as begun:
        submit_answers(begun, [sent])
        begun.connection.exec_driver_sql("ROLLBACK")


def test_a_full_database_refuses_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        entry = add_contains(study, quota=500)
        (one,) = take(study, entry, add_people(study, entry, 1)[0])
        answer(study, make_answer(one, "1"))
        with study.begin() as begun:
            pages = begun.connection.exec_driver_sql("PRAGMA page_count").scalar()
            begun.connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageError, match="disk is full"):
            answer(study, *(make_answer(one, "2", revision=revision) for revision in range(1, 2_000)))
        assert [row[3] for row in list_rows(study)] == ["1"]


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10_000))
def test_any_mixture_of_repeats_revisions_and_batches_ends_the_same(tmp_path_factory, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a mixture, no secret
    with make_pictured(tmp_path_factory.mktemp("mixture")) as study:
        entry = add_contains(study, quota=2)
        given_out: list[Assignment] = []
        for who in add_people(study, entry, 4):
            given_out += take(study, entry, who, 5)
            get_clock(study).jump(chance.choice((0, LEASE + 1)))
        sent = [make_answer(one, f"{revision:x}", revision=revision) for one in given_out for revision in range(3)]
        queue = [one for one in sent for _ in range(chance.randint(1, 3))]
        chance.shuffle(queue)
        promised: dict[str, ResponseStatus | None] = {}
        while queue:
            n = chance.randint(1, 20)
            for receipt in answer(study, *queue[:n]):
                assert promised.setdefault(receipt.client_id, receipt.status) is receipt.status
            del queue[:n]
        assert {row[0]: row[1] for row in list_rows(study)} == promised
        assert len(list_rows(study)) == len(sent)
        with study.read() as reading:
            held = read_answers(reading, "grids", with_surplus=True).answers
            counted = read_answers(reading, "grids").answers
        assert {one.answer["mask"] for one in held} == {"2"}
        assert len(held) == len(given_out)
        per_task = [sum(one.task_id == task for one in counted) for task in {one.task_id for one in held}]
        asked = [sum(one.task_id == task for one in given_out) for task in {one.task_id for one in held}]
        assert per_task == [min(2, n) for n in asked]


def test_answers_leave_no_events(pictured: Study) -> None:
    entry = add_contains(pictured)
    (one,) = take(pictured, entry, add_people(pictured, entry, 1)[0])
    with pictured.read() as reading:
        before = len(reading.connection.execute(select(events.c.id)).all())
    answer(pictured, make_answer(one))
    with pictured.read() as reading:
        assert len(reading.connection.execute(select(events.c.id)).all()) == before
