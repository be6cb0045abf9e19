"""The guide over HTTP: who may write and who may read it, what comes back in a conflict, and what a campaign hides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.served_study import Reply, Served, Visitor, serve_pictured
from tests.workflows.campaign_studies import add_people

from regauge.records.guide.entries import GuideEdit, GuideTopic
from regauge.records.labels.verdicts import Verdict
from regauge.storage.campaigns.image_failures import change_tasks
from regauge.storage.campaigns.payloads import load_payloads
from regauge.workflows.guide.cases import Citation, cite_verdict, withdraw_case
from regauge.workflows.guide.entries import get_guide_version, save_entry
from regauge.workflows.guide.pictures import hide_from_campaign

API = "/api/manage/guide"
TEXT = "# Ears\n\n![a cat](image:i3) [more](https://example.org)"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve_pictured(tmp_path) as running:
        yield running


def make_body(
    text: str, *, edited: int = 0, client_id: str = "page-0001", classes: tuple[int, ...] = (3,)
) -> dict[str, Any]:
    return {"classes": list(classes), "text": text, "edited": edited, "client_id": client_id}


def save(visitor: Visitor, text: str = TEXT, **more: Any) -> Reply:
    return visitor.post(f"{API}/entries", make_body(text, **more))


def test_the_manager_writes_and_sees_lists_entries_versions_and_pictures(served: Served) -> None:
    manager = served.enter(served.manager)
    assert save(manager).json() == {"version": 1}
    assert save(manager, "Cats climb.", classes=(5, 3), client_id="page-0002").json() == {"version": 2}
    listed = manager.get("/manage/guide").text
    assert "/manage/guide/3-5" in listed
    assert "<b>1</b> of 10 classes" in listed
    assert "<b>9</b> without" in listed
    assert "Ears" not in manager.get("/manage/guide?show=missing").text
    assert "/manage/guide/3-5" in manager.get("/manage/guide?words=climb").text
    page = manager.get("/manage/guide/3").text
    assert "<h3>Ears</h3>" in page
    assert 'rel="noopener noreferrer"' in page
    (path,) = re.findall(r'src="(/manage/guide/pictures/\d+/\d+)"', page)
    assert manager.get(path).headers["content-type"] == "image/jpeg"
    assert save(manager, "Whiskers.", edited=1, client_id="page-0003").json() == {"version": 3}
    assert "What this version changed" in manager.get("/manage/guide/3?version=1").text
    assert manager.post(f"{API}/restore", {"classes": [3], "version": 1, "edited": 3}).json() == {"version": 4}
    found = manager.get("/manage/guide/pair?first=3&second=dog")
    assert (found.status_code, found.headers["location"]) == (303, "/manage/guide/3-5")


def test_whoever_comes_second_gets_both_texts_and_nothing_is_stored(served: Served) -> None:
    manager = served.enter(served.manager)
    save(manager, "Ears & 3 < 4")
    reply = save(manager, "Tails.", client_id="page-0002")
    assert reply.status_code == 409
    said = reply.json()
    assert "changed in the meantime, in version 1 by manager" in said["detail"]
    assert said["current"] == {"version": 1, "text": "Ears & 3 < 4"}
    assert "Ears &amp; 3 &lt; 4" in said["parts"]["conflict"]
    assert "Tails." in said["parts"]["conflict"]
    assert save(manager, "Tails.", edited=1, client_id="page-0002").json() == {"version": 2}
    # The same save again, as a page sends it that never heard of the first.
    assert save(manager, "Tails.", edited=1, client_id="page-0002").json() == {"version": 2}


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "[x](javascript:alert(1))", "![](image:nowhere)", "x" * 20_001]
)
def test_what_may_not_stand_in_the_guide_is_refused_before_and_when_it_is_saved(served: Served, text: str) -> None:
    manager = served.enter(served.manager)
    for reply in (save(manager, text), manager.post(f"{API}/preview", {"text": text})):
        assert reply.status_code == 409
        assert reply.json()["detail"]
    with served.study.read() as reading:
        assert get_guide_version(reading) == 0


def test_a_text_is_looked_at_before_it_is_saved(served: Served) -> None:
    manager = served.enter(served.manager)
    assert "<em>a</em>" in manager.post(f"{API}/preview", {"text": "*a*"}).json()["parts"]["preview"]


def test_only_managers_write_and_only_from_our_pages(served: Served) -> None:
    annotator = served.enter(served.people[0])
    for path, body in (
        ("entries", make_body("x")),
        ("preview", {"text": "x"}),
        ("restore", {"classes": [3], "version": 1, "edited": 1}),
        ("cases", {"labels": "x", "image": "i3", "class_index": 3}),
        ("cases/withdraw", {"version": 1}),
    ):
        assert annotator.post(f"{API}/{path}", body).status_code == 403
        assert served.nobody.post(f"{API}/{path}", body).status_code == 401
        manager = served.enter(served.manager)
        assert manager.post(f"{API}/{path}", body, headers={"X-CSRF-Token": "wrong"}).status_code == 403
    for path in (
        "/manage/guide",
        "/manage/guide/3",
        "/manage/guide/pictures/1/0",
        "/manage/guide/pair?first=3&second=5",
    ):
        assert annotator.get(path).status_code == 403
        assert served.nobody.get(path).status_code == 401


@pytest.mark.parametrize(
    "path", ["/manage/guide/99", "/manage/guide/3-3", "/manage/guide/3?version=7", "/manage/guide/x"]
)
def test_an_entry_that_cannot_be_is_told_in_words(served: Served, path: str) -> None:
    reply = served.enter(served.manager).get(path, headers={"Accept": "text/html"})
    assert reply.status_code in {409, 422}
    assert "Traceback" not in reply.text


def fill(served: Served) -> None:
    with served.study.begin() as begun:
        save_entry(begun, GuideTopic(3), GuideEdit(TEXT))
        save_entry(begun, GuideTopic(3, 5), GuideEdit("Cats climb."))
        cite_verdict(begun, Citation("i13", 3, "clear"), verdict=Verdict.CORRECT)


def ask_about_nothing(served: Served) -> None:
    """Give no task of the campaign to anybody: whoever reads has nothing to judge, and sees every picture."""
    with served.study.begin() as begun:
        change_tasks(begun, {}, left_out=list(load_payloads(begun, served.campaign)))


def test_an_image_that_its_reader_has_still_to_judge_is_neither_shown_nor_to_be_had(served: Served) -> None:
    fill(served)
    annotator, where = served.enter(served.people[0]), f"/api/campaigns/{served.campaign.id}/guide"
    own = annotator.get(f"{where}/3").json()["entries"][0]
    assert (own["cases"], own["n_hidden"], own["n_unfinished"]) == ([], 0, 2)
    assert "<img" not in own["html"]
    assert [annotator.get(f"{where}/{path}").status_code for path in ("pictures/1/0", "cases/3")] == [404, 404]


def test_annotators_read_what_the_guide_says_of_a_class_by_addresses_that_tell_nothing(served: Served) -> None:
    fill(served)
    ask_about_nothing(served)
    annotator = served.enter(served.people[0])
    where = f"/api/campaigns/{served.campaign.id}/guide"
    reply = annotator.get(f"{where}/3")
    said = reply.json()
    assert said["version"] == 3
    assert [(one["title"], one["version"]) for one in said["entries"]] == [("cat", 1), ("cat or dog", 2)]
    (case,) = said["entries"][0]["cases"]
    assert case == {"picture": f"{where}/cases/3", "verdict": "correct", "name": "cat", "note": "clear"}
    assert f'src="{where}/pictures/1/0"' in said["entries"][0]["html"]
    # Neither the id of an image nor the name of its set.
    assert "i3" not in reply.text
    assert "i13" not in reply.text
    assert "pictures@" not in reply.text
    for address in (f"{where}/pictures/1/0", f"{where}/cases/3"):
        assert annotator.get(address).headers["content-type"] == "image/jpeg"
    for address in (f"{where}/pictures/1/1", f"{where}/pictures/3/0", f"{where}/cases/1", f"{where}/pictures/9/0"):
        assert annotator.get(address).status_code == 404
    assert annotator.get(f"{where}/8").json()["entries"] == []
    assert annotator.get(f"{where}/10").status_code == 409


def test_those_who_have_not_agreed_guests_and_strangers_read_nothing(served: Served) -> None:
    fill(served)
    where = f"/api/campaigns/{served.campaign.id}/guide"
    (newcomer,) = add_people(served.study, None, 1)
    guest = served.enter_as_guest()
    for path in ("3", "pictures/1/0", "cases/3"):
        assert served.nobody.get(f"{where}/{path}").status_code == 401
        assert guest.get(f"{where}/{path}").status_code in {404, 409}
        assert served.enter(newcomer).get(f"{where}/{path}").status_code in {404, 409}
        assert served.enter(served.people[0]).get(f"/api/campaigns/99/guide/{path}").status_code in {404, 409}
        assert served.enter(served.manager).get(f"{where}/{path}").status_code == 200


def test_what_a_campaign_hides_is_neither_told_of_nor_to_be_had(served: Served) -> None:
    fill(served)
    ask_about_nothing(served)
    with served.study.begin() as begun:
        hide_from_campaign(begun, served.campaign.name, sets=["pictures"])
    annotator = served.enter(served.people[0])
    where = f"/api/campaigns/{served.campaign.id}/guide"
    own = annotator.get(f"{where}/3").json()["entries"][0]
    assert (own["cases"], own["n_hidden"]) == ([], 2)
    assert "<img" not in own["html"]
    for path in ("pictures/1/0", "cases/3"):
        assert annotator.get(f"{where}/{path}").status_code == 404
    with served.study.begin() as begun:
        hide_from_campaign(begun, served.campaign.name, sets=[])
    assert annotator.get(f"{where}/cases/3").status_code == 200


def test_what_was_taken_out_of_the_guide_is_no_longer_to_be_had(served: Served) -> None:
    fill(served)
    annotator = served.enter(served.people[0])
    where = f"/api/campaigns/{served.campaign.id}/guide"
    with served.study.begin() as begun:
        withdraw_case(begun, 3)
        save_entry(begun, GuideTopic(3), GuideEdit("No picture.", edited=1))
    for path in ("pictures/1/0", "cases/3"):
        assert annotator.get(f"{where}/{path}").status_code == 404
