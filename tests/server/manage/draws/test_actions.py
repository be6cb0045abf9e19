"""The pages of drawn test sets over HTTP: what they show, what reviewers do, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient
from tests.server.served_study import Visitor
from tests.workflows.pool_studies import PLAN, Pooled, make_pooled

from regauge.records.campaigns.campaign import Role
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind
from regauge.records.testsets.pool import DrawSources, ExclusionRule
from regauge.records.testsets.sampling import Draw, SamplingPlan, Strategy
from regauge.records.testsets.test_set import TestSet
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.storage.events import list_events
from regauge.storage.testsets.test_set import insert_test_set
from regauge.workflows.people.invitations import renew_link
from regauge.workflows.testsets.draw_descriptions import describe_draw
from regauge.workflows.testsets.draw_reviews import remove_from_draw
from regauge.workflows.testsets.draws import draw_test_set


@dataclass(frozen=True, slots=True, eq=False)
class Reviewing:
    """A manager in front of a drawn test set."""

    pooled: Pooled
    draw: Draw
    number: int
    manager: Visitor

    @property
    def api(self) -> str:
        return f"/api/manage/draws/{self.number}"

    def remove(self, image_id: str, reason: str = "wrong class") -> int:
        reply = self.manager.post(f"{self.api}/remove", {"image_id": image_id, "reason": reason})
        return int(reply.status_code)

    def list_events(self) -> list[tuple[str, str]]:
        with self.pooled.study.read() as reading:
            return [(event.what, event.who) for event in list_events(reading)]


@pytest.fixture
def reviewing(tmp_path: Path) -> Iterator[Reviewing]:
    with make_pooled(tmp_path, with_files=True) as pooled:
        with pooled.study.begin() as begun:
            made = draw_test_set(begun, PLAN, name="my set", sources=pooled.sources)
            invitation = renew_link(begun, "boss", role=Role.MANAGER)
        with TestClient(create_app(pooled.study, ServerSettings()), raise_server_exceptions=False) as client:
            reply = Visitor(client, {}).post("/api/session", {"token": invitation.token})
            cookie = reply.headers["set-cookie"].split(";")[0]
            manager = Visitor(client, {"Cookie": cookie, "X-CSRF-Token": reply.json()["csrf"]})
            yield Reviewing(pooled, made.draw, made.entry.id, manager)


def test_the_overview_leads_to_drawn_sets_and_only_to_those(reviewing: Reviewing) -> None:
    text = reviewing.manager.get("/manage").text
    assert 'href="/manage/testsets/my%20set"' in text
    assert "/manage/testsets/original" not in text


def test_the_page_of_a_class_shows_its_images_with_counts_marks_and_keywords(reviewing: Reviewing) -> None:
    text = reviewing.manager.get("/manage/testsets/my%20set/3").text
    mine = reviewing.draw.image_ids[reviewing.draw.classes == 3].tolist()
    assert all(f'data-image="{one}"' in text for one in mine)
    assert text.count("data-image=") == 10
    for words in ("<h1>cat</h1>", "Class 2</b> of 2", "0</b> of 2 reviewed", "of 10</b>", "Look it up"):
        assert words in text
    assert any(f" · {word}" in text for word in ("one", "two", "three"))
    # The images of the other class are not fetched ahead: this is the last one.
    assert "prefetch" not in text
    assert "prefetch" in reviewing.manager.get("/manage/testsets/my%20set/0").text


def test_a_picture_is_served_as_annotators_see_it_and_only_of_the_pool(reviewing: Reviewing) -> None:
    page = reviewing.manager.get("/manage/testsets/my%20set/3").text
    address = page.split('<img src="/manage/pools')[1].split('"')[0]
    reply = reviewing.manager.get(f"/manage/pools{address}")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "image/jpeg")
    for missing in ("/manage/pools/1/pictures/0", "/manage/pools/2/pictures/9999", "/manage/pools/99/pictures/0"):
        assert reviewing.manager.get(missing).status_code == 404


def test_an_image_is_removed_with_a_reason_and_taken_back(reviewing: Reviewing) -> None:
    image_id = str(reviewing.draw.image_ids[reviewing.draw.classes == 3][0])
    assert reviewing.remove(image_id, "a drawing") == 200
    news = reviewing.manager.get(f"{reviewing.api}/classes/3").json()
    assert news["n_removed"] == 1
    assert "a drawing" in news["parts"]["pictures"]
    assert "by boss" in news["parts"]["pictures"]
    foresight = reviewing.manager.get(f"{reviewing.api}/classes/3/foresight").json()["parts"]["foresight"]
    assert "1 image is removed. A revision would take 1 new image and lack none." in foresight
    assert reviewing.remove(image_id) == 409
    assert reviewing.manager.post(f"{reviewing.api}/restore", {"image_id": image_id}).status_code == 200
    assert reviewing.manager.get(f"{reviewing.api}/classes/3").json()["n_removed"] == 0
    assert reviewing.list_events()[-2:] == [("testset remove", "boss"), ("testset restore", "boss")]


def test_the_shortfall_that_a_removal_causes_is_said(reviewing: Reviewing) -> None:
    # Whatever of the highest bin was not drawn is excluded, so nothing is left to fill a place.
    mine = reviewing.draw.classes == 3
    top = reviewing.draw.image_ids[mine & (reviewing.draw.n_selected >= 8)].tolist()
    for number in range(26, 38):
        if f"c3-{number:02d}" not in top:
            reviewing.pooled.exclude(f"c3-{number:02d}", ExclusionRule.LIST, "unwanted")
    assert reviewing.remove(top[0]) == 200
    foresight = reviewing.manager.get(f"{reviewing.api}/classes/3/foresight").json()["parts"]["foresight"]
    assert "and lack 1." in foresight
    assert "class 3 (cat) lacks 1 image in [0.8, 1]" in foresight
    reply = reviewing.manager.post(f"{reviewing.api}/revise", {})
    assert (reply.status_code, "falls short by 1 image in 1 class" in reply.json()["detail"]) == (409, True)
    assert reviewing.manager.post(f"{reviewing.api}/revise", {"allow_short": True}).json()["n_images"] == 19


def test_what_a_class_without_candidates_lacks_is_foreseen_too(reviewing: Reviewing) -> None:
    with reviewing.pooled.study.begin() as begun:
        located = LocatedTestSet(
            TestSet("wide", np.array(["w"]), np.array([7])), TestSetKind.TABLE, "/", (ImagePlace(),)
        )
        insert_test_set(begun, located, provenance={})
        sources = replace(reviewing.pooled.sources, original="wide")
        plan = SamplingPlan(Strategy.TOP_IMAGES)
        made = draw_test_set(begun, plan, name="short", sources=sources, allow_short=True)
        remove_from_draw(begun, "short", image_id=str(made.draw.image_ids[0]), reason="wrong class")
    text = reviewing.manager.get("/manage/testsets/short").text
    assert "A revision would take 1 new image and lack 10." in text
    # Whoever may not take what there is could not draw a revision at all.
    assert 'id="allow-short"' in text


def test_of_very_much_that_is_lacking_the_first_part_is_shown(reviewing: Reviewing) -> None:
    plan = SamplingPlan(Strategy.KEYWORDS, per_class=60, min_annotations=0)
    words = tuple((index, f"word {number:02d}", 1) for index in (0, 3) for number in range(30))
    sources = DrawSources(keywords=(*words, (0, "one", 30), (3, "one", 30)))
    with reviewing.pooled.study.begin() as begun:
        made = draw_test_set(begun, plan, name="short", sources=sources, allow_short=True)
        remove_from_draw(begun, "short", image_id=str(made.draw.image_ids[0]), reason="wrong class")
    text = reviewing.manager.get("/manage/testsets/short").text
    assert "The first 40 of 62; regauge testset show lists all." in text
    assert "and 22 more, all listed by regauge testset revise" in text


def test_what_other_rules_exclude_after_the_draw_can_be_revised_too(reviewing: Reviewing) -> None:
    assert "there is nothing to revise" in reviewing.manager.get("/manage/testsets/my%20set").text
    image_id = str(reviewing.draw.image_ids[0])
    reviewing.pooled.exclude(image_id, ExclusionRule.NEAR_DUPLICATE, "shows the same as another")
    text = reviewing.manager.get("/manage/testsets/my%20set").text
    assert "1 image has since been excluded from the pool by other rules." in text
    assert "A revision would take 1 new image and lack none." in text
    assert reviewing.manager.post(f"{reviewing.api}/revise", {}).json()["n_carried"] == 19


def test_a_table_that_is_gone_is_said_in_place_of_what_a_revision_would_do(reviewing: Reviewing) -> None:
    reviewing.pooled.table.rename(reviewing.pooled.folder / "moved.csv")
    assert reviewing.remove(str(reviewing.draw.image_ids[reviewing.draw.classes == 3][0])) == 200
    says = "There is no table of frequencies"
    assert says in reviewing.manager.get("/manage/testsets/my%20set").text
    assert says in reviewing.manager.get(f"{reviewing.api}/classes/3/foresight").json()["parts"]["foresight"]
    assert says in reviewing.manager.post(f"{reviewing.api}/revise", {}).json()["detail"]


def test_classes_that_were_looked_at_are_marked_and_stay_so_in_a_revision(reviewing: Reviewing) -> None:
    for index in (0, 3):
        assert reviewing.manager.post(f"{reviewing.api}/classes/{index}/reviewed").status_code == 204
    assert "2</b> of 2 classes reviewed" in reviewing.manager.get("/manage/testsets/my%20set").text
    image_id = str(reviewing.draw.image_ids[reviewing.draw.classes == 3][0])
    reviewing.remove(image_id, "near-duplicate")
    reply = reviewing.manager.post(f"{reviewing.api}/revise", {}).json()
    assert reply == {"name": "my set-2", "address": "/manage/testsets/my%20set-2", "n_images": 20, "n_carried": 19}
    text = reviewing.manager.get(reply["address"]).text
    # The class with the new image has to be looked at again, the other one not.
    assert "1</b> of 2 classes reviewed" in text
    assert "What changed since my set" in text
    assert "review: near-duplicate" in text


def test_a_revision_of_nothing_and_strange_requests_are_refused(reviewing: Reviewing) -> None:
    manager = reviewing.manager
    assert "would be the same set" in manager.post(f"{reviewing.api}/revise", {}).json()["detail"]
    assert manager.post(f"{reviewing.api}/revise", {"name": "a/b"}).status_code == 409
    assert manager.post(f"{reviewing.api}/remove", {"image_id": "c3-00"}).status_code == 422
    assert manager.post(f"{reviewing.api}/remove", {"image_id": "x\0", "reason": "no"}).status_code == 422
    assert reviewing.remove("nothing") == 409
    assert manager.post(f"{reviewing.api}/classes/5/reviewed").status_code == 409
    assert manager.get("/manage/testsets/nothing").status_code == 409
    assert manager.get("/manage/testsets/original").status_code == 409
    with reviewing.pooled.study.read() as reading:
        assert not describe_draw(reading, "my set").removed


def test_every_deed_needs_the_token_of_our_pages(reviewing: Reviewing) -> None:
    image_id = str(reviewing.draw.image_ids[0])
    for path, body in (
        ("remove", {"image_id": image_id, "reason": "no"}),
        ("revise", {}),
        ("classes/3/reviewed", None),
    ):
        reply = reviewing.manager.post(f"{reviewing.api}/{path}", body, headers={"X-CSRF-Token": "forged"})
        assert reply.status_code == 403
