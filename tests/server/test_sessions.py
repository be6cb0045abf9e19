"""Sessions: forged, old and planted ones are no good, and a link is never seen again."""

from __future__ import annotations

import base64
import hashlib
import json
import stat
import threading
import time
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from itsdangerous import URLSafeSerializer
from starlette.requests import Request
from starlette.responses import Response
from tests.server.served_study import Served, Visitor
from tests.workflows.campaign_studies import Clock, get_clock

from regauge.errors import StorageError
from regauge.records.campaigns.campaign import AnnotatorEntry, Role
from regauge.server.sessions import ACTIVE_SECONDS, COOKIE, MAX_AGE, MAX_KNOWN, SECURE_COOKIE, Sessions
from regauge.server.state import SECRET_NAME, load_secret
from regauge.storage.keys import KEY_BYTES

SECRET = b"s" * KEY_BYTES
STUDY_ID = "0123456789abcdef" * 2
# The first digits of the id, and of the checksum of "cookie" by the key.
HTTP_COOKIE = f"{COOKIE}_0123456789ab_5ee78638"
ANN = AnnotatorEntry(3, "Ann", Role.ANNOTATOR, "")


def make_sessions(secret: bytes = SECRET, *, is_secure: bool = False, clock: Clock | None = None) -> Sessions:
    return Sessions(secret, study_id=STUDY_ID, is_secure=is_secure, clock=clock or Clock())


def begin(sessions: Sessions, who: AnnotatorEntry = ANN) -> str:
    """Let somebody in; returns the value of the cookie."""
    response = Response()
    sessions.begin(response, who)
    return response.headers["set-cookie"].split(";")[0].partition("=")[2]


def carry(value: str, name: str = HTTP_COOKIE) -> Request:
    return Request({"type": "http", "headers": [(b"cookie", f"{name}={value}".encode("latin-1"))]})


def test_a_cookie_says_who_came_in() -> None:
    sessions = make_sessions()
    found = sessions.find(carry(begin(sessions)))
    assert found is not None
    assert (found.annotator_id, found.name, found.role) == (3, "Ann", Role.ANNOTATOR)


def test_a_cookie_of_another_server_is_no_good() -> None:
    assert make_sessions().find(carry(begin(make_sessions(b"t" * KEY_BYTES)))) is None


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=255, exclude_characters=';"\\,'), max_size=200))
def test_no_text_is_taken_for_a_cookie(value: str) -> None:
    assert make_sessions().find(carry(value)) is None


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_cookie_of_which_anything_was_changed_is_no_good(place: int, change: int) -> None:
    sessions = make_sessions()
    value = begin(sessions)
    # The last character holds two bits that stand for nothing, so that it has several spellings.
    at = place % (len(value) - 1)
    other = chr(33 + (ord(value[at]) - 33 + change) % 94)
    assume(other != value[at])
    assert sessions.find(carry(value[:at] + other + value[at + 1 :])) is None
    assert sessions.find(carry(value)) is not None


@pytest.mark.parametrize(
    "fields", [None, [], [1, "a", "manager"], [1, "a", "king", "n", 0], ["x", "a", "manager", "n", 0], {}]
)
def test_a_signed_cookie_of_another_shape_is_no_good(fields: object) -> None:
    serializer = URLSafeSerializer(SECRET, salt="session", signer_kwargs={"digest_method": hashlib.sha256})
    assert make_sessions().find(carry(str(serializer.dumps(fields)))) is None


def test_something_else_that_the_server_signed_is_no_cookie() -> None:
    sessions = make_sessions()
    fields = base64.urlsafe_b64encode(json.dumps([1, "a", "manager", "n", 0]).encode()).decode().rstrip("=")
    assert sessions.find(carry(f"{fields}.{sessions.sign(fields)}")) is None


def test_an_old_cookie_is_no_good_also_when_it_was_seen_before() -> None:
    clock = Clock()
    sessions = make_sessions(clock=clock)
    value = begin(sessions)
    clock.jump(MAX_AGE - 1)
    assert sessions.find(carry(value)) is not None
    clock.jump(2)
    assert sessions.find(carry(value)) is None


def test_a_clock_that_is_set_back_turns_nobody_out() -> None:
    clock = Clock()
    sessions = make_sessions(clock=clock)
    value = begin(sessions)
    clock.jump(-24 * 3600)
    assert sessions.find(carry(value)) is not None


def test_everybody_who_comes_in_gets_a_new_session() -> None:
    sessions = make_sessions()
    first, second = begin(sessions), begin(sessions)
    assert first != second
    found = [sessions.find(carry(value)) for value in (first, second)]
    tokens = {sessions.make_csrf_token(one) for one in found if one is not None}
    assert len(tokens) == 2


def test_what_is_remembered_stays_small() -> None:
    sessions = make_sessions()
    for _ in range(MAX_KNOWN + 10):
        assert sessions.find(carry(begin(sessions))) is not None
    assert len(sessions._known) <= MAX_KNOWN


