"""Whatever is sent, the server answers in words and goes on: never a 500, never more than a reply."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.server.served_study import Served, Visitor, make_body, serve_pictured

from regauge.server.annotate.api import MAX_BODY as MAX_ANSWER
from regauge.server.guard import HEADERS, MAX_BODY

DEEP = "[" * 20_000 + "]" * 20_000
JSON = {"Content-Type": "application/json"}
MALFORMED = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b"\xff\xfe{}",
    b'{"token": "\\ud800"}',
    b'{"n": NaN}',
    b'{"n": Infinity}',
    b'{"n": 1e999}',
    b'{"n": ' + b"9" * 5_000 + b"}",
    b'{"n": 1, "n": 2, "x": 3}',
    b'{"n": true}',
    b'{"n": "1"}',
    b'{"n": 1.0}',
    b'{"n": -1}',
    b'{"__proto__": {"n": 1}}',
    DEEP.encode(),
    b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    b"\x00" * 100,
    b"n=1&token=x",
    b"--x\r\nContent-Disposition: form-data; name=n\r\n\r\n1\r\n--x--",
]
TARGETS = ["/api/session", "/api/answers", "/api/campaigns/1/tasks", "/api/campaigns/1/consent"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server for all requests that are refused: none of them leaves anything behind."""
    with serve_pictured(tmp_path_factory.mktemp("bodies")) as found:
        yield found


@pytest.fixture(scope="module")
def insider(shared: Served) -> Visitor:
    """Somebody with a session there."""
    return shared.enter(shared.people[0])


@pytest.mark.parametrize("path", TARGETS)
@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: body[:24].decode("latin-1"))
def test_what_is_no_request_is_refused_in_words(insider: Visitor, path: str, body: bytes) -> None:
    reply = insider.ask("POST", path, content=body, headers=JSON)
    assert reply.status_code in {400, 413, 422}
    assert isinstance(reply.json()["detail"], str)
    assert HEADERS.items() <= {name: reply.headers.get(name) for name in HEADERS}.items()
    assert insider.get("/api/session").status_code == 200


@pytest.mark.parametrize("path", TARGETS)
@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/html", "nonsense"],
)
def test_another_content_type_is_refused(shared: Served, insider: Visitor, path: str, kind: str) -> None:
    body = json.dumps({"token": shared.people[0].token, "n": 1, "version": 1})
    reply = insider.ask("POST", path, content=body, headers={"Content-Type": kind})
    assert reply.status_code in {415, 422}
    assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("path", [*TARGETS, "/api/guest", "/nothing", "/"])
def test_a_body_that_says_it_is_too_long_is_not_read(insider: Visitor, path: str) -> None:
    reply = insider.ask("POST", path, content=b"x", headers={**JSON, "Content-Length": str(MAX_BODY + 1)})
    assert reply.status_code == 413


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "99999999999999999999999"])
def test_a_length_that_is_none_is_refused(insider: Visitor, length: str) -> None:
    reply = insider.ask("POST", "/api/answers", content=b"x", headers={**JSON, "Content-Length": length})
    assert reply.status_code == 413


@pytest.mark.parametrize("path", TARGETS)
def test_a_body_that_is_longer_than_it_says_is_read_as_far_as_allowed(insider: Visitor, path: str) -> None:
    reply = insider.ask("POST", path, content=b" " * (MAX_BODY + 1), headers={**JSON, "Content-Length": "5"})
    assert reply.status_code == 413


