"""Who may do what, asked of every route there is; and nothing is done for pages of other sites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from tests.server.served_study import Served, Visitor, serve_pictured
from tests.workflows.campaign_studies import add_contains

from regauge.server import browse, doors, health
from regauge.server.annotate import (
    api,
    classes,
    expertises,
    guide,
    images,
    own,
    pages,
    quiz,
    reports,
    shown,
    threads,
    training,
)
from regauge.server.discussions import api as discussion_api
from regauge.server.discussions import evidence
from regauge.server.discussions import pages as discussion_pages
from regauge.server.manage import routes as manage_routes
from regauge.server.state import ServerSettings

EVERYBODY, SESSION, MANAGER, TOKEN = "everybody", "session", "manager", "whoever has the token"
RULES = {
    ("GET", "/"): EVERYBODY,
    ("GET", "/join"): EVERYBODY,
    ("GET", "/healthz"): EVERYBODY,
    ("GET", "/metrics"): TOKEN,
    ("GET", "/me"): SESSION,
    ("GET", "/api/me"): SESSION,
    ("POST", "/api/me/erasure"): SESSION,
    ("POST", "/api/session"): EVERYBODY,
    ("POST", "/api/guest"): EVERYBODY,
    ("GET", "/api/session"): SESSION,
    ("DELETE", "/api/session"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/consent"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/tasks"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/previous"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/examples"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/quiz"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/quiz"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/quiz/answers"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/quiz/reports"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/finish"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/return"): SESSION,
    ("GET", "/p/{campaign_id}"): EVERYBODY,
    ("GET", "/m/{campaign_id}"): EVERYBODY,
    ("POST", "/api/answers"): SESSION,
    ("GET", "/images/{assignment_id}/{cell}"): SESSION,
    ("GET", "/campaigns/{campaign_id}"): SESSION,
    ("GET", "/campaigns/{campaign_id}/thanks"): SESSION,
    ("POST", "/api/shown"): SESSION,
    ("POST", "/api/reports"): SESSION,
    ("GET", "/api/feedback/{assignment_id}"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/lessons"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/requests"): SESSION,
    ("GET", "/campaigns/{campaign_id}/group"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/group"): SESSION,
    ("GET", "/api/group/{assignment_id}"): SESSION,
    ("POST", "/api/group/{assignment_id}/note"): SESSION,
    ("POST", "/api/manage/campaigns/{campaign_id}/group-review"): MANAGER,
    ("GET", "/api/classes"): SESSION,
    ("GET", "/api/classes/index/{digest}"): SESSION,
    ("GET", "/api/classes/pictured"): SESSION,
    ("GET", "/api/classes/nodes/{node}/picture"): SESSION,
    ("GET", "/api/classes/{class_index}/card"): SESSION,
    ("GET", "/api/classes/{class_index}/{which}/{place}"): SESSION,
    ("GET", "/manage"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/open"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/participants"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/own-data"): MANAGER,
    ("GET", "/manage/exposure"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/close"): MANAGER,
    ("POST", "/api/manage/links"): MANAGER,
    ("GET", "/api/manage/campaigns/{campaign_id}/answers"): MANAGER,
    ("GET", "/api/manage/campaigns/{campaign_id}/annotators.csv"): MANAGER,
    ("GET", "/api/manage/overview"): MANAGER,
    ("POST", "/api/manage/campaigns"): MANAGER,
    ("GET", "/api/manage/campaigns/{campaign_id}/pulse"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/texts"): MANAGER,
    ("GET", "/api/manage/campaigns/{campaign_id}/annotators"): MANAGER,
    ("GET", "/api/manage/campaigns/{campaign_id}/annotators/{annotator_id}/effect"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/annotators/{annotator_id}/drop"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/annotators/{annotator_id}/restore"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/images/{number}/out"): MANAGER,
    ("GET", "/manage/campaigns/{campaign_id}/items"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/comments"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/assign"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/threads/{thread_id}"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/tasks/{task_id}/return"): MANAGER,
    ("GET", "/campaigns/{campaign_id}/discussion"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/discussion"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/discussion/items/{task_id}"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/discussion/close"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/discussion/lock"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/discussion/unlock"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/discussion/excuse"): SESSION,
    ("POST", "/api/evidence"): SESSION,
    ("GET", "/api/evidence/{token}"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/tasks/{assignment_id}/threads"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/tasks/{assignment_id}/comments"): SESSION,
    ("POST", "/api/campaigns/{campaign_id}/tasks/{assignment_id}/resolve"): SESSION,
    ("POST", "/api/manage/campaigns/{campaign_id}/labels/preview"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/coding"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/labels"): MANAGER,
    ("POST", "/api/manage/people/{annotator_id}/link"): MANAGER,
    ("POST", "/api/manage/people/{annotator_id}/sessions"): MANAGER,
    ("POST", "/api/manage/people/{annotator_id}/release"): MANAGER,
    ("POST", "/api/manage/people/{annotator_id}/expertise"): MANAGER,
    ("GET", "/api/expertises"): SESSION,
    ("GET", "/api/manage/people/{annotator_id}/erasure"): MANAGER,
    ("POST", "/api/manage/people/{annotator_id}/erase"): MANAGER,
    ("GET", "/manage/campaigns/new"): MANAGER,
    ("GET", "/manage/campaigns/{campaign_id}"): MANAGER,
    ("GET", "/manage/campaigns/{campaign_id}/annotators"): MANAGER,
    ("GET", "/manage/campaigns/{campaign_id}/images"): MANAGER,
    ("GET", "/manage/campaigns/{campaign_id}/images/{number}"): MANAGER,
    ("GET", "/manage/campaigns/{campaign_id}/images/{number}/picture"): MANAGER,
    ("GET", "/manage/campaigns/{campaign_id}/labels"): MANAGER,
    ("GET", "/manage/testsets/{name}"): MANAGER,
    ("GET", "/manage/testsets/{name}/{class_index}"): MANAGER,
    ("GET", "/manage/pools/{pool_id}/pictures/{row}"): MANAGER,
    ("GET", "/api/manage/draws/{test_set_id}/classes/{class_index}"): MANAGER,
    ("GET", "/api/manage/draws/{test_set_id}/classes/{class_index}/foresight"): MANAGER,
    ("POST", "/api/manage/draws/{test_set_id}/classes/{class_index}/reviewed"): MANAGER,
    ("POST", "/api/manage/draws/{test_set_id}/remove"): MANAGER,
    ("POST", "/api/manage/draws/{test_set_id}/restore"): MANAGER,
    ("POST", "/api/manage/draws/{test_set_id}/revise"): MANAGER,
    ("GET", "/api/manage/campaigns/{campaign_id}/judgement"): MANAGER,
    ("POST", "/api/manage/campaigns/{campaign_id}/judgement"): MANAGER,
    ("GET", "/manage/classes"): MANAGER,
    ("GET", "/manage/log"): MANAGER,
    ("GET", "/api/campaigns/{campaign_id}/guide/{class_index}"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/guide/pictures/{version}/{place}"): SESSION,
    ("GET", "/api/campaigns/{campaign_id}/guide/cases/{version}"): SESSION,
    ("GET", "/manage/guide"): MANAGER,
    ("GET", "/manage/guide/pair"): MANAGER,
    ("GET", "/manage/guide/{key}"): MANAGER,
    ("GET", "/manage/guide/pictures/{test_set_id}/{row}"): MANAGER,
    ("POST", "/api/manage/guide/preview"): MANAGER,
    ("POST", "/api/manage/guide/entries"): MANAGER,
    ("POST", "/api/manage/guide/restore"): MANAGER,
    ("POST", "/api/manage/guide/cases"): MANAGER,
    ("POST", "/api/manage/guide/cases/withdraw"): MANAGER,
    ("GET", "/manage/people"): MANAGER,
    ("GET", "/manage/relations"): MANAGER,
    ("GET", "/browse"): MANAGER,
    ("GET", "/browse/scripts/{digest}.js"): MANAGER,
    ("GET", "/browse/data/{site}/{name}.js"): MANAGER,
    ("GET", "/browse/pictures/{site}/{key}/{row}.jpg"): MANAGER,
    ("POST", "/api/manage/relations/propose"): MANAGER,
    ("POST", "/api/manage/relations/decide"): MANAGER,
}
"""Whom each route is for. A route that is not here fails a test."""
BODIES: dict[str, object] = {
    "/api/session": {"token": "nobody's"},
    "/api/me/erasure": {"with_answers": False},
    "/api/campaigns/{campaign_id}/consent": {"version": 1},
    "/api/campaigns/{campaign_id}/tasks": {"n": 1},
    "/api/campaigns/{campaign_id}/quiz": {"attempt": 1},
    "/api/campaigns/{campaign_id}/quiz/answers": {"question": "0" * 32, "answer": {"mask": "1"}},
    "/api/campaigns/{campaign_id}/quiz/reports": {"question": "0" * 32},
    "/api/answers": {"client_id": "client-1", "assignment_id": "0" * 32, "answer": {"mask": "1"}},
    "/api/manage/campaigns/{campaign_id}/judgement": {"reason": "seen", "looked_at": [1]},
    "/api/shown": {"assignment_id": "0" * 32},
    "/api/reports": {"client_id": "client-1", "assignment_id": "0" * 32, "place": 0, "problem": "broken"},
    "/api/campaigns/{campaign_id}/requests": {"names": ["cat"]},
    "/api/group/{assignment_id}/note": {"note": "The tail."},
    "/api/manage/campaigns/{campaign_id}/group-review": {"is_open": True},
    "/api/manage/links": {"n": 1},
    "/api/manage/people/{annotator_id}/erase": {"reason": "asked"},
    "/api/manage/campaigns/{campaign_id}/texts": {"instructions": "Look.", "consent": "Agree?", "version": 1},
    "/api/manage/campaigns/{campaign_id}/annotators/{annotator_id}/drop": {"reason": "too fast"},
    "/api/manage/campaigns/{campaign_id}/annotators/{annotator_id}/restore": {"reason": "not so fast"},
    "/api/manage/campaigns/{campaign_id}/images/{number}/out": {"reason": "upsetting"},
    "/api/manage/campaigns/{campaign_id}/assign": {"tasks": [1]},
    "/api/manage/campaigns/{campaign_id}/comments": {"client_id": "client-1", "image": 0, "text": "?"},
    "/api/manage/campaigns/{campaign_id}/threads/{thread_id}": {"is_resolved": True},
    "/api/manage/people/{annotator_id}/expertise": {"expertises": ["dogs"]},
    "/api/manage/campaigns/{campaign_id}/tasks/{task_id}/return": {"annotator": 2, "image": 0, "text": "?"},
    "/api/campaigns/{campaign_id}/tasks/{assignment_id}/comments": {"client_id": "client-1", "text": "?"},
    "/api/campaigns/{campaign_id}/tasks/{assignment_id}/resolve": {"thread": 1, "is_resolved": True},
    "/api/manage/campaigns/{campaign_id}/labels/preview": {},
    "/api/manage/campaigns/{campaign_id}/coding": {"participant": "x"},
    "/api/manage/campaigns/{campaign_id}/labels": {"name": "crowd"},
    "/api/manage/draws/{test_set_id}/remove": {"image_id": "i0", "reason": "wrong class"},
    "/api/manage/draws/{test_set_id}/restore": {"image_id": "i0"},
    "/api/manage/draws/{test_set_id}/revise": {},
    "/api/manage/guide/preview": {"text": "Ears."},
    "/api/manage/guide/entries": {"classes": [3], "text": "Ears.", "edited": 0, "client_id": "page-0001"},
    "/api/manage/guide/restore": {"classes": [3], "version": 1, "edited": 1},
    "/api/manage/guide/cases": {"labels": "crowd", "image": "i0", "class_index": 3},
    "/api/manage/guide/cases/withdraw": {"version": 1},
    "/api/campaigns/{campaign_id}/discussion/lock": {"items": [{"task": 1, "version": 0}]},
    "/api/campaigns/{campaign_id}/discussion/unlock": {"task": 1, "reason": "one more look"},
    "/api/campaigns/{campaign_id}/discussion/excuse": {"panelist": "somebody", "reason": "left"},
    "/api/evidence": {"assignment_id": "0" * 32, "content": "AAAA"},
    "/api/manage/relations/decide": {
        "kind": "same",
        "first": 0,
        "second": 1,
        "status": "accepted",
        "reason": "nobody tells them apart",
    },
}
ROUTES = [
    (method, route.path)
    for router in (
        *manage_routes.ROUTERS,
        browse.router,
        *(
            module.router
            for module in (
                *(api, classes, doors, expertises, guide, health, images, own, pages, quiz, reports, shown, threads),
                *(training, discussion_api, discussion_pages, evidence),
            )
        ),
    )
    for route in router.routes
    if isinstance(route, APIRoute)
    for method in route.methods or ()
]


@pytest.fixture(scope="module")
def module_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_pictured(tmp_path_factory.mktemp("access")) as found:
        yield found


def ask(visitor: Visitor, method: str, path: str, **headers: str) -> int:
    places = {"test_set_id": 1, "class_index": 0, "pool_id": 1, "row": 0, "name": "pictures", "version": 1, "place": 0}
    places |= {"thread_id": 1, "task_id": 1}
    places |= {"site": "0" * 12, "digest": "0" * 16, "node": "n1", "which": "tested", "token": "0" * 32}
    real = path.format(campaign_id=1, assignment_id="0" * 32, cell=0, annotator_id=2, number=0, key="3", **places)
    reply = visitor.ask(method, real, json=BODIES.get(path), headers=headers)
    return int(reply.status_code)


def test_every_route_has_a_rule() -> None:
    assert set(ROUTES) == set(RULES)


@pytest.mark.parametrize(("method", "path"), sorted(RULES))
def test_nobody_gets_only_what_is_for_everybody(module_served: Served, method: str, path: str) -> None:
    status = ask(module_served.nobody, method, path)
    if RULES[method, path] == EVERYBODY:
        # Doors say 400 to those who come without what a platform adds.
        assert status in {200, 303, 400} or path == "/api/session"
    else:
        assert status == (403 if RULES[method, path] == TOKEN else 401)


@pytest.mark.parametrize("role", ["guest", "annotator"])
@pytest.mark.parametrize(("method", "path"), sorted(RULES))
def test_only_the_manager_gets_what_is_the_managers(module_served: Served, role: str, method: str, path: str) -> None:
    visitor = module_served.enter_as_guest() if role == "guest" else module_served.enter(module_served.people[0])
    status = ask(visitor, method, path)
    if RULES[method, path] in {MANAGER, TOKEN}:
        assert status == 403
    elif path != "/api/session" or method != "POST":
        assert status in {200, 204, 303, 400, 404, 409}


@pytest.mark.parametrize(("method", "path"), sorted(RULES))
def test_the_manager_is_refused_nothing(module_served: Served, method: str, path: str) -> None:
    if (method, path) != ("POST", "/api/session") and RULES[method, path] != TOKEN:
        assert ask(module_served.enter(module_served.manager), method, path) not in {401, 403}


CHANGES = sorted(key for key, rule in RULES.items() if key[0] != "GET" and rule != EVERYBODY)


@pytest.mark.parametrize("token", ["", "0" * 64, "é"])
@pytest.mark.parametrize(("method", "path"), CHANGES)
def test_a_change_needs_the_token_of_a_page(module_served: Served, method: str, path: str, token: str) -> None:
    visitor = module_served.enter(module_served.manager)
    bare = Visitor(visitor.client, {"Cookie": visitor.headers["Cookie"]})
    assert ask(bare, method, path, **({"X-CSRF-Token": token} if token.isascii() and token else {})) == 403


@pytest.mark.parametrize(("method", "path"), CHANGES)
def test_a_token_of_another_session_is_no_good(module_served: Served, method: str, path: str) -> None:
    visitor = module_served.enter(module_served.manager)
    again = module_served.enter(module_served.manager)
    assert ask(visitor, method, path, **{"X-CSRF-Token": again.headers["X-CSRF-Token"]}) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(("method", "path"), sorted(key for key in RULES if key[0] != "GET"))
def test_a_page_of_another_site_changes_nothing(module_served: Served, method: str, path: str, site: str) -> None:
    visitor = module_served.enter(module_served.people[0])
    assert ask(visitor, method, path, **{"Sec-Fetch-Site": site}) == 403


def test_another_site_cannot_turn_an_annotator_into_a_guest(module_served: Served) -> None:
    reply = module_served.nobody.post("/api/guest", headers={"Sec-Fetch-Site": "cross-site"})
    assert reply.status_code == 403
    assert "set-cookie" not in reply.headers


def test_reading_by_a_link_from_another_site_works(module_served: Served) -> None:
    assert module_served.nobody.get("/join", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_there_are_no_guests_unless_they_are_let_in(tmp_path: Path) -> None:
    with serve_pictured(tmp_path, settings=ServerSettings()) as found:
        assert found.nobody.post("/api/guest").status_code == 403


def test_nothing_that_a_guest_does_is_kept(served: Served) -> None:
    guest = served.enter_as_guest()
    (task, _) = guest.take(served.campaign)
    assert task["id"].startswith("guest-")
    body = {"client_id": "client-1", "assignment_id": task["id"], "answer": {"mask": "5"}}
    assert guest.post("/api/answers", body).json() == {"status": "guest"}
    assert guest.get(task["images"][0]).status_code == 200
    assert guest.post("/api/answers", {**body, "answer": {"mask": "zz"}}).status_code == 409
    forged = task["id"][:-1] + ("1" if task["id"].endswith("0") else "0")
    assert guest.post("/api/answers", {**body, "assignment_id": forged}).status_code == 404
    with served.study.read() as reading:
        for table in ("assignments", "responses", "consents"):
            rows = reading.connection.exec_driver_sql(f"SELECT annotator_id FROM {table}").all()  # noqa: S608
            assert 0 not in {row[0] for row in rows}


def test_guests_see_no_campaign_that_is_not_open(served: Served) -> None:
    manager = served.enter(served.manager)
    assert manager.post(f"/api/manage/campaigns/{served.campaign.id}/close").status_code == 200
    assert served.enter_as_guest().post(f"/api/campaigns/{served.campaign.id}/tasks", {"n": 1}).status_code == 409


def test_the_interactive_docs_are_off(served: Served) -> None:
    for path in ("/docs", "/redoc", "/docs/oauth2-redirect"):
        assert served.nobody.get(path).status_code == 404


def test_an_annotator_cannot_tell_a_campaign_that_is_not_open_yet_from_none(served: Served, annotator: Visitor) -> None:
    hidden = add_contains(served.study, "hidden draft", is_open=False)

    def try_everything(number: int) -> list[tuple[int, str]]:
        replies = [
            annotator.post(f"/api/campaigns/{number}/tasks", {"n": 1}),
            annotator.post(f"/api/campaigns/{number}/consent", {"version": 1}),
            annotator.get(f"/api/campaigns/{number}/previous"),
            annotator.get(f"/campaigns/{number}"),
            annotator.get(f"/campaigns/{number}/thanks"),
        ]
        return [(reply.status_code, reply.text) for reply in replies]

    assert try_everything(hidden.id) == try_everything(999)
    assert "hidden" not in annotator.get("/").text
