"""One's own data: all of it, nobody else's, no truth of controls; and asking to be erased."""

from __future__ import annotations

import json

from tests.server.served_study import Served, Visitor, make_body
from tests.workflows.campaign_studies import get_clock

from regauge.storage.events import count_events, list_events
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.openings import close_campaign
from regauge.workflows.people.erasure import list_pending_erasures


def work(served: Served, visitor: Visitor, n: int = 2) -> list[dict[str, object]]:
    tasks = visitor.take(served.campaign, n)
    for task in tasks:
        get_clock(served.study).jump(60)
        assert visitor.post("/api/answers", make_body(task, seconds=60.0)).status_code == 200
    return tasks


def test_the_page_says_what_is_stored(served: Served, annotator: Visitor) -> None:
    work(served, annotator)
    with served.study.begin() as begun:
        drop_annotator(begun, "grids", annotator="annotator-0001", reason="<b>too fast</b>")
    page = annotator.get("/me", headers={"Accept": "text/html"}).text
    for words in ("annotator-0001", "2026-01-31", "grids", "Agree?", "&lt;b&gt;too fast", "version 1"):
        assert words in page
    assert '<td>grids</td><td class="number">2</td><td class="number">2</td>' in page


def test_somebody_who_has_done_nothing_sees_that(served: Served) -> None:
    page = served.enter(served.people[1]).get("/me").text
    assert "You have not answered anything yet." in page


def test_the_file_has_every_answer_and_consent(served: Served, annotator: Visitor) -> None:
    tasks = work(served, annotator)
    annotator.post("/api/answers", make_body(tasks[0], client_id="client-again", revision=1, answer={"mask": "7"}))
    reply = annotator.get("/api/me")
    assert reply.headers["content-disposition"] == 'attachment; filename="my-data.json"'
    found = reply.json()
    assert found["name"] == "annotator-0001"
    assert [one["answer"]["mask"] for one in found["answers"]] == ["5", "5", "7"]
    assert [one["revision"] for one in found["answers"]] == [0, 0, 1]
    (consent,) = found["consents"]
    assert (consent["campaign"], consent["version"], consent["consent"]) == ("grids", 1, "Agree?")


def test_the_file_tells_nothing_about_controls_or_others(served: Served, annotator: Visitor) -> None:
    work(served, annotator)
    work(served, served.enter(served.people[1]))
    text = annotator.get("/api/me").text
    assert "annotator-0002" not in text
    found = json.loads(text)
    assert len(found["answers"]) == 2
    for one in found["answers"]:
        assert set(one["asked"]) == {"n_images", "class"}
        assert "status" not in one
    for word in ("cells", "control", "task_id", "assignment"):
        assert word not in text


def test_what_became_of_an_answer_is_not_told_when_the_campaign_is_closed_either(
    served: Served, annotator: Visitor
) -> None:
    # A campaign may be opened again, and whoever knew which tasks were repeats could still make the answers alike.
    work(served, annotator)
    with served.study.begin() as begun:
        close_campaign(begun, "grids")
    assert not any("status" in one for one in annotator.get("/api/me").json()["answers"])


def test_asking_to_be_erased_appears_in_the_log_and_on_the_page(served: Served, annotator: Visitor) -> None:
    assert "You asked for this on" not in annotator.get("/me").text
    assert annotator.post("/api/me/erasure", {"with_answers": True}).status_code == 204
    with served.study.read() as reading:
        last = list_events(reading)[-1]
    assert (last.what, last.who, last.parameters["with_answers"]) == ("erasure asked", "annotator-0001", True)
    assert "You asked for this on" in annotator.get("/me").text


def test_clicks_of_another_push_no_request_out(served: Served, annotator: Visitor) -> None:
    waiting = served.enter(served.people[1])
    assert waiting.post("/api/me/erasure", {"with_answers": False}).status_code == 204
    for _ in range(201):
        assert annotator.post("/api/me/erasure", {"with_answers": True}).status_code == 204
    with served.study.read() as reading:
        assert {one.annotator.name for one in list_pending_erasures(reading)} == {"annotator-0001", "annotator-0002"}
        assert count_events(reading, what="erasure asked") == 2
    assert 'data-erasure="2"' in served.enter(served.manager).get("/manage/people").text


def test_others_have_no_data_here(served: Served) -> None:
    for visitor in (served.enter_as_guest(), served.enter(served.manager)):
        for path in ("/me", "/api/me"):
            assert visitor.get(path).status_code == 404
        assert visitor.post("/api/me/erasure", {"with_answers": True}).status_code == 404
    assert served.nobody.get("/api/me").status_code == 401


def test_a_request_from_elsewhere_is_refused(served: Served, annotator: Visitor) -> None:
    body = {"with_answers": False}
    assert annotator.post("/api/me/erasure", body, headers={"X-CSRF-Token": "none"}).status_code == 403
    assert annotator.post("/api/me/erasure", {"with_answers": "yes"}).status_code == 422
