"""Erasure from the manager's pages: foreseen, done in the manager's name, and out at once."""

from __future__ import annotations

from tests.server.serving import Served, Visitor, make_body
from tests.workflows.campaigning import get_clock

from regauge.storage.events import list_events


def test_the_manager_erases_somebody_with_their_answers(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    annotator.post("/api/answers", make_body(task))
    get_clock(served.study).jump(1)
    manager = served.enter(served.manager)
    number = served.people[0].annotator.id
    plan = manager.get(f"/api/manage/people/{number}/erasure").json()
    assert plan == {"n_answers": 1, "n_campaigns": 1, "labels": []}
    wish = {"reason": "annotator-0001 asked", "with_answers": True}
    done = manager.post(f"/api/manage/people/{number}/erase", wish).json()
    assert (done["name"], done["n_answers"], done["scrubbed"]) == ("erased-0001", 1, True)
    assert annotator.get("/api/session").status_code == 401
    assert "annotator-0001" not in manager.get("/manage/people").text + manager.get("/manage/log").text
    with served.study.read() as reading:
        last = list_events(reading)[-1]
    assert (last.what, last.who, last.parameters["reason"]) == ("annotator erase", "manager", "erased-0001 asked")
    assert manager.post(f"/api/manage/people/{number}/erase", wish).status_code == 409


def test_a_reason_is_needed_and_managers_stay(served: Served) -> None:
    manager = served.enter(served.manager)
    number = served.people[0].annotator.id
    assert manager.post(f"/api/manage/people/{number}/erase", {"reason": ""}).status_code == 422
    assert manager.post(f"/api/manage/people/{number}/erase", {"reason": " "}).status_code == 409
    own = served.manager.annotator.id
    assert manager.post(f"/api/manage/people/{own}/erase", {"reason": "asked"}).status_code == 409
    assert manager.get("/api/manage/people/99999/erasure").status_code == 409


def test_pages_that_showed_the_name_before_forget_it(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    annotator.post("/api/answers", make_body(task))
    manager = served.enter(served.manager)
    page = f"/api/manage/campaigns/{served.campaign.id}/annotators"
    assert "annotator-0001" in manager.get(page).text
    number = served.people[0].annotator.id
    assert manager.post(f"/api/manage/people/{number}/erase", {"reason": "asked"}).status_code == 200
    text = manager.get(page).text
    assert "annotator-0001" not in text
    assert "erased-0001" in text
    export = manager.get(f"/api/manage/campaigns/{served.campaign.id}/annotators.csv").text
    assert "annotator-0001" not in export