def test_an_answer_may_not_be_long(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    reply = annotator.post("/api/answers", make_body(task, answer={"mask": "5", "x": "y" * MAX_ANSWER}))
    assert reply.status_code == 413


@pytest.mark.parametrize(
    "wrong",
    [
        {"client_id": "short"},
        {"client_id": "x" * 65},
        {"client_id": "with blank in it"},
        {"client_id": "line\nbreak-id"},
        {"client_id": "nul\x00inside"},
        {"client_id": "<script>alert(1)</script>"},
        {"client_id": 12345678},
        {"assignment_id": "../../etc/passwd"},
        {"assignment_id": None},
        {"answer": "5"},
        {"answer": ["5"]},
        {"answer": None},
        {"seconds": -1},
        {"seconds": 1e8},
        {"seconds": "1"},
        {"revision": -1},
        {"revision": 10**9},
        {"revision": 1.5},
        {"revision": True},
        {"status": "counted"},
        {"annotator_id": 1},
    ],
)
def test_an_answer_with_a_wrong_field_is_refused(served: Served, annotator: Visitor, wrong: dict[str, object]) -> None:
    (task,) = annotator.take(served.campaign)
    assert annotator.post("/api/answers", make_body(task, **wrong)).status_code == 422
    assert annotator.post("/api/answers", make_body(task)).json() == {"status": "stored"}


def test_a_mask_that_does_not_fit_is_refused_in_words(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    reply = annotator.post("/api/answers", make_body(task, answer={"mask": "fff"}))
    assert (reply.status_code, reply.json()["detail"]) == (409, "The mask selects a cell beyond the 8 of the grid.")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "client_id": JSON_VALUES,
            "assignment_id": JSON_VALUES,
            "answer": JSON_VALUES,
            "seconds": JSON_VALUES,
            "revision": JSON_VALUES,
        },
    )
)
def test_no_json_makes_the_server_fail(served: Served, annotator: Visitor, body: dict[str, object]) -> None:
    reply = annotator.ask(
        "POST", "/api/answers", content=json.dumps(body).encode("utf-8", "surrogatepass"), headers=JSON
    )
    assert reply.status_code in {409, 422}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON_VALUES)
def test_no_answer_in_an_answer_makes_the_server_fail(served: Served, annotator: Visitor, value: object) -> None:
    task = annotator.take(served.campaign)[0]
    body = json.dumps(make_body(task, answer={"mask": value, "selected": value, "main": value})).encode()
    assert annotator.ask("POST", "/api/answers", content=body, headers=JSON).status_code in {200, 404, 409, 413, 422}


@pytest.mark.parametrize("number", ["0", "-1", "2147483648", "9" * 30, "9" * 5_000, "1.5", "x", "%00"])
@pytest.mark.parametrize("path", ["/api/campaigns/{}/previous", "/campaigns/{}", "/campaigns/{}/thanks"])
def test_a_number_that_no_campaign_has_is_refused(insider: Visitor, number: str, path: str) -> None:
    assert insider.get(path.format(number)).status_code in {404, 409, 422}


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "PROPFIND"])
@pytest.mark.parametrize("path", ["/api/answers", "/", "/images/00000000/0", "/nothing"])
def test_other_methods_are_refused(insider: Visitor, method: str, path: str) -> None:
    assert insider.ask(method, path).status_code in {404, 405}


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/api/nothing",
        "/api/answers",
        "/manage",
        "/images/00000000/0",
        "/static/none.js",
        "/openapi.json",
        "/",
    ],
)
def test_every_reply_has_the_same_guard(shared: Served, path: str) -> None:
    reply = shared.nobody.get(path)
    assert {name: reply.headers.get(name) for name in HEADERS} == HEADERS
    assert "cache-control" in reply.headers
    assert "server" not in reply.headers


def test_a_failure_that_nobody_foresaw_has_the_guard_and_tells_nothing(
    served: Served, annotator: Visitor, monkeypatch
) -> None:
    def fail(*_args: object, **_more: object) -> None:
        raise RuntimeError("SECRET detail")

    monkeypatch.setattr("regauge.server.annotate.api.find_previous", fail)
    monkeypatch.setattr("regauge.server.writer.submit_answers", fail)
    (task,) = annotator.take(served.campaign)
    for reply in (
        annotator.get(f"/api/campaigns/{served.campaign.id}/previous"),
        annotator.post("/api/answers", make_body(task)),
    ):
        assert reply.status_code == 500
        assert "SECRET" not in reply.text
        assert {name: reply.headers.get(name) for name in HEADERS} == HEADERS


HOSTILE = "<img src=x onerror=alert(1)>\"'&"


def test_hostile_names_come_as_data(served: Served, annotator: Visitor, monkeypatch) -> None:
    monkeypatch.setattr("regauge.server.annotate.api.view_task", lambda *_: {"target": {"name": HOSTILE}})
    reply = annotator.post(f"/api/campaigns/{served.campaign.id}/tasks", {"n": 1})
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.json()[0]["view"]["target"]["name"] == HOSTILE
