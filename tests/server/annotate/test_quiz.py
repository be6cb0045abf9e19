"""The quiz over HTTP: what people try who want to get past it, and what never leaves the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.served_study import Served, Visitor
from tests.workflows.campaign_studies import add_people, make_pictured
from tests.workflows.quiz_campaigns import QUIZ, add_known, add_quizzed

from regauge.records.campaigns.campaign import Kind, Role, TaskRole
from regauge.records.campaigns.terms import Terms
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.storage.campaigns.extra_tasks import load_extra_tasks
from regauge.workflows.people.invitations import renew_link

SECRETS = ("shows", "cells", "control", "is_right", "right")


@pytest.fixture(params=["contains", "classify"])
def quizzed(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    with make_pictured(tmp_path) as study:
        add_known(study, tmp_path)
        campaign = add_quizzed(study, Terms(quiz=QUIZ), kind=request.param, quota=3)
        people = add_people(study, campaign, 3)
        with study.begin() as begun:
            manager = renew_link(begun, "manager", role=Role.MANAGER)
        app = create_app(study, ServerSettings(has_guests=True))
        with TestClient(app, raise_server_exceptions=False) as client:
            yield Served(study, app, client, campaign, people, manager)


def at(served: Served, rest: str = "") -> str:
    return f"/api/campaigns/{served.campaign.id}/quiz{rest}"


def begin(served: Served, visitor: Visitor, attempt: int = 1) -> Any:
    reply = visitor.post(at(served), {"attempt": attempt})
    assert reply.status_code == 200, reply.text
    return reply.json()


def find_answer(served: Served, question: dict[str, Any], *, is_right: bool) -> dict[str, Any]:
    """An answer to a question, by what only the database knows."""
    with served.study.read() as reading:
        pool = load_extra_tasks(reading, served.campaign, TaskRole.QUESTION)
        asked = reading.connection.exec_driver_sql("SELECT questions FROM attempts").scalars().all()
    task_id = next(one["task_id"] for text in asked for one in json.loads(text) if one["id"] == question["id"])
    task = pool[task_id]
    if served.campaign.kind == Kind("contains"):
        return {"mask": "1" if (task["shows"] == task["class"]) is is_right else "0"}
    label = task["shows"] if is_right else next(one for one in task["candidates"] if one != task["shows"])
    return {"selected": [label], "main": label}


def send(served: Served, visitor: Visitor, question: dict[str, Any], *, is_right: bool = True) -> Any:
    answer = find_answer(served, question, is_right=is_right)
    return visitor.post(at(served, "/answers"), {"question": question["id"], "answer": answer})


def find_keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for one in value.values() for key in find_keys(one)}
    return {key for one in value for key in find_keys(one)} if isinstance(value, list) else set()


def test_whoever_passes_goes_on_to_tasks(quizzed: Served) -> None:
    visitor = quizzed.enter(quizzed.people[0])
    view = begin(quizzed, visitor)
    for number in range(QUIZ.n_questions):
        assert (view["state"], view["n_answered"]) == ("taking", number)
        told = send(quizzed, visitor, view["question"]).json()
        assert told["is_right"]
        view = told["next"]
    assert (view["state"], view["n_right"], view["question"]) == ("passed", 4, None)
    assert visitor.take(quizzed.campaign)


def test_the_quiz_cannot_be_skipped_by_asking_for_tasks(quizzed: Served) -> None:
    visitor = quizzed.enter(quizzed.people[0])
    for _ in range(2):
        reply = visitor.post(f"/api/campaigns/{quizzed.campaign.id}/tasks", {"n": 1})
        assert reply.status_code == 409
        assert "quiz" in reply.json()["detail"]
        begin(quizzed, visitor)


def test_the_answer_of_a_question_does_not_leave_the_server_before_it_is_answered(quizzed: Served) -> None:
    visitor = quizzed.enter(quizzed.people[0])
    view = begin(quizzed, visitor)
    assert not find_keys(view) & set(SECRETS)
    told = send(quizzed, visitor, view["question"], is_right=False).json()
    assert not told["is_right"]
    assert not find_keys(told["next"]) & set(SECRETS)
    assert not find_keys(visitor.get(at(quizzed)).json()) & set(SECRETS)


def test_an_answer_cannot_be_changed_by_sending_another(quizzed: Served) -> None:
    visitor = quizzed.enter(quizzed.people[0])
    question = begin(quizzed, visitor)["question"]
    first = send(quizzed, visitor, question, is_right=False).json()
    again = send(quizzed, visitor, question, is_right=True).json()
    assert again == first
    assert not again["is_right"]


def test_reloading_or_beginning_again_gives_the_same_question(quizzed: Served) -> None:
    visitor = quizzed.enter(quizzed.people[0])
    question = begin(quizzed, visitor)["question"]
    assert begin(quizzed, visitor)["question"] == question
    assert visitor.get(at(quizzed)).json()["question"] == question
    assert visitor.post(at(quizzed), {"attempt": 2}).status_code == 409


def test_forged_and_other_peoples_questions_are_refused(quizzed: Served) -> None:
    mine, theirs = (quizzed.enter(person) for person in quizzed.people[:2])
    question = begin(quizzed, mine)["question"]
    begin(quizzed, theirs)
    answer = find_answer(quizzed, question, is_right=True)
    trial = "trial-1-" + "0" * 24
    for who, question_id in ((theirs, question["id"]), (mine, "0" * 32), (mine, trial)):
        reply = who.post(at(quizzed, "/answers"), {"question": question_id, "answer": answer})
        assert reply.status_code == 409, question_id
    assert mine.get(question["images"][0]).status_code == 200
    assert theirs.get(question["images"][0]).status_code == 404
    assert theirs.get(at(quizzed)).json()["n_answered"] == 0


def test_images_of_questions_and_examples_are_there_after_a_restart(quizzed: Served) -> None:
    visitor = quizzed.enter(quizzed.people[0])
    other = quizzed.enter(quizzed.people[1])
    examples = visitor.get(f"/api/campaigns/{quizzed.campaign.id}/examples").json()
    addresses = [begin(quizzed, visitor)["question"]["images"][0], *(one["image"] for one in examples)]
    assert len(addresses) > 4
    quizzed.app.state.regauge.shown.clear()
    for address in addresses:
        assert visitor.get(address).status_code == 200
        assert other.get(address).status_code == 404


def test_whoever_has_failed_cannot_go_on(quizzed: Served) -> None:
    visitor = quizzed.enter(quizzed.people[0])
    for attempt in (1, 2):
        view = begin(quizzed, visitor, attempt)
        while view["question"]:
            view = send(quizzed, visitor, view["question"], is_right=False).json()["next"]
    assert (view["state"], view["n_attempts_left"]) == ("failed", 0)
    assert visitor.post(at(quizzed), {"attempt": 3}).status_code == 409
    assert visitor.post(f"/api/campaigns/{quizzed.campaign.id}/tasks", {"n": 1}).status_code == 409


def test_a_guest_goes_past_the_quiz_and_learns_no_answers(quizzed: Served) -> None:
    guest = quizzed.enter_as_guest()
    assert guest.get(at(quizzed)).json()["state"] == "none"
    assert begin(quizzed, guest)["question"] is None
    trial = quizzed.enter(quizzed.manager).post(at(quizzed), {"attempt": 1}).json()["question"]
    reply = guest.post(at(quizzed, "/answers"), {"question": trial["id"], "answer": {"mask": "1"}})
    assert reply.status_code == 409
    assert guest.get(trial["images"][0]).status_code == 404


def test_a_manager_tries_the_quiz_and_nothing_is_kept(quizzed: Served) -> None:
    manager = quizzed.enter(quizzed.manager)
    assert manager.get(at(quizzed)).json()["state"] == "training"
    view = begin(quizzed, manager)
    while view["question"]:
        assert manager.get(view["question"]["images"][0]).status_code == 200
        candidates = view["question"]["view"].get("candidates")
        answer: dict[str, object] = {"mask": "1"} if candidates is None else {"selected": [], "main": None}
        told = manager.post(at(quizzed, "/answers"), {"question": view["question"]["id"], "answer": answer}).json()
        view = told["next"]
    assert (view["state"], view["n_answered"]) == ("passed", 4)
    with quizzed.study.read() as reading:
        assert reading.connection.exec_driver_sql("SELECT count(*) FROM attempts").scalar_one() == 0


def test_a_campaign_that_is_not_open_yet_shows_people_nothing_of_its_quiz(quizzed: Served) -> None:
    with quizzed.study.begin() as begun:
        begun.connection.exec_driver_sql("UPDATE campaigns SET state = 'draft'")
    visitor, manager = quizzed.enter(quizzed.people[0]), quizzed.enter(quizzed.manager)
    for who in (visitor, quizzed.enter_as_guest()):
        for path in (at(quizzed), f"/api/campaigns/{quizzed.campaign.id}/examples"):
            assert who.get(path).status_code == 409
    assert manager.get(at(quizzed)).json()["state"] == "training"
    assert manager.get(f"/api/campaigns/{quizzed.campaign.id}/examples").json()
