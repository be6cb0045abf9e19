"""The guard alone: pieces, slow senders, and those who go away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from regauge.server import guard
from regauge.server.guard import HEADERS, MAX_BODY, Guard


async def count(scope: Scope, receive: Receive, send: Send) -> None:
    """Replies with the length of the body."""
    body = await Request(scope, receive).body()
    await JSONResponse(len(body))(scope, receive, send)


async def fail(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/late":
        await send({"type": "http.response.start", "status": 200, "headers": []})
    raise RuntimeError("a bug")


async def explain(_request: Request, _error: Exception) -> Response:
    return JSONResponse({"detail": "sorry"}, status_code=500)


def run(app: Any, pieces: Sequence[Message | None], *, headers: dict[str, str] | None = None, path: str = "/") -> Any:
    """Send pieces through the guard; None stands for a sender who stops. Gives what was sent back."""
    waiting = list(pieces)
    sent: list[Message] = []

    async def receive() -> Message:
        found = waiting.pop(0) if waiting else None
        if found is None:
            await asyncio.sleep(60)
            raise AssertionError("nobody waited for the end")
        return found

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    scope = {"type": "http", "method": "POST", "path": path, "headers": raw, "query_string": b""}
    found = Guard(app, shortcuts={("POST", "/short"): count}, explain=explain)
    try:
        asyncio.run(found(scope, receive, send))
    except Exception as error:  # noqa: BLE001 - the test looks at it
        sent.append({"type": "raised", "error": error})
    return sent, len(waiting)


def make_piece(n: int, *, more: bool = True) -> Message:
    return {"type": "http.request", "body": b"x" * n, "more_body": more}


def read(sent: Sequence[Message]) -> tuple[int, Any]:
    return sent[0]["status"], json.loads(sent[1]["body"])


def test_a_body_in_pieces_is_read() -> None:
    sent, _ = run(count, [make_piece(10), make_piece(5), make_piece(0, more=False)])
    assert read(sent) == (200, 15)


def test_a_body_in_pieces_that_grows_too_long_is_not_read_to_the_end() -> None:
    sent, n_left = run(count, [make_piece(4_096) for _ in range(1_000)])
    # Seventeen pieces of 4,096 bytes are the first that are more than 65,536. The framework makes a reply of what is raised.
    assert (sent[-1]["error"].status_code, 1_000 - n_left) == (413, MAX_BODY // 4_096 + 1)


def test_a_sender_who_stops_half_way_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)
    sent, _ = run(count, [make_piece(10), None])
    assert sent[-1]["error"].status_code == 408


def test_somebody_who_goes_away_is_no_failure() -> None:
    sent, _ = run(count, [make_piece(10), {"type": "http.disconnect"}])
    assert sent == []


def test_a_shortcut_is_taken() -> None:
    sent, _ = run(fail, [make_piece(3, more=False)], path="/short")
    assert read(sent) == (200, 3)


def test_what_nobody_foresaw_gets_a_reply_with_the_guard_and_is_raised_for_the_log() -> None:
    sent, _ = run(fail, [])
    assert read(sent) == (500, {"detail": "sorry"})
    assert str(sent[-1]["error"]) == "a bug"
    names = {name for name, _ in sent[0]["headers"]}
    assert {name.lower().encode() for name in HEADERS} <= names


def test_a_reply_that_had_begun_is_not_begun_again() -> None:
    sent, _ = run(fail, [], path="/late")
    assert [message["type"] for message in sent] == ["http.response.start", "raised"]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_changes_by_other_sites_are_refused(site: str) -> None:
    sent, _ = run(count, [make_piece(1, more=False)], headers={"sec-fetch-site": site})
    assert sent[0]["status"] == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_changes_by_our_own_pages_pass(site: str) -> None:
    sent, _ = run(count, [make_piece(1, more=False)], headers={"sec-fetch-site": site})
    assert sent[0]["status"] == 200
