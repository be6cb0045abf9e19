"""Whoever is dropped, signed out or sent a new link holds no task from others, and what they still send is not lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.server.served_study import Served, Visitor, make_body, serve_pictured
from tests.workflows.campaign_studies import add_contains, get_clock
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.events import list_events
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.people.access import end_sessions, release_tasks, renew_access

__all__ = ["database", "postgres", "postgres_database"]

PEOPLE = "/api/manage/people/1"
DROP = "/api/manage/campaigns/1/annotators/1/drop"


@pytest.fixture
def kept(tmp_path: Path, database: str) -> Iterator[Served]:
    with serve_pictured(tmp_path, database=database) as served:
        yield served


def count_leased(served: Served) -> int:
    with served.study.read() as reading:
        return measure_progress(reading, served.campaign).n_leased


def do_by_page(path: str, **body: object) -> Callable[[Served], object]:
    def act(served: Served) -> object:
        reply = served.enter(served.manager).post(path, body)
        assert reply.status_code in {200, 204}, reply.text
        return reply

    return act


def do_by_command(work: Callable[..., object], *words: object, **named: object) -> Callable[[Served], object]:
    def act(served: Served) -> object:
        with served.study.begin() as begun:
            return work(begun, *words, **named)

    return act


def sign_out(served: Served) -> object:
    return served.enter(served.people[0]).ask("DELETE", "/api/session")


WAYS = {
    "drop on the page": do_by_page(DROP, reason="too fast"),
    "drop by command": do_by_command(drop_annotator, "grids", annotator="annotator-0001", reason="too fast"),
    "sign-out on the page": do_by_page(f"{PEOPLE}/sessions"),
    "sign-out by command": do_by_command(end_sessions, "annotator-0001"),
    "their own sign-out": sign_out,
    "new link on the page": do_by_page(f"{PEOPLE}/link"),
    "new link by command": do_by_command(renew_access, "annotator-0001"),
    "release on the page": do_by_page(f"{PEOPLE}/release"),
    "release by command": do_by_command(release_tasks, "annotator-0001", campaign="grids"),
}


@pytest.mark.parametrize("way", WAYS)
def test_tasks_of_whoever_goes_are_free_at_once(served: Served, annotator: Visitor, way: str) -> None:
    other = served.enter(served.people[1])
    assert len(annotator.take(served.campaign, 2)) == 2
    other.take(served.campaign, 1)
    assert count_leased(served) == 3
    get_clock(served.study).jump(1)
    WAYS[way](served)
    assert count_leased(served) == 1


def test_others_are_given_what_was_released_and_a_late_answer_is_kept(kept: Served) -> None:
    campaign = add_contains(kept.study, "alone", quota=1)
    first, second, manager = (kept.enter(one) for one in (*kept.people[:2], kept.manager))
    for visitor in (first, second):
        assert visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1}).status_code == 204
    tasks = first.take(campaign, 5)
    while found := second.take(campaign, 5):
        for task in found:
            assert second.post("/api/answers", make_body(task)).status_code == 200
    get_clock(kept.study).jump(1)
    assert manager.post(f"{PEOPLE}/release", {"reason": "on leave"}).json() == {"n": len(tasks)}
    with kept.study.read() as reading:
        last = list_events(reading)[-1]
        assert (last.what, last.who, last.parameters["reason"]) == ("tasks release", "manager", "on leave")
        n_counted = measure_progress(reading, campaign).n_counted
    assert first.post("/api/answers", make_body(tasks[0])).status_code == 200
    freed = second.take(campaign, 5)
    assert len(freed) == len(tasks) - 1
    assert second.post("/api/answers", make_body(freed[0])).status_code == 200
    assert first.post("/api/answers", make_body(tasks[1])).status_code == 200
    with kept.study.read() as reading:
        progress = measure_progress(reading, campaign)
    assert (progress.n_counted, progress.n_surplus) == (n_counted + 2, 1)
    reply = manager.post(f"{PEOPLE}/release", {})
    assert (reply.status_code, reply.json()["detail"]) == (409, "annotator-0001 holds no task.")


def test_whoever_is_taken_back_goes_on_where_they_were(kept: Served) -> None:
    first = kept.enter(kept.people[0])
    tasks = first.take(kept.campaign, 3)
    get_clock(kept.study).jump(1)
    manager = kept.enter(kept.manager)
    manager.post(DROP, {"reason": "too fast"})
    assert (first.take(kept.campaign, 3), count_leased(kept)) == ([], 0)
    manager.post(DROP.replace("drop", "restore"), {"reason": "not so fast"})
    assert [one["id"] for one in first.take(kept.campaign, 3)] == [one["id"] for one in tasks]
    assert count_leased(kept) == 3
