"""The guide beside a review: it shows no case of an image that its reader has still to judge, and says how many it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.kinds.review.reviewed_study import ask, send, told
from tests.kinds.review.test_referrals import REFERS, WRONG, enter, make_expert
from tests.server.served_study import Visitor
from tests.verify.verify_study import Told

from regauge.kinds.review.task import make_review_task
from regauge.records.campaigns.campaign import TaskRole
from regauge.records.guide.entries import GuideEdit, GuideTopic
from regauge.records.labels.verdicts import Verdict
from regauge.storage.campaigns.assignments import find_assignment
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.storage.campaigns.extra_tasks import insert_extra_tasks
from regauge.workflows.guide.cases import Citation, cite_verdict
from regauge.workflows.guide.entries import save_entry

__all__ = ["database", "told"]

PICTURE, CASE = "i5", "i9"
"""The image that the text on automobiles shows, and the one that is cited."""


@pytest.fixture
def database() -> str:
    """SQLite alone: what is asked of it is the same in both."""
    return ""


def fill(told: Told) -> None:
    with told.study.begin() as begun:
        save_entry(begun, GuideTopic(1), GuideEdit(f"Four wheels. ![one](image:{PICTURE})"))
        cite_verdict(begun, Citation(CASE, 1, "clear"), verdict=Verdict.CORRECT)


def find_status(told: Told, visitor: Visitor) -> list[int]:
    """Whether the picture and the case can be had by their addresses."""
    where = f"/api/campaigns/{told.get('experts').id}/guide"
    return [visitor.get(f"{where}/{path}").status_code for path in ("pictures/1/0", "cases/2")]


def read(told: Told, visitor: Visitor) -> tuple[int, int, int]:
    """Pictures and cases that the guide shows of automobiles, and images that it says are left out."""
    (entry,) = visitor.get(f"/api/campaigns/{told.get('experts').id}/guide/1").json()["entries"]
    return entry["html"].count("<img"), len(entry["cases"]), entry["n_unfinished"]


def answer(told: Told, visitor: Visitor, n: int) -> list[str]:
    """Answer so many tasks; returns the images that they show."""
    judged = []
    for _ in range(n):
        (task,) = visitor.take(told.get("experts"), 1)
        said: dict[str, Any] = {"verdicts": {one["key"]: "correct" for one in task["view"]["items"]}}
        assert send(visitor, task, said).status_code == 200
        with told.study.read() as reading:
            given = find_assignment(reading, task["id"])
            images = load_campaign_images(reading, told.get("experts").id)
        assert given is not None
        judged += [f"i{images[number].row}" for number in given.payload["images"]]
    return judged


def find_image(told: Told, image_id: str) -> int:
    """The number of an image in the campaign."""
    with told.study.read() as reading:
        rows = [one.row for one in load_campaign_images(reading, told.get("experts").id)]
    return rows.index(int(image_id[1:]))


def test_the_guide_shows_no_image_before_its_reader_has_judged_it(told: Told) -> None:
    ask(told)
    fill(told)
    campaign, visitor = told.get("experts"), told.enter(told.panel[0])
    visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    assert (read(told, visitor), find_status(told, visitor)) == ((0, 0, 2), [404, 404])
    assert (read(told, told.enter(told.manager)), find_status(told, told.enter(told.manager))) == (
        (1, 1, 0),
        [200, 200],
    )
    judged: list[str] = []
    for _ in range(campaign.n_tasks):
        judged += answer(told, visitor, 1)
        # The last answer can still be changed; every image before it is shown.
        is_shown = [one in judged[:-1] for one in (PICTURE, CASE)]
        assert read(told, visitor) == (*map(int, is_shown), 2 - sum(is_shown))
        assert find_status(told, visitor) == [200 if one else 404 for one in is_shown]
    assert {PICTURE, CASE} <= set(judged)
    # Who has judged nothing sees nothing of what this one has finished.
    other = told.enter(told.panel[1])
    other.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    assert (read(told, other), find_status(told, other)) == ((0, 0, 2), [404, 404])


def test_where_tasks_are_asked_again_the_image_stays_out_as_long_as_the_campaign_lasts(told: Told) -> None:
    ask(told, "--repeats", "0.1")
    fill(told)
    visitor = told.enter(told.panel[0])
    visitor.post(f"/api/campaigns/{told.get('experts').id}/consent", {"version": 1})
    answer(told, visitor, 20)
    assert (read(told, visitor), find_status(told, visitor)) == ((0, 0, 2), [404, 404])


def test_what_no_task_shows_is_not_withheld(told: Told) -> None:
    pairs = told.study.paths.folder / "pairs.csv"
    pairs.write_text("image_id,class\ni2,2\ni3,3\n", encoding="utf-8")
    ask(told, "--pairs", str(pairs))
    fill(told)
    visitor = told.enter(told.panel[0])
    visitor.post(f"/api/campaigns/{told.get('experts').id}/consent", {"version": 1})
    assert (read(told, visitor), find_status(told, visitor)) == ((1, 1, 0), [200, 200])


def finish(told: Told, place: int, said: Mapping[str, Any]) -> Visitor:
    """Somebody answers all that they get; of the image that has two labels they say something of their own, first."""
    visitor = enter(told, place)
    tasks = visitor.take(told.get("experts"), 5)
    for one in sorted(tasks, key=lambda task: -len(task["view"]["items"])):
        verdicts = {item["key"]: "correct" for item in one["view"]["items"]}
        reply = send(visitor, one, said if len(verdicts) == 2 else {"verdicts": verdicts})
        assert reply.status_code == 200
    return visitor


def cite(told: Told, image_id: str) -> None:
    with told.study.begin() as begun:
        save_entry(begun, GuideTopic(1), GuideEdit("Four wheels."))
        cite_verdict(begun, Citation(image_id, 1, "clear"), verdict=Verdict.CORRECT)


def open_few(told: Told) -> None:
    """A review of three images, the first of which has two labels."""
    few = told.study.paths.folder / "few.csv"
    few.write_text("image_id,class\ni1,1\ni1,6\ni5,1\ni9,1\n", encoding="utf-8")
    ask(told, "--pairs", str(few))


def test_what_waits_for_an_expert_is_shown_to_others_who_have_judged_the_image(told: Told) -> None:
    open_few(told)
    cite(told, "i1")
    make_expert(told, 2, "frogs")
    ann = enter(told, 0)
    assert read(told, ann) == (0, 0, 1)
    assert read(told, finish(told, 0, REFERS)) == (0, 1, 0)
    # The expert has still to judge the label alone: also where they become one later.
    expert = enter(told, 2)
    plain = [one for one in expert.take(told.get("experts"), 5) if not one["view"]["expertise"]]
    assert len(plain) == 3
    for one in sorted(plain, key=lambda task: -len(task["view"]["items"])):
        verdicts = {item["key"]: "correct" for item in one["view"]["items"] if item["key"] != "6"}
        assert send(expert, one, {"verdicts": verdicts}).status_code == 200
    assert read(told, expert) == (0, 0, 1)
    make_expert(told, 0, "frogs")
    assert read(told, ann) == (0, 0, 1)


def test_what_is_assigned_to_others_is_kept_back_unless_it_was_judged_in_another_task(told: Told) -> None:
    open_few(told)
    cite(told, "i5")
    told.run("campaign", "assign", "experts", "--to", told.panel[1].annotator.name, "--image", "i5")
    # It may go to anybody again.
    visitor = finish(told, 0, WRONG)
    assert read(told, visitor) == (0, 0, 1)
    cite(told, "i1")
    assert read(told, visitor) == (0, 1, 1)
    number = find_image(told, "i1")
    with told.study.begin() as begun:
        another = make_review_task([number], [3], n_classes=10, panel=[told.panel[1].annotator.id])
        insert_extra_tasks(begun, told.get("experts"), role=TaskRole.WORK, payloads=[another])
    assert read(told, visitor) == (0, 1, 1)
    told.run("campaign", "assign", "experts", "--anybody", "--image", "i1")
    assert read(told, visitor) == (0, 0, 2)
