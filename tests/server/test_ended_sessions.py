"""Sessions that were ended: everywhere before it is acknowledged, and only those that began before."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from tests.server.served_study import Served, Visitor, listen, make_body, serve_pictured
from tests.server.test_sessions import ANN, begin, carry, make_sessions
from tests.waits import PATIENCE, wait_for
from tests.workflows.campaign_studies import Clock, get_clock

from regauge.errors import InputError
from regauge.server.app import create_app
from regauge.server.sessions import MAX_AGE, MAX_AHEAD
from regauge.server.state import ServerState
from regauge.storage.access_counts import AccessCount
from regauge.storage.campaigns.assignments import count_answered
from regauge.workflows.people.access import (
    KNOWN_SECONDS,
    MAX_ENDED,
    EndedSessions,
    end_sessions,
    find_ended_sessions,
    renew_access,
)
from regauge.workflows.people.erasure import erase_annotator


def test_a_session_is_over_for_every_process_once_it_was_ended(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    get_clock(served.study).jump(1)
    other = served.enter(served.people[1])
    # As a command does it beside the server.
    with served.study.begin() as begun:
        end_sessions(begun, "annotator-0001")
    assert annotator.post("/api/answers", make_body(task)).status_code == 401
    assert annotator.get("/api/session").status_code == 401
    assert other.get("/api/session").status_code == 200
    get_clock(served.study).jump(0.001)
    assert served.enter(served.people[0]).get("/api/session").status_code == 200


def test_a_new_link_ends_the_sessions_of_the_old_one(served: Served, annotator: Visitor) -> None:
    get_clock(served.study).jump(1)
    with served.study.begin() as begun:
        renew_access(begun, "annotator-0001")
    assert annotator.get("/api/session").status_code == 401


def test_whoever_was_erased_is_out_and_stays_out(served: Served, annotator: Visitor) -> None:
    get_clock(served.study).jump(1)
    with served.study.begin() as begun:
        erase_annotator(begun, "annotator-0001", reason="asked")
    assert annotator.get("/api/session").status_code == 401
    assert served.nobody.post("/api/session", {"token": served.people[0].token}).status_code == 403


def test_going_out_ends_the_session_and_no_other(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    elsewhere = served.enter(served.people[0])
    assert annotator.ask("DELETE", "/api/session").status_code == 204
    # Whoever has kept the cookie cannot do anything with it any more.
    assert annotator.get("/api/session").status_code == 401
    assert annotator.post("/api/answers", make_body(task)).status_code == 401
    assert annotator.get(task["images"][0]).status_code == 401
    assert elsewhere.get("/api/session").status_code == 200
    assert annotator.ask("DELETE", "/api/session").status_code == 401


def test_the_frame_of_another_site_can_be_left_too(served: Served) -> None:
    who = served.people[0].annotator
    _, token = served.app.state.regauge.sessions.begin_frame(who, campaign_id=served.campaign.id)
    framed = Visitor(served.client, {"Authorization": f"Bearer {token}"})
    assert framed.ask("DELETE", "/api/session").status_code == 204
    assert framed.get("/api/session").status_code == 401


def test_of_guests_who_go_nothing_is_kept(served: Served) -> None:
    assert served.enter_as_guest().ask("DELETE", "/api/session").status_code == 204
    with served.study.read() as reading:
        assert find_ended_sessions(reading).nonces == frozenset()


def test_ended_sessions_are_forgotten_when_no_cookie_is_that_old(served: Served, annotator: Visitor) -> None:
    annotator.ask("DELETE", "/api/session")
    get_clock(served.study).jump(MAX_AGE + 1)
    assert annotator.get("/api/session").status_code == 401
    served.enter(served.people[1]).ask("DELETE", "/api/session")
    with served.study.read() as reading:
        assert len(find_ended_sessions(reading).nonces) == 1


def test_somebody_who_comes_and_goes_without_end_fills_no_table(served: Served) -> None:
    stays = served.enter(served.people[0])
    for _ in range(MAX_ENDED + 3):
        get_clock(served.study).jump(1)
        last = served.enter(served.people[0])
        assert last.ask("DELETE", "/api/session").status_code == 204
        assert last.get("/api/session").status_code == 401
    assert stays.get("/api/session").status_code == 401
    with served.study.read() as reading:
        found = find_ended_sessions(reading)
    assert len(found.nonces) == 3
    assert list(found.starts) == [served.people[0].annotator.id]


def test_a_transaction_that_fails_tells_nobody(served: Served) -> None:
    before = AccessCount(served.study.paths.folder).value
    with pytest.raises(InputError, match="nobody"), served.study.begin() as begun:
        [end_sessions(begun, name) for name in ("annotator-0001", "nobody")]
    assert AccessCount(served.study.paths.folder).value == before


def test_requests_cost_no_query_while_nobody_goes(tmp_path: Path, monkeypatch) -> None:
    for name in ("LOOK_SECONDS", "KNOWN_SECONDS"):
        monkeypatch.setattr(f"regauge.server.state.{name}", 10 * PATIENCE)
    with serve_pictured(tmp_path) as served:
        annotator = served.enter(served.people[0])
        monkeypatch.setattr("regauge.server.state.find_ended_sessions", lambda _study: pytest.fail("it was looked up"))
        for _ in range(20):
            assert annotator.get("/api/session").status_code == 200


def test_what_cannot_be_known_lets_nobody_in(served: Served, annotator: Visitor) -> None:
    with served.study.begin() as begun:
        end_sessions(begun, "annotator-0002")
        begun.connection.exec_driver_sql("ALTER TABLE ended_sessions RENAME TO elsewhere")
    reply = annotator.get("/api/session")
    assert reply.status_code == 503
    assert "content-security-policy" in reply.headers
    assert served.nobody.get("/static/regauge.css").status_code == 200
    assert served.nobody.get("/healthz").status_code == 200
    with served.study.begin() as begun:
        begun.connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO ended_sessions")
    assert annotator.get("/api/session").status_code == 200


def end_elsewhere(served: Served, name: str) -> None:
    """As if somebody's sessions were ended on another machine, whose count this one does not see."""
    get_clock(served.study).jump(1)
    with served.study.begin() as begun:
        end_sessions(begun, name)
        begun.effects.clear()


