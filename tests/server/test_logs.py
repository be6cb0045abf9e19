"""Logs in JSON: what happened, and nothing about anybody, whatever they send."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.server.served_study import Served, listen, serve_pictured

from regauge.server.app import create_app
from regauge.server.logs import JsonFormatter, LogFormat, log_event, set_up_logs
from regauge.server.state import ServerSettings

HOSTILE = "hostile-5f00\"}\n{'<script>"
PID = "5f0123456789abcdef012345"
NOTHING: dict[str, str] = {}


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Everything that is logged from here on, at every level."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def read(stream: io.StringIO) -> list[dict[str, object]]:
    # What the client of these tests writes down is its own affair.
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [line for line in lines if not str(line["logger"]).startswith(("http", "asyncio"))]


def behave_badly(address: str, served: Served) -> list[str]:
    """A session with whatever somebody may send; gives what must not be written down."""
    token = served.people[0].token
    with httpx.Client(base_url=address, timeout=60) as client:
        reply = client.post("/api/session", json={"token": token})
        csrf, cookie = reply.json()["csrf"], next(iter(client.cookies.values()))
        client.headers["X-CSRF-Token"] = csrf
        client.get("/", params={"PROLIFIC_PID": PID, "name": HOSTILE})
        client.get(f"/p/{served.campaign.id}", params={"PROLIFIC_PID": PID, "STUDY_ID": PID, "SESSION_ID": PID})
        client.get(f"/nowhere/{PID}", headers={"User-Agent": 'hostile"}{', "X-Request-Id": PID, "Referer": PID})
        client.get(f"/campaigns/{PID}")
        client.post("/api/answers", json={"client_id": HOSTILE, "answer": {HOSTILE: HOSTILE}})
        client.post("/api/answers", content=HOSTILE.encode(), headers={"Content-Type": "application/json"})
        client.post("/api/session", json={"token": [HOSTILE, token]})
        client.request("BREW", f"/{PID}", headers={"Authorization": f"Bearer {PID}"})
        client.get("/me")
        client.get("/api/me")
        (task,) = client.post(f"/api/campaigns/{served.campaign.id}/tasks", json={"n": 1}).json()
        client.get(task["images"][0])
        with served.study.begin() as begun:
            begun.connection.exec_driver_sql("ALTER TABLE responses RENAME TO elsewhere")
        body = {"client_id": "client-1", "assignment_id": task["id"], "answer": {"mask": "5"}}
        assert client.post("/api/answers", json=body).status_code == 503
        with served.study.begin() as begun:
            begun.connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO responses")
    return [token, csrf, cookie, PID, "hostile", "annotator-0001", task["id"], "client-1", "127.0.0.1", "python-httpx"]


def test_nothing_about_anybody_is_written_down(tmp_path: Path, written: io.StringIO) -> None:
    with serve_pictured(tmp_path) as served:
        app = create_app(served.study, ServerSettings(has_guests=True, log_format=LogFormat.JSON))
        with listen(app, access_log=False, log_level="warning") as address:
            secrets = behave_badly(address, served)
    lines = read(written)
    requests = [line for line in lines if line["event"] == "request"]
    assert len(requests) >= 13
    text = "\n".join(map(json.dumps, lines))
    for secret in secrets:
        assert secret not in text, secret
    assert {line["route"] for line in requests} >= {"/", "none", "/api/answers", "/campaigns/{campaign_id}", "/me"}


def test_a_line_about_a_request_has_route_status_time_and_an_id_that_the_reply_has_too(
    tmp_path: Path, written: io.StringIO
) -> None:
    with serve_pictured(tmp_path, settings=ServerSettings(log_format=LogFormat.JSON)) as served:
        reply = served.nobody.get("/join?who=me")
    (line,) = [line for line in read(written) if line["event"] == "request"]
    assert (line["method"], line["route"], line["status"]) == ("GET", "/join", 200)
    assert line["request_id"] == reply.headers["x-request-id"]
    assert 0 < float(str(line["ms"])) < 60_000
    assert str(line["at"]).endswith("Z")


def test_in_text_requests_are_not_written_down(served: Served, written: io.StringIO) -> None:
    reply = served.nobody.get("/join")
    assert not [line for line in read(written) if line["event"] == "request"]
    assert "x-request-id" not in reply.headers


def test_an_error_is_written_with_its_kind_and_place_but_not_its_words(written: io.StringIO) -> None:
    try:
        _ = NOTHING[HOSTILE]
    except KeyError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application for %s", HOSTILE)
    (line,) = read(written)
    assert line["error"] == "KeyError"
    assert "test_logs.py" in str(line["where"])
    assert "hostile" not in json.dumps(line)


def test_an_unforeseen_failure_is_written_without_its_words(tmp_path: Path, written: io.StringIO, monkeypatch) -> None:
    with serve_pictured(tmp_path) as served:
        app = create_app(served.study, ServerSettings(log_format=LogFormat.JSON))
        monkeypatch.setattr("regauge.server.annotate.own.describe_own_data", lambda *_: NOTHING[HOSTILE])
        with listen(app, access_log=False) as address, httpx.Client(base_url=address, timeout=60) as client:
            client.post("/api/session", json={"token": served.people[0].token})
            assert client.get("/me").status_code == 500
    lines = read(written)
    assert any(line.get("error") == "KeyError" for line in lines)
    assert "hostile" not in json.dumps(lines)


def test_text_leaves_logging_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(logging.getLogger().handlers)
    set_up_logs(LogFormat.TEXT)
    assert logging.getLogger().handlers == before


def test_json_goes_to_standard_error_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(root, "handlers", list(root.handlers))
    level = root.level
    try:
        set_up_logs(LogFormat.JSON)
        log_event("start", version="1")
    finally:
        root.setLevel(level)
        logging.captureWarnings(capture=False)
    line = json.loads(stream.getvalue())
    assert (line["event"], line["version"], line["level"]) == ("start", "1", "info")
