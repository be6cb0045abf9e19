"""REVIEW in a real browser on a real server: verdicts by one key each, what else is in an image, grids, cards and the guide."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import CIRCUMSTANCES, IMAGES_HAVE_COME, LAPTOP, PHONE, SETTLED, Meet, count_overflow
from tests.browser.server_process import Served, make_served_study, open_served
from tests.browser.test_every_page import ENLARGED, list_odd
from tests.waits import wait_for

from regauge.kinds.review.task import SCORES
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.guide.entries import GuideEdit, GuideTopic
from regauge.storage.campaigns.image_failures import change_tasks
from regauge.storage.campaigns.referrals import load_tasks_from
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.guide.entries import save_entry

IMAGES, GRIDS, SCORED = 5, 6, 7
"""The campaigns: images with three labels each, grids of one label, and images with two labels that have scores."""


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(make_served_study(tmp_path_factory.mktemp("review")))
    with open_served(served.folder) as study, study.begin() as begun:
        save_entry(begun, GuideTopic(2), GuideEdit("Look at its **edge**.", reason="first"))
        images = load_test_set(begun, get_test_set(begun, "new"))
        same = images.image_ids[images.labels == images.labels[0]].tolist()
        for name, by, asked in (("by image", "image", (2, 3, 4)), ("by label", "class-pair", (2, 3))):
            pairs = [(image_id, label) for image_id in same for label in asked]
            plan = CampaignPlan(name, Kind("review"), 40)
            create_campaign(begun, plan, Questions("new", pairs, settings={"by": by}, seed=0))
            open_campaign(begun, name)
        few = Questions("new", [(image_id, label) for image_id in same for label in (2, 3)], seed=0)
        scored = create_campaign(begun, CampaignPlan("with scores", Kind("review"), 40), few)
        open_campaign(begun, scored.name)
        tasks = load_tasks_from(begun, scored, 0)
        told = {one: {**task, SCORES: {"2": 0.75, "3": 0.001}} for one, task in tasks.items()}
        change_tasks(begun, told, left_out=())
    served.start()
    yield served
    served.end(signal.SIGKILL)


def begin(meet: Meet, served: Served, campaign: int, **options: Any) -> tuple[Any, Page]:
    visitor = meet(served, **options)
    page = visitor.come_in()
    page.goto(f"{served.address}/campaigns/{campaign}")
    page.get_by_role("button", name="I agree").click()
    settle(page)
    return visitor, page


def settle(page: Page) -> None:
    page.locator(".pair").first.wait_for()
    page.evaluate(IMAGES_HAVE_COME)
    page.wait_for_timeout(SETTLED)


def list_names(page: Page) -> list[str]:
    return [one.inner_text() for one in page.locator(".pair .name").all()]


def test_an_image_is_judged_by_keys_alone(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, IMAGES)
    names = list_names(page)
    for key in ("c", "o", "w", "u", "Enter"):
        page.keyboard.press(key)
    (answer,) = visitor.get_answers(1, page=page)
    said = answer["answer"]
    numbers = [name.removeprefix("class ") for name in names]
    assert said["verdicts"] == dict(zip(numbers, ("correct", "wrong", "unclear"), strict=True))
    assert said["reasons"] == {numbers[0]: "several objects"}


def test_a_verdict_can_be_undone_and_a_label_skipped(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, IMAGES)
    numbers = [name.removeprefix("class ") for name in list_names(page)]
    for key in ("c", "y", "k", "w", "Enter", "Enter"):
        page.keyboard.press(key)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["verdicts"] == {numbers[1]: "wrong"}


def test_scores_are_hidden_until_a_key_or_a_click_shows_them(meet: Meet, reviewed: Served):
    _, page = begin(meet, reviewed, SCORED)
    scores = page.locator(".pair .score")
    expect(scores).to_have_text(["Score v"] * 2)
    page.keyboard.press("v")
    assert sorted(scores.all_inner_texts()) == ["Score 0.75", "Score below 0.01"]
    scores.first.click()
    expect(scores).to_have_text(["Score v"] * 2)
    scores.first.click()
    assert sorted(scores.all_inner_texts()) == ["Score 0.75", "Score below 0.01"]
    assert count_overflow(page) == 0
    # The next task begins with its scores hidden; where there are none, no key is told of.
    page.locator("h1#title").click()
    for key in ("c", "w", "Enter"):
        page.keyboard.press(key)
    settle(page)
    expect(scores).to_have_text(["Score v"] * 2)
    page.keyboard.press("h")
    expect(page.locator("#help-keys")).to_contain_text("show the scores")
    _, page = begin(meet, reviewed, IMAGES)
    page.keyboard.press("h")
    expect(page.locator("#help-keys")).to_contain_text("write a note")
    expect(page.locator("#help-keys")).not_to_contain_text("show the scores")


def test_nothing_said_is_no_answer(meet: Meet, reviewed: Served):
    _, page = begin(meet, reviewed, IMAGES)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Judge at least one label")).to_be_visible()


IS_UNCOVERED = """(one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


def test_on_a_phone_a_task_begins_with_what_is_asked(meet: Meet, reviewed: Served):
    # The first label is seen with its verdicts, so nothing need be scrolled below the picture.
    _, page = begin(meet, reviewed, IMAGES, viewport={"width": 390, "height": 720}, has_touch=True, is_mobile=True)
    assert page.evaluate("window.scrollY") == 0
    assert page.locator("h1#title").evaluate(IS_UNCOVERED)
    assert page.locator(".pair").first.locator("label").last.evaluate(IS_UNCOVERED)


@pytest.mark.parametrize("screen", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_what_the_finder_finds_is_seen_below_the_field(meet: Meet, reviewed: Served, screen: ViewportSize):
    _, page = begin(meet, reviewed, IMAGES, viewport=screen)
    page.locator("#finder input").wait_for()
    page.keyboard.press("a")
    page.keyboard.type("class")
    found = page.get_by_role("option")
    expect(found).to_have_count(10)
    seen = [one.evaluate(IS_UNCOVERED) for one in found.all()]
    assert page.locator("#finder input").evaluate(IS_UNCOVERED)
    assert all(seen[: 10 if screen == LAPTOP else 4])
    # The arrow keys lead to the others.
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    assert found.last.evaluate(IS_UNCOVERED)


def test_something_else_is_found_by_typing_and_a_problem_and_a_note_are_kept(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, IMAGES)
    page.locator("#finder input").wait_for()
    page.keyboard.press("a")
    page.keyboard.type("class 7")
    expect(page.get_by_role("option").first).to_contain_text("class 7")
    page.keyboard.press("Enter")
    expect(page.locator("#chosen")).to_contain_text("class 7")
    # What is asked about already is not added, and that is said.
    asked = page.locator(".pair .name").first.inner_text()
    page.locator("#finder input").fill(asked)
    expect(page.get_by_role("option").first).to_contain_text(asked)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=f"{asked} is asked about already.")).to_be_visible()
    page.get_by_label("drawing or rendering").check()
    page.get_by_label("Note").fill("cws")
    page.get_by_label("Link to evidence").fill("javascript:alert(1)")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert").filter(has_text="A link begins with")).to_be_visible()
    page.get_by_label("Link to evidence").fill("https://example.org/a")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert").filter(has_text="3 labels have no verdict")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    (answer,) = visitor.get_answers(1, page=page)
    said = answer["answer"]
    # What was typed into fields is not a key of the page.
    assert said["verdicts"] == {}
    assert (said["more"], said["problems"], said["comment"]) == ([7], ["drawing or rendering"], "cws")
    assert said["link"] == "https://example.org/a"