def test_what_is_known_is_relied_on_for_some_seconds_only(tmp_path: Path, monkeypatch) -> None:
    """While nobody looks from time to time."""
    now = Clock()
    monkeypatch.setattr("regauge.server.state.time", SimpleNamespace(monotonic=lambda: now().timestamp()))
    monkeypatch.setattr("regauge.server.state.LOOK_SECONDS", 10 * PATIENCE)
    with serve_pictured(tmp_path) as served:
        annotator = served.enter(served.people[0])
        end_elsewhere(served, "annotator-0001")
        now.jump(KNOWN_SECONDS)
        assert annotator.get("/api/session").status_code == 200
        now.jump(0.001)
        assert annotator.get("/api/session").status_code == 401


def test_a_server_that_starts_knows_whose_sessions_were_ended(served: Served, annotator: Visitor) -> None:
    get_clock(served.study).jump(1)
    with served.study.begin() as begun:
        end_sessions(begun, "annotator-0001")
    with TestClient(create_app(served.study)) as client:
        assert Visitor(client, annotator.headers).get("/api/session").status_code == 401


@pytest.mark.parametrize(("after", "is_good"), [(-1, False), (-0.001, False), (0, True), (0.001, True), (60, True)])
def test_only_sessions_from_before_are_void(after: float, is_good: bool) -> None:
    clock = Clock()
    sessions = make_sessions(clock=clock)
    sessions.refuse(EndedSessions({3: clock().timestamp()}))
    clock.jump(after)
    request = carry(begin(sessions))
    clock.jump(1)
    assert (sessions.find(request) is not None) is is_good


def test_a_session_from_the_future_is_void_for_those_whose_sessions_were_ended() -> None:
    clock = Clock()
    sessions = make_sessions(clock=clock)
    clock.jump(MAX_AHEAD + 10)
    request: Request = carry(begin(sessions, ANN))
    clock.jump(-MAX_AHEAD - 10)
    assert sessions.find(request) is not None
    sessions.refuse(EndedSessions({3: clock().timestamp()}))
    assert sessions.find(request) is None


def test_a_database_that_fails_for_a_while_does_not_end_the_watching(tmp_path: Path, monkeypatch, caplog) -> None:
    monkeypatch.setattr("regauge.server.state.LOOK_SECONDS", 0.01)
    monkeypatch.setattr("regauge.server.state.KNOWN_SECONDS", 10 * PATIENCE)
    with serve_pictured(tmp_path) as served:
        annotator = served.enter(served.people[0])
        with served.study.begin() as begun:
            begun.connection.exec_driver_sql("ALTER TABLE ended_sessions RENAME TO elsewhere")
        wait_for(lambda: "ended_sessions" in caplog.text, "the failure")
        with served.study.begin() as begun:
            begun.connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO ended_sessions")
        end_elsewhere(served, "annotator-0001")
        wait_for(lambda: annotator.get("/api/session").status_code == 401, "the end of the session")


@pytest.mark.parametrize("path", ["/api/answers", "/api/campaigns/{}/tasks"])
def test_a_request_that_was_begun_before_somebody_went_out_is_not_finished_after_it(
    served: Served, path: str, monkeypatch
) -> None:
    who = served.enter(served.people[0])
    (task,) = who.take(served.campaign)
    body = json.dumps(make_body(task) if path.endswith("answers") else {"n": 1}).encode()
    head = [
        f"POST {path.format(served.campaign.id)} HTTP/1.1",
        "Host: here",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in who.headers.items()),
    ]
    was_seen = threading.Event()

    def note(state: ServerState) -> bool:
        # From here the server goes on until it waits for the rest.
        was_seen.set()
        return state.known_access[0] != state.access.value

    with listen(create_app(served.study)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            monkeypatch.setattr(ServerState, "is_behind", property(note))
            connection.sendall("\r\n".join([*head, "", ""]).encode() + body[:1])
            assert was_seen.wait(PATIENCE)
            reply = httpx.delete(f"{address}/api/session", headers=who.headers, timeout=PATIENCE)
            assert reply.status_code == 204
            connection.sendall(body[1:])
            answer = connection.recv(4_096)
    assert answer.startswith(b"HTTP/1.1 401"), answer
    with served.study.read() as reading:
        assert count_answered(reading, served.campaign, annotator_id=served.people[0].annotator.id) == 0
