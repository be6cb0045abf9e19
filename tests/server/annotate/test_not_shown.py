"""Images that cannot be shown, over HTTP: noted with who was not shown them, told to the manager, and refused at opening."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.annotate.test_quiz import at, begin, send
from tests.server.manager_forms import fill_in
from tests.server.served_study import Served, make_body, serve_pictured
from tests.workflows.campaign_studies import add_people, make_pictured
from tests.workflows.quiz_campaigns import QUIZ, add_known, add_quizzed

from regauge.records.campaigns.campaign import Kind, Role
from regauge.records.campaigns.terms import Terms
from regauge.server.app import create_app
from regauge.server.manage import actions as manage
from regauge.workflows.annotation.quizzes import MAX_CLAIMS
from regauge.workflows.campaigns.image_failures import describe_failures
from regauge.workflows.people.invitations import renew_link


def spoil_half(folder: Path) -> None:
    for path in (folder / "pictures").glob("*.png"):
        if int(path.stem[1:]) % 2:
            path.write_bytes(path.read_bytes()[:150])


def count_noted(served: Served) -> int:
    with served.study.read() as reading:
        return sum(one.n_times for one in describe_failures(reading, served.campaign).images)


def test_an_image_that_cannot_be_shown_is_noted_once_with_who_asked(tmp_path: Path) -> None:
    with serve_pictured(tmp_path) as served:
        spoil_half(tmp_path)
        visitor = served.enter(served.people[0])
        (task,) = visitor.take(served.campaign)
        replies = [visitor.get(path).status_code for path in (*task["images"], *task["images"])]
        with served.study.read() as reading:
            found = describe_failures(reading, served.campaign)
        page = served.enter(served.manager).get(f"/manage/campaigns/{served.campaign.id}").text
        guest = served.enter_as_guest()
        tried = guest.take(served.campaign)[0]
        before = count_noted(served)
        # Guests are shown pictures of their own, which are always there.
        assert {guest.get(path).status_code for path in tried["images"]} == {200}
        assert count_noted(served) == before
    assert sum(one.n_times for one in found.images) == replies.count(404) / 2 > 0
    assert {one.annotators for one in found.images} == {(served.people[0].annotator.name,)}
    assert all("cannot be decoded" in one.reason and not one.is_ready for one in found.images)
    assert f"{len(found.images)} images of campaign grids could not be shown" in page
    assert all(f">{one.image_id}</a>" in page for one in found.images)
    assert served.people[0].annotator.name in page


def test_what_an_annotator_says_of_images_that_the_server_can_show_leaves_a_trace(tmp_path: Path) -> None:
    with serve_pictured(tmp_path) as served:
        visitor = served.enter(served.people[0])
        task, other = visitor.take(served.campaign, 2)
        sent = make_body(task, answer={"mask": "1", "not_shown": "6"})
        assert [visitor.post("/api/answers", sent).status_code for _ in range(2)] == [200, 200]
        assert visitor.post("/api/answers", make_body(other, answer={"not_shown": True})).status_code == 200
        refused = visitor.post("/api/answers", make_body(other, answer={"mask": "1"}, client_id="another-one"))
        with served.study.read() as reading:
            found = describe_failures(reading, served.campaign)
        page = served.enter(served.manager).get(f"/manage/campaigns/{served.campaign.id}").text
    assert refused.status_code == 409
    assert sum(one.n_times for one in found.images) == 2 + len(other["images"])
    assert all(not one.reason for one in found.images)
    assert "did not come; the server knows no reason" in page
    assert "Only their pages reported it" in page


def test_a_folder_that_is_not_mounted_is_told_on_the_page_in_one_sentence(tmp_path: Path) -> None:
    with serve_pictured(tmp_path) as served:
        (tmp_path / "pictures").rename(tmp_path / "gone")
        page = served.enter(served.manager).get(f"/manage/campaigns/{served.campaign.id}").text
    assert page.count("None of the images of pictures is there below") == 1
    assert str(tmp_path / "pictures") in page


def test_the_page_opens_no_campaign_that_cannot_show_its_images_unless_told_to(tmp_path: Path, monkeypatch) -> None:
    with serve_pictured(tmp_path) as served:
        manager = served.enter(served.manager)
        made = fill_in(manager)
        assert made.status_code == 201, made.text
        address = f"/api/manage/campaigns/{made.json()['id']}/open"
        spoil_half(tmp_path)
        refused = manager.post(address, {"reason": ""})
        monkeypatch.setattr(manage, "CHECK_SECONDS", -1.0)
        later = manager.post(address, {"reason": "", "leaves_out": True})
        opened = manager.post(address, {"reason": "", "leaves_out": True})
    assert refused.status_code >= 400
    assert "12 of 24 images of pictures cannot be shown" in refused.json()["detail"]
    # What was looked at is known by now, so that no time is needed.
    assert later.json()["state"] == "open"
    assert opened.status_code >= 400


def test_of_many_images_only_some_are_looked_at_in_one_request(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(manage, "CHECK_SECONDS", -1.0)
    monkeypatch.setattr("regauge.formats.images.fingerprints.CHUNK", 5)
    monkeypatch.setattr("regauge.workflows.campaigns.openings.CHUNK", 5)
    with serve_pictured(tmp_path) as served:
        manager = served.enter(served.manager)
        address = f"/api/manage/campaigns/{fill_in(manager).json()['id']}/open"
        for path in (tmp_path / "pictures").glob("*.png"):
            path.write_bytes(path.read_bytes() + b"\x00")
        views = [manager.post(address, {"reason": ""}).json() for _ in range(5)]
    assert [view["n_checked"] for view in views] == [5, 10, 15, 20, 0]
    assert [view["state"] for view in views] == ["draft"] * 4 + ["open"]


@pytest.mark.parametrize("kind", ["contains", "classify"])
def test_a_question_whose_image_is_not_shown_is_replaced_and_not_scored(tmp_path: Path, kind: Kind) -> None:
    with make_pictured(tmp_path) as study:
        add_known(study, tmp_path)
        campaign = add_quizzed(study, Terms(quiz=QUIZ), kind=kind, quota=3)
        people = add_people(study, campaign, 2)
        with study.begin() as begun:
            manager = renew_link(begun, "manager", role=Role.MANAGER)
        app = create_app(study)
        with TestClient(app, raise_server_exceptions=False) as client:
            served = Served(study, app, client, campaign, people, manager)
            visitor = served.enter(people[0])
            first = begin(served, visitor)["question"]
            answered = visitor.post(at(served, "/answers"), {"question": first["id"], "answer": {"not_shown": True}})
            other = served.enter(people[1]).post(at(served, "/reports"), {"question": first["id"]})
            view = visitor.post(at(served, "/reports"), {"question": first["id"]}).json()
            again = visitor.post(at(served, "/reports"), {"question": first["id"]})
            after = send(served, visitor, view["question"]).json()
            tried = served.enter(manager)
            trial = tried.post(at(served), {"attempt": 1}).json()["question"]
            passed = tried.post(at(served, "/reports"), {"question": trial["id"]}).json()
            noted = count_noted(served)
    assert (answered.status_code, other.status_code, again.status_code) == (409, 409, 409)
    assert view["question"]["id"] != first["id"]
    assert (view["n_answered"], view["n_questions"], noted) == (0, QUIZ.n_questions, 1)
    assert (after["is_right"], after["next"]["n_answered"]) == (True, 1)
    assert passed["question"]["id"] != trial["id"]


def test_nobody_picks_the_questions_of_a_quiz_by_saying_that_images_do_not_come(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        add_known(study, tmp_path)
        campaign = add_quizzed(study, Terms(quiz=QUIZ), quota=3)
        people = add_people(study, campaign, 1)
        with study.begin() as begun:
            manager = renew_link(begun, "manager", role=Role.MANAGER)
        app = create_app(study)
        with TestClient(app, raise_server_exceptions=False) as client:
            served = Served(study, app, client, campaign, people, manager)
            visitor = served.enter(people[0])
            question = begin(served, visitor)["question"]
            replies: list[Any] = []
            while not replies or replies[-1].status_code == 200:
                replies.append(visitor.post(at(served, "/reports"), {"question": question["id"]}))
                question = replies[-1].json().get("question", question)
            answered = send(served, visitor, question)
    assert 1 < len(replies) <= MAX_CLAIMS + 1
    assert (replies[-1].status_code, answered.status_code) == (409, 200)
