"""A group looks at what it answered in a training, by keys alone and on a phone, and writes into the guide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import LAPTOP, PATIENCE, PHONE, count_overflow
from tests.kinds.label.label_study import Examined, serve_examined
from tests.server.served_study import listen

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.server.app import create_app
from regauge.workflows.guide.cases import list_standing


@pytest.fixture
def examined(tmp_path: Path) -> Iterator[Examined]:
    with serve_examined(tmp_path) as made:
        yield made


def open_review(examined: Examined) -> CampaignEntry:
    """A training on cats that two people have answered, all of them as automobiles."""
    words = ("--mode", "training", "--from", "refs", "--classes", "cat", "--seed", "2")
    examined.run("campaign", "create", "label", "train", *words)
    examined.run("campaign", "open", "train")
    campaign = examined.get("train")
    for who in examined.people[:2]:
        examined.answer_all(who, campaign, n=3)
    examined.run("campaign", "group-review", "train", "--open")
    return campaign


def come(browser: Browser, address: str, examined: Examined, campaign: CampaignEntry, screen: object) -> Page:
    page = browser.new_context(viewport=screen).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(f"{address}/join#{examined.people[0].token}")
    page.wait_for_url(f"{address}/")
    page.goto(f"{address}/campaigns/{campaign.id}/group")
    page.locator("#one").wait_for()
    expect(page.locator("#picture img")).to_have_js_property("complete", value=True)
    return page


def test_a_group_goes_from_image_to_image_and_writes_a_note_by_keys_alone(examined: Examined, browser: Browser) -> None:
    campaign = open_review(examined)
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign, LAPTOP)
        expect(page.locator("#place")).to_contain_text("Image 1 of 3")
        expect(page.locator("#answers")).to_contain_text("automobile – you, too")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#place")).to_contain_text("Image 2 of 3")
        while page.evaluate("document.activeElement.id") != "note":
            page.keyboard.press("Tab")
        page.keyboard.type("A cat has no wheels.")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#saved")).to_have_text("Saved in the guide")
        # The other one still has the page on which there was no note.
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#place")).to_contain_text("Image 1 of 3")
        expect(page.locator("#note")).to_have_value("")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#note")).to_have_value("A cat has no wheels.")
        page.context.close()
    with examined.study.read() as reading:
        assert [case.note for case in list_standing(reading)] == ["A cat has no wheels."]


def test_a_group_review_fits_a_phone(examined: Examined, browser: Browser) -> None:
    campaign = open_review(examined)
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign, PHONE)
        assert count_overflow(page) == 0
        page.get_by_role("button", name="Next").click()
        expect(page.locator("#place")).to_contain_text("Image 2 of 3")
        page.context.close()


@needs_axe
def test_nothing_stands_in_the_way_of_a_group_review(examined: Examined, browser: Browser) -> None:
    campaign = open_review(examined)
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign, LAPTOP)
        assert list_barriers(page) == []
        page.context.close()