def test_a_draft_outlives_a_reload_and_an_answer_can_be_changed(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, IMAGES)
    page.keyboard.press("c")
    page.reload()
    settle(page)
    expect(page.locator(".pair input:checked")).to_have_count(1)
    for key in ("Enter", "Enter"):
        page.keyboard.press(key)
    visitor.get_answers(1, page=page)
    page.get_by_role("button", name="Previous").click()
    expect(page.locator(".pair input[value=correct]:checked")).to_have_count(1)
    page.locator(".pair").nth(1).get_by_label("Wrong").check()
    page.locator(".pair").nth(2).get_by_label("Unclear").check()
    settle(page)
    page.keyboard.press("Enter")
    wait_for(lambda: len(reviewed.find_answers(visitor.name)) == 2, "the changed answer")
    _, answer = reviewed.find_answers(visitor.name)
    assert sorted(answer["answer"]["verdicts"].values()) == ["correct", "unclear", "wrong"]


def test_a_grid_takes_one_verdict_for_all_and_one_undo(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, GRIDS)
    page.keyboard.press("c")
    page.get_by_role("button", name="All that are open: wrong").click()
    n = page.locator(".pair").count()
    expect(page.locator(".pair input:checked")).to_have_count(n)
    page.keyboard.press("y")
    expect(page.locator(".pair input:checked")).to_have_count(1)
    page.get_by_role("button", name="All that are open: correct").click()
    expect(page.locator(".pair input:checked")).to_have_count(n)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".pair input:checked")).to_have_count(1)
    page.get_by_role("button", name="All that are open: unclear").click()
    page.get_by_role("button", name="Submit").click()
    (answer,) = visitor.get_answers(1, page=page)
    assert sorted(answer["answer"]["verdicts"].values()) == ["correct", *["unclear"] * (n - 1)]


