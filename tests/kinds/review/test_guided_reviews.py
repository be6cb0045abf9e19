"""The guide beside a review: it shows no case of an image that its reader has still to judge, and says how many it leaves out."""

from __future__ import annotations

from typing import Any

import pytest
from tests.kinds.review.reviewed_study import ask, send, told
from tests.server.served_study import Visitor
from tests.verify.verify_study import Told

from regauge.records.guide.entries import GuideEdit, GuideTopic
from regauge.records.labels.verdicts import Verdict
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


def answer(told: Told, visitor: Visitor, n: int) -> None:
    """Answer so many tasks."""
    for _ in range(n):
        (task,) = visitor.take(told.get("experts"), 1)
        said: dict[str, Any] = {"verdicts": {one["key"]: "correct" for one in task["view"]["items"]}}
        assert send(visitor, task, said).status_code == 200


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
    answer(told, visitor, campaign.n_tasks - 1)
    before = read(told, visitor)
    answer(told, visitor, 1)
    # The last answer can still be changed; every other image is shown now.
    shown, cases, n_left_out = read(told, visitor)
    assert shown + cases + n_left_out == 2
    assert n_left_out <= 1
    assert before[2] <= 2
    assert find_status(told, visitor) == [200 if shown else 404, 200 if cases else 404]
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
