"""Reviewing a drawn test set in a real browser: look class by class, remove with reasons, take back, and draw a revision."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.browser_visitor import LAPTOP, PHONE, Meet, audit, count_overflow
from tests.browser.drawn_study import DRAWN, serve_drawn
from tests.browser.manager import open_manager
from tests.browser.server_process import Served


@pytest.fixture
def drawn(tmp_path: Path) -> Iterator[Served]:
    with serve_drawn(tmp_path) as running:
        yield running


def get_picture(page: Page, number: int) -> tuple[str, str]:
    """The id of an image of the class, and the address of its picture."""
    button = page.locator("[data-image]").nth(number)
    return button.get_attribute("data-image") or "", button.locator("img").get_attribute("src") or ""


def wait_until_ready(page: Page) -> None:
    """Until the page of a class takes keys; then it also says what a revision would do."""
    expect(page.locator("#foresight")).not_to_be_empty()


def test_a_set_is_reviewed_by_keys_and_a_revision_drawn(meet: Meet, drawn: Served):
    page = open_manager(meet, drawn)
    page.get_by_role("link", name=DRAWN).click()
    expect(page.get_by_text("0 of 3 classes reviewed")).to_be_visible()
    expect(page.get_by_text("Nothing is removed, so there is nothing to revise.")).to_be_visible()
    # Words are there before the script that listens to keys.
    page.wait_for_load_state()
    page.keyboard.press("Enter")
    expect(page.locator("[data-image]")).to_have_count(10)
    expect(page.locator("#progress")).to_contain_text("Class 1 of 3")
    wait_until_ready(page)
    assert audit(page) == []

    # The third one by its key, with the first reason; the tenth by a click, with words of one's own.
    third, tenth = get_picture(page, 2)[0], get_picture(page, 9)[0]
    page.keyboard.press("3")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(f"[data-image='{third}']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#pictures")).to_contain_text("wrong class")
    expect(page.locator("#foresight")).to_contain_text("would take 1 new image and lack none")
    page.locator("[data-image]").nth(9).click()
    page.get_by_label("Another reason").fill("only half of it")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("#pictures")).to_contain_text("only half of it")
    expect(page.locator("#foresight")).to_contain_text("would take 2 new images")
    assert audit(page) == []

    # The second removal was a mistake.
    page.keyboard.press("u")
    expect(page.locator(f"[data-image='{tenth}']")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#foresight")).to_contain_text("would take 1 new image")
    # What was taken back by a click is not taken back once more.
    page.locator(f"[data-image='{third}']").click()
    expect(page.locator("#foresight")).to_contain_text("Nothing is removed here")
    page.keyboard.press("u")
    page.keyboard.press("3")
    page.keyboard.press("1")
    expect(page.locator("#foresight")).to_contain_text("would take 1 new image")
    expect(page.locator("#problem")).to_be_empty()
    expect(page.locator(f"[data-image='{third}']")).to_be_focused()
    for place in (2, 3):
        page.keyboard.press("Enter")
        expect(page.locator("#progress")).to_contain_text(f"Class {place} of 3")
        wait_until_ready(page)
    page.keyboard.press("Enter")
    expect(page.get_by_text("3 of 3 classes reviewed")).to_be_visible()
    assert audit(page) == []

    page.get_by_role("button", name="Draw a revision").click()
    expect(page.get_by_role("heading", name=f"{DRAWN}-2")).to_be_visible()
    figures = page.locator("#diff")
    for words in ("Carried over29", "New1", "Removed1"):
        expect(figures).to_contain_text(words)
    expect(page.locator("#removed")).to_contain_text(third)
    expect(page.locator("#removed")).to_contain_text("review: wrong class")
    expect(page.locator("#new li")).to_have_count(1)
    expect(page.get_by_text("2 of 3 classes reviewed")).to_be_visible()
    assert audit(page) == []


def test_a_reason_is_needed_and_escape_removes_nothing(meet: Meet, drawn: Served):
    page = open_manager(meet, drawn, f"/manage/testsets/{DRAWN}/0")
    wait_until_ready(page)
    page.keyboard.press("1")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("dialog[open] .mistake")).to_have_text("Say why: the reason is kept with the decision.")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("[data-image][aria-pressed='true']")).to_have_count(0)
    assert drawn.count("exclusions") == 0


def test_what_somebody_else_removes_appears_by_itself_and_keeps_the_focus(meet: Meet, drawn: Served):
    mine = open_manager(meet, drawn, f"/manage/testsets/{DRAWN}/1")
    other = open_manager(meet, drawn, f"/manage/testsets/{DRAWN}/1")
    mine.locator("[data-image]").nth(4).focus()
    wait_until_ready(other)
    other.keyboard.press("2")
    other.keyboard.press("4")
    expect(mine.locator("#pictures")).to_contain_text("near-duplicate")
    expect(mine.locator("#foresight")).to_contain_text("would take 1 new image")
    expect(mine.locator("[data-image]").nth(4)).to_be_focused()


def test_arrows_lead_to_the_other_classes(meet: Meet, drawn: Served):
    page = open_manager(meet, drawn, f"/manage/testsets/{DRAWN}/0")
    for key, words in (("ArrowRight", "Class 2"), ("ArrowRight", "Class 3"), ("ArrowLeft", "Class 2")):
        wait_until_ready(page)
        page.keyboard.press(key)
        expect(page.locator("#progress")).to_contain_text(words)


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
@pytest.mark.parametrize("path", ["", "/1"])
def test_the_pages_fit_the_screen(meet: Meet, drawn: Served, viewport: dict[str, int], path: str):
    page = open_manager(meet, drawn, f"/manage/testsets/{DRAWN}{path}", viewport=viewport)
    expect(page.locator("h1")).to_be_visible()
    assert count_overflow(page) == 0
    assert audit(page) == []