def test_a_finger_takes_verdicts_on_an_image_back(meet: Meet, reviewed: Served):
    _, page = begin(meet, reviewed, IMAGES, viewport=PHONE, has_touch=True, is_mobile=True)
    undo, judged = page.get_by_role("button", name="Undo"), page.locator(".pair input:checked")
    page.locator(".pair").nth(0).get_by_text("Wrong").tap()
    page.locator(".pair").nth(1).get_by_text("Correct").tap()
    expect(judged).to_have_count(2)
    undo.tap()
    undo.tap()
    expect(judged).to_have_count(0)
    undo.tap()
    expect(page.get_by_role("alert").filter(has_text="There is nothing to undo.")).to_be_visible()


def test_help_tells_the_keys_that_do_something(meet: Meet, reviewed: Served):
    told = []
    for campaign in (IMAGES, GRIDS):
        _, page = begin(meet, reviewed, campaign)
        page.keyboard.press("h")
        told.append({one.inner_text().strip() for one in page.locator("#help-keys dt").all()})
    assert told[0] - told[1] == {"o", "s", "p", "a"}
    assert {"c", "w", "u", "y", "g"} <= told[1] <= told[0]


def test_the_card_of_a_class_tells_what_the_guide_says(meet: Meet, reviewed: Served):
    _, page = begin(meet, reviewed, GRIDS)
    page.keyboard.press("g")
    dialog = page.locator("#card-dialog[open]")
    expect(dialog).to_contain_text(
        "Look at its edge." if "class 2" in page.locator("#label").inner_text() else "class 3"
    )
    expect(dialog.get_by_role("heading", name="In the test set")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#card-dialog")).to_be_hidden()


@pytest.mark.parametrize("campaign", [IMAGES, GRIDS])
def test_a_review_fits_narrow_screens_and_has_the_look_of_the_house(meet: Meet, reviewed: Served, campaign: int):
    for viewport in (LAPTOP, PHONE, ENLARGED):
        _, page = begin(meet, reviewed, campaign, viewport=viewport)
        page.keyboard.press("c")
        assert count_overflow(page) == 0
        assert list_odd(page) == []


@needs_axe
@pytest.mark.parametrize("options", CIRCUMSTANCES.values(), ids=CIRCUMSTANCES)
def test_nothing_stands_in_the_way_of_reviewers(meet: Meet, reviewed: Served, options: dict[str, Any]):
    for campaign in (IMAGES, GRIDS):
        _, page = begin(meet, reviewed, campaign, **options)
        page.keyboard.press("c")
        assert list_barriers(page) == []
        page.keyboard.press("g")
        page.locator("#card-dialog[open] h2").first.wait_for()
        assert list_barriers(page) == []
