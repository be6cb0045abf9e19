"""PANEL in a real browser: three panelists vote alone, the minority argues first, a vote changes with a reason, a chair locks."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import IMAGES_HAVE_COME, LAPTOP, PHONE, SETTLED, Visitor, count_overflow
from tests.browser.contrast import list_faint
from tests.browser.server_process import Served, make_served_study, open_served
from tests.workflows.campaign_studies import draw_picture

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.labels.label_set import add_labels

N_PANELISTS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Panelled:
    """A served study with a panel on two images, and the tabs of its panelists."""

    served: Served
    campaign: int
    visitors: tuple[Visitor, ...]
    pages: tuple[Page, ...]

    def list_troubles(self) -> list[str]:
        return [one for visitor in self.visitors for one in visitor.troubles]


@pytest.fixture
def panelled(browser: Browser, tmp_path: Path) -> Iterator[Panelled]:
    served = Served(make_served_study(tmp_path))
    people = [served.invite() for _ in range(N_PANELISTS)]
    with open_served(served.folder) as study, study.begin() as begun:
        images = load_test_set(begun, get_test_set(begun, "new"))
        first, second, *_ = images.image_ids.tolist()
        known = LabelSet.from_lists("known", [first, second], correct=[[2], [2]], wrong=[[5], []])
        add_labels(begun, Truth(label_sets=(known,)))
        settings = {"panelists": [name for name, _ in people], "labels": "known"}
        questions = Questions("new", [(first, 3), (second, 4)], settings=settings, seed=0)
        campaign = create_campaign(begun, CampaignPlan("mistakes", Kind("panel"), 3), questions)
        open_campaign(begun, campaign.name)
    served.start()
    visitors = tuple(
        Visitor(served, browser.new_context(viewport=LAPTOP), name, f"{served.address}{link}") for name, link in people
    )
    pages = tuple(one.come_in() for one in visitors)
    yield Panelled(served, campaign.id, visitors, pages)
    served.end(signal.SIGKILL)


def begin(panelled: Panelled, page: Page) -> None:
    page.goto(f"{panelled.served.address}/campaigns/{panelled.campaign}")
    page.get_by_role("button", name="I agree").click()
    settle(page)


def settle(page: Page) -> None:
    page.locator(".pair").first.wait_for()
    page.evaluate(IMAGES_HAVE_COME)
    page.wait_for_timeout(SETTLED)


def shoot(page: Page, folder: Path, name: str) -> None:
    page.screenshot(path=folder / f"{name}.png", full_page=False)


def vote(page: Page, keys: str) -> None:
    for key in (*keys, "Enter"):
        page.keyboard.press(key)


def vote_alone(panelled: Panelled, folder: Path) -> None:
    """The third is of another mind on the first image that comes, and gives evidence."""
    for place, page in enumerate(panelled.pages):
        begin(panelled, page)
        expect(page.locator("#stances")).to_be_hidden()
        if place == 2:
            page.keyboard.press("w")
            page.locator("#argument").fill("The wings are spotted.")
            page.locator("#evidence summary").click()
            page.locator("#evidence-link").fill("https://example.org/wings")
            page.locator("#evidence-file").set_input_files(
                {"name": "wings.png", "mimeType": "image/png", "buffer": draw_picture(1, size=(64, 48))}
            )
            page.locator("#evidence-picture img").wait_for()
            shoot(page, folder, "round-1")
            page.keyboard.press("Control+Enter")
        else:
            vote(page, "c")
        settle(page)
        vote(page, "cl")
        page.wait_for_url("**/thanks")


def test_a_panel_votes_argues_and_a_chair_locks(panelled: Panelled, tmp_path: Path) -> None:
    first, second, third = panelled.pages
    vote_alone(panelled, tmp_path)
    address = f"{panelled.served.address}/campaigns/{panelled.campaign}"
    for page in panelled.pages:
        page.goto(f"{address}/discussion")
    expect(second.locator("#where")).to_contain_text("What others say is shown once a chair has closed the round.")
    expect(second.get_by_role("button", name="Close round 1")).to_have_count(0)
    first.get_by_role("button", name="Close round 1").click()
    expect(first.locator("#where")).to_contain_text("Round 2: 0 items wait for you; 0 of 2 items locked.")
    # The minority argues first, and only then the others are asked.
    third.goto(address)
    settle(third)
    expect(third.locator("#returned-text")).to_contain_text("please argue first")
    expect(third.locator(".stance")).to_have_count(3)
    expect(third.locator("#stance-list")).to_contain_text("Panelist 3 (you)")
    expect(third.locator("#stance-list a")).to_have_attribute("href", "https://example.org/wings")
    third.locator("#argument").fill("Compare the card: all of them have spots.")
    third.keyboard.press("Control+Enter")
    third.wait_for_url("**/thanks")
    second.goto(address)
    settle(second)
    expect(second.locator("#stance-list")).to_contain_text("all of them have spots")
    shoot(second, tmp_path, "round-2")
    vote(second, "w")
    expect(second.locator("#problem")).to_have_text("Say why you change your vote: the others read the reason.")
    second.locator("#argument").fill("You are right.")
    second.keyboard.press("Control+Enter")
    second.wait_for_url("**/thanks")
    first.reload()
    expect(first.locator("#where")).to_contain_text("1 item waits for you")
    shoot(first, tmp_path, "discussion")
    first.get_by_role("button", name="Lock all that are unanimous").click()
    expect(first.locator("#where")).to_contain_text("1 of 2 items locked")
    first.get_by_role("button", name="Unlock …").click()
    first.locator("dialog textarea").fill("One more look.")
    first.locator("dialog .primary").click()
    expect(first.locator("#rows")).to_contain_text("One more look.")
    assert panelled.list_troubles() == []


@needs_axe
def test_nothing_stands_in_the_way_and_it_fits_narrow_screens(panelled: Panelled, tmp_path: Path) -> None:
    vote_alone(panelled, tmp_path)
    first, _, third = panelled.pages
    first.goto(f"{panelled.served.address}/campaigns/{panelled.campaign}/discussion")
    first.get_by_role("button", name="Close round 1").click()
    expect(first.locator("#where")).to_contain_text("Round 2")
    third.goto(f"{panelled.served.address}/campaigns/{panelled.campaign}")
    settle(third)
    for page, name in ((first, "list"), (third, "task")):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            shoot(page, tmp_path, f"{name}-{scheme}")
            assert list_faint(page) == [], name
            assert list_barriers(page) == [], name
        page.set_viewport_size(PHONE)
        assert count_overflow(page) == 0, name
        shoot(page, tmp_path, f"{name}-phone")
