"""One walk through the pages by keyboard alone: consent, a grid, labels, and then the manager's pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.browser_visitor import Meet, Visitor, settle
from tests.browser.server_process import Served, serve

MOST_TABS = 60
FOCUSED = """() => {
  const one = document.activeElement;
  if (one === document.body) return { name: '', isRinged: false };
  const name = one.getAttribute('aria-label') || one.labels?.[0]?.innerText || one.innerText || '';
  const ring = [one, one.closest('.cell'), one.closest('.choice')].filter(Boolean).map((e) => getComputedStyle(e));
  const isRinged = ring.some((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0);
  return { name: name.trim(), isRinged };
}"""


@pytest.fixture
def walked(tmp_path: Path) -> Iterator[Served]:
    with serve(tmp_path) as running:
        yield running


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has the focus is called so; whatever is passed by can be seen to have it."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        assert focused["isRinged"] or not focused["name"], focused["name"]
        if focused["name"].startswith(name):
            return
    raise AssertionError(f"{name} is not in the tab order")


def begin(page: Page, campaign: str) -> None:
    """From the start page to the first task of a campaign."""
    tab_to(page, f"Start {campaign}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="I agree")).to_be_focused()
    page.keyboard.press("Enter")
    settle(page)


def answer_a_grid(visitor: Visitor, page: Page) -> None:
    begin(page, "Grids")
    for key in ("Space", "ArrowRight", "z", "Space", "Escape", "End", "Enter"):
        page.keyboard.press(key)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["mask"] == "3"
    tab_to(page, "‹ All tasks")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{visitor.served.address}/")


def answer_labels(visitor: Visitor, page: Page) -> None:
    begin(page, "Short")
    for key in ("1", "2", "m", "Enter"):
        page.keyboard.press(key)
    _, answer = visitor.get_answers(2, page=page)
    assert len(answer["answer"]["selected"]) == 2


def test_consent_grid_labels_and_manager_by_keyboard_alone(meet: Meet, walked: Served):
    visitor = meet(walked)
    page = visitor.come_in()
    answer_a_grid(visitor, page)
    answer_labels(visitor, page)

    desk = meet(walked).open_tab()
    desk.goto(walked.manager_link)
    desk.wait_for_url("**/manage")
    tab_to(desk, "Draft")
    desk.keyboard.press("Enter")
    desk.wait_for_url("**/manage/campaigns/4")
    expect(desk.locator("#state")).to_have_text("draft")
    desk.wait_for_load_state()
    tab_to(desk, "Open")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("dialog").get_by_label("Why")).to_be_focused()
    desk.keyboard.type("by keys")
    tab_to(desk, "Open campaign")
    desk.keyboard.press("Enter")
    expect(desk.locator("#state")).to_have_text("open")
    tab_to(desk, "People")
    desk.keyboard.press("Enter")
    desk.wait_for_url("**/manage/people")
    expect(desk.get_by_role("row").filter(has_text=visitor.name)).to_be_visible()
