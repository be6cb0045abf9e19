"""The writer: acknowledged means on disk, one who fails spoils nothing for others, and nobody waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text
from tests.workflows.campaign_studies import add_contains, add_people, make_answer, make_pictured, take
from tests.workflows.conftest import database, postgres, postgres_database  # noqa: F401 - fixtures

from regauge.errors import InputError, StorageError
from regauge.records.campaigns.campaign import Assignment, NewAnswer, Receipt, ResponseStatus
from regauge.server import writer as module
from regauge.server.writer import Writer
from regauge.storage.database.schema import events, responses
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:  # noqa: F811 - the fixture
    with make_pictured(tmp_path, database=database) as study:
        yield study


def give(study: Study, n: int) -> list[Assignment]:
    entry = add_contains(study, quota=50)
    return [one for who in add_people(study, entry, n) for one in take(study, entry, who)]


def count_rows(study: Study) -> int:
    with study.read() as reading:
        return len(reading.connection.execute(select(responses.c.id)).all())


def run(study: Study, *works: Any) -> list[Any]:
    """Hand everything in at once, before the writer starts, so that it makes one batch; what came of each."""

    async def all_at_once() -> list[Any]:
        found = Writer(study)
        found._is_open = True
        waiting = [asyncio.ensure_future(found._hand_in(work)) for work in works]
        await asyncio.sleep(0)
        found.start()
        try:
            return await asyncio.gather(*waiting, return_exceptions=True)
        finally:
            await asyncio.to_thread(found.stop)

    return asyncio.run(all_at_once())


def test_answers_that_come_together_share_one_transaction(pictured: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def submit(study: Study, answers: Sequence[NewAnswer]) -> tuple[Receipt, ...]:
        sizes.append(len(answers))
        return submit_answers(study, answers)

    monkeypatch.setattr(module, "submit_answers", submit)
    receipts = run(pictured, *(make_answer(one) for one in give(pictured, 7)))
    assert {receipt.status for receipt in receipts} == {ResponseStatus.COUNTED}
    assert sizes == [7]
    assert count_rows(pictured) == 7


def test_nobody_is_told_before_the_commit(pictured: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    settle = module._settle

    def look_first(outcomes: Any) -> None:
        seen.append(count_rows(pictured))
        settle(outcomes)

    monkeypatch.setattr(module, "_settle", look_first)
    run(pictured, *(make_answer(one) for one in give(pictured, 3)))
    assert seen == [3]


def test_work_that_fails_leaves_no_trace_and_spoils_nothing(pictured: Study) -> None:
    first, second = give(pictured, 2)

    def fail(study: Study) -> None:
        study.connection.execute(events.delete())
        raise InputError("no")

    before = count_events(pictured)
    found = run(pictured, make_answer(first), fail, make_answer(second), lambda _study: "done")
    assert [type(one) for one in found] == [Receipt, InputError, Receipt, str]
    assert count_rows(pictured) == 2
    assert count_events(pictured) == before


def count_events(study: Study) -> int:
    with study.read() as reading:
        return len(reading.connection.execute(select(events.c.id)).all())


def test_one_answer_that_nobody_foresaw_fails_alone(pictured: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    given = give(pictured, 4)

    def submit(study: Study, answers: Sequence[NewAnswer]) -> tuple[Receipt, ...]:
        receipts = submit_answers(study, answers)
        if any(one.assignment_id == given[2].id for one in answers):
            raise RuntimeError("a bug")
        return receipts

    monkeypatch.setattr(module, "submit_answers", submit)
    found = run(pictured, *(make_answer(one) for one in given))
    assert [type(one) for one in found] == [Receipt, Receipt, RuntimeError, Receipt]
    assert count_rows(pictured) == 3


def test_when_the_database_fails_everybody_is_told_and_nothing_is_stored(pictured: Study) -> None:
    first, second = give(pictured, 2)

    def fail(study: Study) -> None:
        study.connection.execute(text("SELECT * FROM nowhere"))

    found = run(pictured, make_answer(first), fail, make_answer(second))
    assert [type(one) for one in found] == [StorageError] * 3
    assert count_rows(pictured) == 0
    again = run(pictured, make_answer(first), make_answer(second))
    assert {receipt.status for receipt in again} == {ResponseStatus.COUNTED}


def test_answers_before_a_transaction_that_sqlite_gave_up_are_not_acknowledged(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        (one,) = give(study, 1)

        def give_up(begun: Study) -> None:
            begun.connection.exec_driver_sql("ROLLBACK")

        found = run(study, make_answer(one), give_up)
        assert [type(one) for one in found] == [StorageError] * 2
        assert count_rows(study) == 0


def test_a_writer_that_was_stopped_refuses(tmp_path: Path) -> None:
    async def hand_in_late(study: Study) -> None:
        found = Writer(study)
        found.start()
        await asyncio.to_thread(found.stop)
        await found.run(lambda _study: None)

    with make_pictured(tmp_path) as study, pytest.raises(StorageError, match="shutting down"):
        asyncio.run(hand_in_late(study))


def test_what_was_handed_in_is_finished_when_the_writer_stops(tmp_path: Path) -> None:
    async def stop_at_once(study: Study, sent: list[NewAnswer]) -> list[Any]:
        found = Writer(study)
        found.start()
        waiting = [asyncio.ensure_future(found.answer(one)) for one in sent]
        await asyncio.sleep(0)
        found.stop()
        return await asyncio.gather(*waiting)

    with make_pictured(tmp_path) as study:
        sent = [make_answer(one) for one in give(study, 5)]
        receipts = asyncio.run(stop_at_once(study, sent))
        assert {receipt.status for receipt in receipts} == {ResponseStatus.COUNTED}
        assert count_rows(study) == 5


def test_whoever_has_gone_keeps_nobody_waiting(tmp_path: Path) -> None:
    async def go_away(study: Study, sent: list[NewAnswer]) -> Receipt:
        found = Writer(study)
        found.start()
        gone = asyncio.ensure_future(found.answer(sent[0]))
        await asyncio.sleep(0)
        gone.cancel()
        try:
            return await found.answer(sent[1])
        finally:
            await asyncio.to_thread(found.stop)

    with make_pictured(tmp_path) as study:
        first, second = give(study, 2)
        assert asyncio.run(go_away(study, [make_answer(first), make_answer(second)])).status is ResponseStatus.COUNTED
        assert count_rows(study) == 2
