"""In round 1 every byte that a panelist is sent is the same whether the others have voted or not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.panel.panel_study import NAME, Panelled, send, serve_panel
from tests.server.served_study import Visitor
from tests.server.test_access import ROUTES
from tests.verify.verify_study import Told
from tests.waits import wait_for

OWN = re.compile(rb'"taken_at":\s*"[^"]*"|"exposure": \[[^\]]*\]|<input id="seed"[^>]*>')
"""When they took their data along, the images that they were shown so far, which is written down later, and a random seed."""
TELLING_TIME = {"content-length", "date", "x-request-id", "server-timing"}
ELSEWHERE = {"/metrics", "/healthz", "/api/classes/index/{digest}"}
"""What needs a token of its own, or says nothing of the study; the classes, which never change."""
SECRETS = (b"zebra crossing", b"https://example.org/secret")
"""What the others argue and show."""


@pytest.fixture
def panelled(tmp_path: Path, database: str) -> Iterator[Panelled]:
    with serve_panel(tmp_path, database=database) as made:
        yield made


def list_addresses(panelled: Told, tasks: list[dict[str, Any]], *, name: str = NAME) -> list[str]:
    """Every address that can be read, for the campaign, its items, images and people."""
    campaign, found = panelled.get(name), set()
    values = {
        "campaign_id": [str(campaign.id)],
        "assignment_id": [one["id"] for one in tasks],
        "annotator_id": [str(one.annotator.id) for one in panelled.panel],
        "task_id": [str(number) for number in range(1, 4)],
        "number": ["0", "1"],
        "cell": ["0"],
        "class_index": ["1", "6"],
        "which": ["tested"],
        "place": ["0", "1"],
    }
    for method, route in ROUTES:
        if method != "GET" or route in ELSEWHERE:
            continue
        paths = [route]
        for word in re.findall(r"{(\w+)}", route):
            paths = [path.replace(f"{{{word}}}", value) for path in paths for value in values.get(word, ["1"])]
        found.update(paths)
    assert len(found) > 50
    return sorted(found)


def read(visitor: Visitor, addresses: list[str]) -> dict[str, bytes]:
    """What comes back, headers included, without what tells the time: once it comes back alike, as who looks has seen images."""
    found = read_once(visitor, addresses)

    def is_settled() -> bool:
        before = dict(found)
        found.update(read_once(visitor, addresses))
        return found == before

    wait_for(is_settled, "the same twice")
    return found


def read_once(visitor: Visitor, addresses: list[str]) -> dict[str, bytes]:
    found = {}
    for address in addresses:
        reply = visitor.get(address)
        headers = sorted((name, value) for name, value in reply.headers.items() if name not in TELLING_TIME)
        found[address] = f"{reply.status_code} {headers}".encode() + OWN.sub(b"", reply.content)
    return found


def vote_secretly(panelled: Panelled) -> None:
    """The first, who is a chair, and the second vote on everything, each with an argument and evidence."""
    for place in (0, 1):
        for task in panelled.take_all(place).values():
            evidence = {"text": "zebra crossing", "link": "https://example.org/secret"}
            said: dict[str, Any] = {"argument": "zebra crossing", "evidence": evidence, "problematic": True}
            assert send(panelled.enter(panelled.panel[place]), task, "unclear", **said).status_code == 200


def test_nothing_that_a_panelist_is_sent_depends_on_what_the_others_did(panelled: Panelled) -> None:
    tasks = list(panelled.take_all(2).values())
    third = panelled.enter(panelled.panel[2])
    # They have voted on one item, and still have the others.
    assert send(third, tasks[0], "correct", argument="My own.").status_code == 200
    addresses = list_addresses(panelled, tasks)
    before = read(third, addresses)
    vote_secretly(panelled)
    after = read(third, addresses)
    assert [one for one in addresses if before[one] != after[one]] == []
    names = [one.annotator.name.encode() for one in panelled.panel[:2]]
    assert not [one for one, content in after.items() for secret in (*SECRETS, *names) if secret in content]
    again = panelled.take_all(2)
    assert [one["view"]["discussion"] for one in again.values()] == [None, None]
    assert send(third, tasks[1], "wrong").json() == {"status": "stored"}


def test_a_manager_who_may_be_a_panelist_is_shown_nothing_either(panelled: Panelled) -> None:
    # The third alone has begun; nobody else has agreed to the text.
    tasks = list(panelled.take_all(2).values())
    manager = panelled.enter(panelled.manager)
    addresses = list_addresses(panelled, tasks)
    before = read(manager, addresses)
    assert before["/manage/exposure"].startswith(b"200")
    vote_secretly(panelled)
    after = read(manager, addresses)
    assert [one for one in addresses if before[one] != after[one]] == []
    assert not [one for one, content in after.items() for secret in SECRETS if secret in content]


def test_what_a_manager_changes_tells_of_no_votes_either(panelled: Panelled) -> None:
    manager, (first, second, _) = panelled.enter(panelled.manager), panelled.panel
    panelled.take_all(0)
    told = [manager.post(f"/api/manage/people/{one.annotator.id}/release", {}) for one in (first, second)]
    # The first keeps three tasks, the second none.
    assert [one.json()["detail"].replace(second.annotator.name, first.annotator.name) for one in told] == [
        f"{first.annotator.name} holds no task outside of panels in round 1."
    ] * 2
    plans = [manager.get(f"/api/manage/people/{one.annotator.id}/erasure").json() for one in (first, second)]
    assert plans == [{"n_answers": 0, "n_campaigns": 0, "labels": [], "blind": [NAME]}] * 2


def test_all_of_it_is_told_once_the_round_is_closed(panelled: Panelled) -> None:
    for place in range(3):
        panelled.cast(place, dict.fromkeys((6, 7, 8), "wrong"))
    manager, who = panelled.enter(panelled.manager), panelled.panel[1].annotator
    assert "Not shown before round 1 is closed: what panelists see in panel." in manager.get("/manage/exposure").text
    assert panelled.enter_act(0, "close").status_code == 200
    shown = manager.get("/manage/exposure").text
    assert who.name in shown
    assert "Not shown before" not in shown
    plan = manager.get(f"/api/manage/people/{who.id}/erasure").json()
    assert (plan["n_answers"], plan["n_campaigns"], plan["blind"]) == (3, 1, [])


def test_a_chair_is_a_panelist_until_the_round_is_closed(panelled: Panelled) -> None:
    tasks = list(panelled.take_all(0).values())
    chair = panelled.enter(panelled.panel[0])
    addresses = list_addresses(panelled, tasks)
    before = read(chair, addresses)
    for place in (1, 2):
        for task in panelled.take_all(place).values():
            assert (
                send(panelled.enter(panelled.panel[place]), task, "wrong", argument="zebra crossing").status_code == 200
            )
    after = read(chair, addresses)
    assert [one for one in addresses if before[one] != after[one]] == []
