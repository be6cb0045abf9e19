"""The page about one's own data: reached from every page, downloaded, and the request to be erased, by keyboard alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.browser_visitor import PHONE, Meet
from tests.browser.manager import open_manager
from tests.browser.server_process import GRID, HOSTILE, Served


def test_somebody_sees_and_downloads_their_data(meet: Meet, tmp_path: Path) -> None:
    ann = meet()
    page = ann.begin(GRID)
    page.locator(".cell").first.click()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#status")).to_have_text("Saved")
    page.goto(f"{ann.served.address}/")
    page.get_by_role("link", name="Your data").click()
    expect(page.get_by_role("heading", name="Your data", exact=True)).to_be_visible()
    expect(page.locator("main")).to_contain_text(ann.name)
    page.locator("summary").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download my data").click()
    download.value.save_as(tmp_path / "mine.json")
    found = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    assert found["name"] == ann.name
    assert len(found["answers"]) == 1
    assert ann.troubles == []


@pytest.mark.parametrize("size", [None, PHONE])
def test_somebody_asks_to_be_erased_by_keyboard(meet: Meet, size: dict[str, int] | None) -> None:
    ann = meet(**({} if size is None else {"viewport": size}))
    page = ann.come_in()
    page.goto(f"{ann.served.address}/me")
    page.get_by_label("Also delete my answers").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Your request was sent")
    expect(page.get_by_role("button", name="Ask for erasure")).to_be_hidden()
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("You asked for this on")
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width == 0
    assert ann.troubles == []


def test_texts_with_markup_are_text(meet: Meet) -> None:
    ann = meet()
    page = ann.begin(GRID)
    page.goto(f"{ann.served.address}/me")
    assert HOSTILE not in page.locator("main").inner_html()
    assert page.locator("main img").count() == 0


def test_the_manager_erases_whoever_asked(meet: Meet, served: Served) -> None:
    ann = meet()
    page = ann.begin(GRID)
    page.locator(".cell").first.click()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#status")).to_have_text("Saved")
    page.goto(f"{ann.served.address}/me")
    page.get_by_role("button", name="Ask for erasure").click()
    expect(page.get_by_role("status")).to_contain_text("Your request was sent")
    desk = open_manager(meet, served)
    expect(desk.locator("#steps")).to_contain_text("to be erased.")
    desk.locator("#steps li", has_text="to be erased.").get_by_role("link").click()
    desk.get_by_role("region", name="Requests for erasure").get_by_role("link", name=ann.name).click()
    # The button is there before the script that listens to it.
    desk.wait_for_load_state("networkidle")
    desk.get_by_role("button", name=f"Erase {ann.name}").click()
    dialog = desk.get_by_role("dialog")
    expect(dialog).to_contain_text("This cannot be undone")
    dialog.get_by_label("Also delete 1 answer").check()
    dialog.get_by_role("textbox").fill(f"{ann.name} asked for it")
    dialog.get_by_role("button", name="Erase").click()
    expect(desk.locator("#said")).to_contain_text("Erased; the name is now erased-")
    expect(desk.locator("tbody")).not_to_contain_text(ann.name)
    expect(desk.locator(".notice.warning", has_text=ann.name)).to_have_count(0)
    assert served.find_answers(ann.name) == []
    # The browser notes that the session has ended.
    ann.allowed = ("status of 401",)
    page.goto(f"{ann.served.address}/me")
    expect(page.locator("main")).to_contain_text("open your personal link again")
