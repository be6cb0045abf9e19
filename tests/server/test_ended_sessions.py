"""Sessions that were ended: at once in the process that does it, within seconds everywhere, and only those that began before."""

from __future__ import annotations

import time

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from tests.server.serving import Served, Visitor, make_body
from tests.server.test_sessions import ANN, begin, carry, make_sessions
from tests.workflows.campaigning import Clock, get_clock

from regauge.server.app import make_app
from regauge.server.sessions import MAX_AHEAD
from regauge.server.state import LOOK_SECONDS
from regauge.workflows.access import end_sessions, renew_access
from regauge.workflows.erasure import erase_annotator


def wait_until_out(visitor: Visitor) -> float:
    start = time.monotonic()
    while visitor.get("/api/session").status_code != 401:
        assert time.monotonic() - start < 4 * LOOK_SECONDS, "the session has not ended"
        time.sleep(0.05)
    return time.monotonic() - start


def test_a_session_ends_within_seconds_wherever_it_was_ended(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    get_clock(served.study).jump(1)
    other = served.enter(served.people[1])
    with served.study.begin() as begun:
        end_sessions(begun, "annotator-0001")
    wait_until_out(annotator)
    assert annotator.post("/api/answers", make_body(task)).status_code == 401
    assert other.get("/api/session").status_code == 200
    get_clock(served.study).jump(0.001)
    assert served.enter(served.people[0]).get("/api/session").status_code == 200


def test_the_process_that_ends_it_knows_at_once(served: Served, annotator: Visitor) -> None:
    get_clock(served.study).jump(1)
    with served.study.begin() as begun:
        renew_access(begun, "annotator-0001")
    assert served.client.portal is not None
    served.client.portal.call(served.app.state.regauge.refresh_sessions)
    assert annotator.get("/api/session").status_code == 401


def test_whoever_was_erased_is_out_and_stays_out(served: Served, annotator: Visitor) -> None:
    get_clock(served.study).jump(1)
    with served.study.begin() as begun:
        erase_annotator(begun, "annotator-0001", reason="asked")
    wait_until_out(annotator)
    assert served.nobody.post("/api/session", {"token": served.people[0].token}).status_code == 403


def test_a_server_that_starts_knows_whose_sessions_were_ended(served: Served, annotator: Visitor) -> None:
    get_clock(served.study).jump(1)
    with served.study.begin() as begun:
        end_sessions(begun, "annotator-0001")
    with TestClient(make_app(served.study)) as client:
        assert Visitor(client, annotator.headers).get("/api/session").status_code == 401


@pytest.mark.parametrize(("after", "is_good"), [(-1, False), (-0.001, False), (0, True), (0.001, True), (60, True)])
def test_only_sessions_from_before_are_void(after: float, is_good: bool) -> None:
    clock = Clock()
    sessions = make_sessions(clock=clock)
    sessions.refuse_before({3: clock().timestamp()})
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
    sessions.refuse_before({3: clock().timestamp()})
    assert sessions.find(request) is None


def test_a_database_that_fails_for_a_while_does_not_end_the_watching(served: Served, annotator: Visitor) -> None:
    with served.study.begin() as begun:
        begun.connection.exec_driver_sql("ALTER TABLE annotators RENAME TO elsewhere")
    time.sleep(1.2 * LOOK_SECONDS)
    with served.study.begin() as begun:
        begun.connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO annotators")
    get_clock(served.study).jump(1)
    with served.study.begin() as begun:
        end_sessions(begun, "annotator-0001")
    wait_until_out(annotator)
