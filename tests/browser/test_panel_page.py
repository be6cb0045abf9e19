"""PANEL in a real browser: five panelists vote alone, one leaves, the minority argues, two chairs lock, and coders follow."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import IMAGES_HAVE_COME, LAPTOP, PHONE, SETTLED, Meet, Visitor, count_overflow
from tests.browser.contrast import list_faint
from tests.browser.manager import open_manager
from tests.browser.server_process import Served, make_served_study, open_served
from tests.workflows.campaign_studies import draw_picture

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions

CHAIRS = 2


@dataclass(frozen=True, slots=True, eq=False)
class Panelled:
    """A served study with a panel on two images, and the tabs of its panelists."""

    served: Served
    campaign: int
    visitors: tuple[Visitor, ...]
    pages: tuple[Page, ...]

    def list_troubles(self) -> list[str]:
        return [one for visitor in self.visitors for one in visitor.troubles]


def serve(browser: Browser, folder: Path, n_panelists: int) -> Panelled:
    """A panel on what a model answers to two images, which nobody has judged."""
    served = Served(make_served_study(folder))
    people = [served.invite() for _ in range(n_panelists)]
    with open_served(served.folder) as study, study.begin() as begun:
        images = load_test_set(begun, get_test_set(begun, "new"))
        first, second, *_ = images.image_ids.tolist()
        known = LabelSet.from_lists("known", [first, second], correct=[[2], [2]], wrong=[[5], []])
        add_labels(begun, Truth(label_sets=(known,)))
        add_predictions(
            begun, PredictionSource([Predictions("top", [first, second], [3, 4])]), test_set="new", allow_missing=True
        )
        names = [name for name, _ in people]
        settings = {"panelists": names, "chairs": names[:CHAIRS], "labels": "known", "participants": ("top",)}
        plan = CampaignPlan("mistakes", Kind("panel"), n_panelists)
        campaign = create_campaign(begun, plan, Questions("new", settings=settings, seed=0))
        open_campaign(begun, campaign.name)
    served.start()
    visitors = tuple(
        Visitor(served, browser.new_context(viewport=LAPTOP), name, f"{served.address}{link}") for name, link in people
    )
    pages = tuple(one.come_in() for one in visitors)
    return Panelled(served, campaign.id, visitors, pages)


@pytest.fixture
def panelled(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Panelled]:
    made = serve(browser, tmp_path, request.param)
    yield made
    made.served.end(signal.SIGKILL)


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


def argue(page: Page, address: str, words: str, keys: str = "") -> None:
    """Go to the item that waits, change the vote or not, and say why."""
    page.goto(address)
    settle(page)
    for key in keys:
        page.keyboard.press(key)
    page.locator("#argument").fill(words)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/thanks")


@pytest.mark.parametrize("panelled", [5], indirect=True)
def test_a_panel_of_five_votes_argues_and_locks_and_coding_follows(
    panelled: Panelled, tmp_path: Path, meet: Meet
) -> None:
    address = f"{panelled.served.address}/campaigns/{panelled.campaign}"
    vote_alone(replace(panelled, pages=panelled.pages[:4]), tmp_path)
    manager = open_manager(meet, panelled.served, f"/manage/campaigns/{panelled.campaign}")
    expect(manager.locator("body")).to_contain_text("Round 1: panelists vote alone.")
    close_without_the_fifth(panelled, address)
    argue_all(panelled, address, tmp_path)
    lock_at_once(panelled, address, tmp_path)
    lock_again(panelled.pages[0])
    # The manager builds labels of it, and coders follow.
    manager.goto(f"{panelled.served.address}/manage/campaigns/{panelled.campaign}/labels")
    manager.get_by_role("button", name="Preview").click()
    manager.get_by_role("button", name="Build label set").click()
    expect(manager.locator("#said")).to_contain_text("was built")
    shoot(manager, tmp_path, "labels")
    manager.get_by_role("button", name="Create the coding campaign").click()
    manager.wait_for_url(f"**/manage/campaigns/{panelled.campaign + 1}")
    expect(manager.locator("h1")).to_contain_text("mistakes-codes")
    assert panelled.list_troubles() == []


def close_without_the_fifth(panelled: Panelled, address: str) -> None:
    """The fifth votes on one of two items, and is not heard of any more."""
    first, _, _, fourth, fifth = panelled.pages
    begin(panelled, fifth)
    vote(fifth, "c")
    settle(fifth)
    for page in (first, fourth):
        page.goto(f"{address}/discussion")
    expect(fourth.locator("#where")).to_contain_text("What others say is shown once a chair has closed the round.")
    expect(fourth.get_by_role("button", name="Close round 1")).to_have_count(0)
    expect(first.locator("#where")).to_contain_text("Others have not voted on everything yet.")
    expect(first.locator("#close-round")).to_be_hidden()
    first.get_by_role("button", name="A panelist has left").click()
    first.locator("dialog select").select_option(panelled.visitors[4].name)
    first.locator("dialog textarea").fill("On leave.")
    first.locator("dialog .danger, dialog .primary").first.click()
    first.get_by_role("button", name="Close round 1").click()
    expect(first.locator("#where")).to_contain_text("Round 2: 0 items wait for you; 0 of 2 items locked.")


def argue_all(panelled: Panelled, address: str, folder: Path) -> None:
    """The minority argues first, and only then the others are asked."""
    _, second, third, fourth, _ = panelled.pages
    third.goto(address)
    settle(third)
    expect(third.locator("#returned-text")).to_contain_text("please argue first")
    expect(third.locator(".stance")).to_have_count(4)
    expect(third.locator("#stance-list")).to_contain_text("Panelist 3 (you)")
    expect(third.locator("#stance-list a")).to_have_attribute("href", "https://example.org/wings")
    third.locator("#argument").fill("Compare the card: all of them have spots.")
    third.keyboard.press("Control+Enter")
    third.wait_for_url("**/thanks")
    second.goto(address)
    settle(second)
    expect(second.locator("#stance-list")).to_contain_text("all of them have spots")
    shoot(second, folder, "round-2")
    vote(second, "w")
    expect(second.locator("#problem")).to_have_text("Say why you change your vote: the others read the reason.")
    second.locator("#argument").fill("You are right.")
    second.keyboard.press("Control+Enter")
    second.wait_for_url("**/thanks")
    argue(fourth, address, "So do I see it.", "w")


def lock_at_once(panelled: Panelled, address: str, folder: Path) -> None:
    """Two chairs lock what is unanimous: one does, and the other is told."""
    first, second, *_ = panelled.pages
    first.goto(f"{address}/discussion")
    second.goto(f"{address}/discussion")
    expect(first.locator("#where")).to_contain_text("1 item waits for you")
    shoot(first, folder, "discussion")
    expect(second.get_by_role("button", name="Lock all that are unanimous")).to_be_visible()
    first.get_by_role("button", name="Lock all that are unanimous").click()
    expect(first.locator("#where")).to_contain_text("1 of 2 items locked")
    panelled.visitors[1].allowed = (*panelled.visitors[1].allowed, "status of 409")
    second.get_by_role("button", name="Lock all that are unanimous").click()
    expect(second.locator("#problem")).to_contain_text("locked")


def lock_again(first: Page) -> None:
    """What comes after the lock is kept, and counts once it is unlocked."""
    first.get_by_role("button", name="Unlock …").click()
    first.locator("dialog textarea").fill("One more look.")
    first.locator("dialog .primary").click()
    expect(first.locator("#rows")).to_contain_text("One more look.")
    for n in (1, 2):
        first.locator("#rows").get_by_role("button", name="Lock", exact=True).first.click()
        expect(first.locator("#where")).to_contain_text(f"{n} of 2 items locked")
    first.locator("#rows a").first.click()
    settle(first)
    expect(first.locator("#locked")).to_be_visible()


@needs_axe
@pytest.mark.parametrize("panelled", [3], indirect=True)
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
