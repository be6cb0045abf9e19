"""Erasure from the manager's pages: foreseen, done in the manager's name, and out at once."""

from __future__ import annotations

from typing import Any

from tests.server.manager_forms import answer_all
from tests.server.served_study import Served, Visitor, make_body
from tests.workflows.campaign_studies import get_clock

from regauge.storage.events import list_events
from regauge.storage.labels.label_set import list_label_sets
from regauge.workflows.labels.campaign_labels import PreparedLabels, prepare_labels
from regauge.workflows.studies.study import Study


def test_the_manager_erases_somebody_with_their_answers(served: Served, annotator: Visitor) -> None:
    (task,) = annotator.take(served.campaign)
    annotator.post("/api/answers", make_body(task))
    get_clock(served.study).jump(1)
    manager = served.enter(served.manager)
    number = served.people[0].annotator.id
    plan = manager.get(f"/api/manage/people/{number}/erasure").json()
    assert plan == {"n_answers": 1, "n_campaigns": 1, "labels": [], "blind": []}
    body = {"reason": "annotator-0001 asked", "with_answers": True}
    done = manager.post(f"/api/manage/people/{number}/erase", body).json()
    assert (done["name"], done["n_answers"], done["scrubbed"]) == ("erased-0001", 1, True)
    assert annotator.get("/api/session").status_code == 401
    assert "annotator-0001" not in manager.get("/manage/people").text + manager.get("/manage/log").text
    with served.study.read() as reading:
        last = list_events(reading)[-1]
    assert (last.what, last.who, last.parameters["reason"]) == ("annotator erase", "manager", "erased-0001 asked")
    assert manager.post(f"/api/manage/people/{number}/erase", body).status_code == 409


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


def test_labels_that_were_counted_before_an_erasure_are_not_stored_after_it(served: Served, monkeypatch) -> None:
    answer_all(served, masks=dict.fromkeys(range(len(served.people)), "ff"))
    manager = served.enter(served.manager)
    number = served.people[0].annotator.id
    # The labels are being read while the erasure would empty the log: it need not wait for them long.
    for name in ("BUSY_SECONDS", "_CHECKPOINT_SECONDS"):
        monkeypatch.setattr(f"regauge.storage.people.erasure.{name}", 0.01)

    def prepare_and_wait(study: Study, campaign_id: int, **how: Any) -> PreparedLabels:
        found = prepare_labels(study, campaign_id, **how)
        body = {"reason": "asked", "with_answers": True}
        assert served.enter(served.manager).post(f"/api/manage/people/{number}/erase", body).status_code == 200
        return found

    path, body = f"/api/manage/campaigns/{served.campaign.id}/labels", {"name": "crowd", "min_shown": 1}
    with monkeypatch.context() as patch:
        patch.setattr("regauge.server.manage.labels.prepare_labels", prepare_and_wait)
        reply = manager.post(path, body)
    assert (reply.status_code, "build the labels again" in reply.text) == (409, True)
    with served.study.read() as reading:
        assert list_label_sets(reading) == ()
    assert manager.post(path, body).json()["full_name"] == "crowd@1"