def test_whoever_works_in_a_frame_is_active_too() -> None:
    sessions = make_sessions()
    for _ in range(MAX_KNOWN + 10):
        session, token = sessions.begin_frame(ANN, campaign_id=1)
        headers = [(b"authorization", f"Bearer {token}".encode())]
        assert sessions.find(Request({"type": "http", "headers": headers})) == session
    assert sessions.count_active() == MAX_KNOWN + 10


def test_who_was_seen_long_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = make_sessions()
    for _ in range(MAX_KNOWN):
        sessions.find(carry(begin(sessions)))
    later = time.monotonic() + ACTIVE_SECONDS + 1
    monkeypatch.setattr("regauge.server.sessions.time.monotonic", lambda: later)
    sessions.find(carry(begin(sessions)))
    assert len(sessions._seen_at) == 1


def test_over_https_the_cookie_is_tied_to_the_host() -> None:
    response = Response()
    make_sessions(is_secure=True).begin(response, ANN)
    cookie = response.headers["set-cookie"].lower()
    assert cookie.startswith(SECURE_COOKIE.lower())
    for word in ("secure", "httponly", "samesite=lax", "path=/"):
        assert word in cookie
    assert "domain" not in cookie


def test_a_cookie_for_http_is_no_good_over_https() -> None:
    assert make_sessions(is_secure=True).find(carry(begin(make_sessions()), HTTP_COOKIE)) is None


def test_coming_in_replaces_a_planted_session(served: Served) -> None:
    for planted in (served.enter(served.people[0]), served.enter_as_guest()):
        reply = served.nobody.post(
            "/api/session", {"token": served.people[0].token}, headers={"Cookie": planted.headers["Cookie"]}
        )
        assert reply.status_code == 200
        assert reply.headers["set-cookie"].split(";")[0] != planted.headers["Cookie"]
        assert reply.json()["name"] == served.people[0].annotator.name


def test_nobody_becomes_somebody_else_without_leaving_first(served: Served) -> None:
    for first, second in ((0, 1), (1, 0)):
        here = served.enter(served.people[first])
        reply = here.post("/api/session", {"token": served.people[second].token})
        assert reply.status_code == 409
        assert served.people[first].annotator.name in reply.text
        assert served.people[second].annotator.name in reply.text
        assert "set-cookie" not in reply.headers
        assert here.get("/api/session").json()["name"] == served.people[first].annotator.name
    manager = served.enter(served.manager)
    for path, body in (("/api/session", {"token": served.people[0].token}), ("/api/guest", None)):
        reply = manager.post(path, body)
        assert (reply.status_code, "set-cookie" in reply.headers) == (409, False)
    assert served.enter(served.people[0]).post("/api/guest").status_code == 409
    # A link that is nobody's says nothing about who is here.
    assert "manager" not in manager.post("/api/session", {"token": "x"}).text


@pytest.mark.parametrize("token", ["x", "0" * 48, "' OR 1=1 --", "\x00", "é" * 100, "#"])
def test_an_unknown_link_lets_nobody_in(served: Served, token: str) -> None:
    reply = served.nobody.post("/api/session", {"token": token})
    assert reply.status_code == 403
    assert "set-cookie" not in reply.headers
    assert token * 2 not in reply.text


def test_going_out_takes_the_cookie_away(served: Served, annotator: Visitor) -> None:
    reply = annotator.ask("DELETE", "/api/session")
    assert reply.status_code == 204
    assert "max-age=0" in reply.headers["set-cookie"].lower()


def test_a_session_outlives_the_server_but_not_thirty_days(served: Served, annotator: Visitor) -> None:
    get_clock(served.study).jump(29 * 24 * 3600)
    assert annotator.get("/api/session").status_code == 200
    get_clock(served.study).jump(2 * 24 * 3600)
    assert annotator.get("/api/session").status_code == 401


def test_the_page_learns_its_token_anew(served: Served, annotator: Visitor) -> None:
    assert annotator.get("/api/session").json()["csrf"] == annotator.headers["X-CSRF-Token"]


# The key.


def test_the_key_is_made_once_and_for_the_owner_only(tmp_path: Path) -> None:
    first = load_secret(tmp_path)
    assert load_secret(tmp_path) == first
    assert len(first) == KEY_BYTES
    assert stat.S_IMODE((tmp_path / SECRET_NAME).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [SECRET_NAME]


def test_processes_that_start_together_agree_on_the_key(tmp_path: Path) -> None:
    found: list[bytes] = []
    barrier = threading.Barrier(16)

    def load() -> None:
        barrier.wait()
        found.append(load_secret(tmp_path))

    threads = [threading.Thread(target=load) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 16
    assert len(set(found)) == 1


@pytest.mark.parametrize("content", [b"", b"short"])
def test_half_a_key_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / SECRET_NAME).write_bytes(content)
    with pytest.raises(StorageError, match="holds no key"):
        load_secret(tmp_path)
