"""REVIEW in a real browser: looking for what is missing in an image, by keyboard alone."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from tests.browser.browser_visitor import IMAGES_HAVE_COME, LAPTOP, PHONE, SETTLED, Meet, Visitor, audit, count_overflow
from tests.browser.server_process import Served, make_served_study, open_served

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.labels.label_set import add_labels

MISSING = 5
"""The campaign that looks for what is missing."""


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(make_served_study(tmp_path_factory.mktemp("reviewed")))
    with open_served(served.folder) as study, study.begin() as begun:
        known = LabelSet.from_lists(
            "known",
            [f"new-{label}-{place}" for label in range(12) for place in range(4)],
            correct=[[4]] * 48,
            wrong=[[5]] * 48,
        )
        add_labels(begun, Truth(label_sets=(known,)))
        settings = {"mode": "complete", "labels": "known"}
        create_campaign(
            begun, CampaignPlan("Missing", Kind("review"), 3), Questions("new", None, settings=settings, seed=0)
        )
        open_campaign(begun, "Missing")
    served.start()
    try:
        yield served
    finally:
        served.end(signal.SIGKILL)


def begin(visitor: Visitor) -> Page:
    """The first task, by keyboard alone."""
    page = visitor.come_in()
    page.goto(f"{visitor.served.address}/campaigns/{MISSING}")
    page.keyboard.press("Enter")
    settle(page)
    return page


def settle(page: Page) -> None:
    """Wait until the image is there and an answer is taken; there may be no label to wait for."""
    page.locator("#enlarge img").wait_for()
    page.evaluate(IMAGES_HAVE_COME)
    page.wait_for_timeout(SETTLED)


def test_nothing_more_is_one_key(meet: Meet, reviewed: Served):
    visitor = meet(reviewed)
    page = begin(visitor)
    expect(page.locator("#title")).to_have_text("What else is here?")
    expect(page.locator(".instructions")).to_contain_text("Name every class that is in the image")
    # What is known is before their eyes: it tells what is not missing.
    expect(page.locator("#known-list li")).to_have_text(["class 4: correct", "class 5: wrong"])
    expect(page.get_by_role("button", name="Nothing more")).to_be_visible()
    for key in ("c", "k", "j", "y"):
        page.keyboard.press(key)
    picture = str(page.locator("#enlarge img").get_attribute("src"))
    page.keyboard.press("Enter")
    expect(page.locator("#enlarge img")).not_to_have_attribute("src", picture)
    settle(page)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"] == {"version": 1, "verdicts": {}, "nothing_more": True}
    page.keyboard.press("Backspace")
    expect(page.locator("#revising")).to_be_visible()
    expect(page.get_by_role("button", name="Nothing more")).to_be_visible()


@pytest.mark.parametrize("screen", [LAPTOP, PHONE])
def test_the_page_fits_and_nothing_stands_in_the_way(meet: Meet, reviewed: Served, screen: dict[str, int]):
    page = begin(meet(reviewed, viewport=screen))
    assert count_overflow(page) <= 0
    assert audit(page) == []
