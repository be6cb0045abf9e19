"""What pages share, in a real browser: keys and their switch, the viewer of images, and pictures that are given back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import CDPSession, Page, expect
from tests.browser.browser_visitor import Meet, audit, find_target, settle
from tests.browser.drawn_study import DRAWN, serve_drawn
from tests.browser.manager import open_manager
from tests.browser.server_process import GRID, LABELS, Served

N_GRIDS = 12
ADD_FIELD = """(tag) => {
  const field = document.createElement(tag);
  field.id = 'field';
  document.querySelector('main > div, main > form, main').append(field);
  field.focus();
}"""


@pytest.fixture
def drawn(tmp_path: Path) -> Iterator[Served]:
    with serve_drawn(tmp_path) as running:
        yield running


def switch_keys_off(page: Page) -> None:
    """By keyboard, in the help."""
    page.keyboard.press("h")
    box = page.get_by_role("checkbox", name="Use single-key shortcuts")
    box.focus()
    page.keyboard.press("Space")
    expect(box).not_to_be_checked()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.parametrize("campaign", [GRID, LABELS])
@pytest.mark.parametrize("tag", ["input", "textarea"])
def test_whatever_is_typed_into_a_field_stays_in_it(meet: Meet, campaign: int, tag: str):
    page = meet().begin(campaign)
    page.evaluate(ADD_FIELD, tag)
    page.keyboard.type("husky 1m2 b+z?u")
    expect(page.locator("#field")).to_have_value("husky 1m2 b+z?u")
    page.keyboard.press("Backspace")
    expect(page.locator("#field")).to_have_value("husky 1m2 b+z?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#facts")).to_have_text("0 selected")


def test_single_keys_can_be_switched_off_and_stay_off(meet: Meet):
    visitor = meet()
    page = visitor.begin(LABELS)
    switch_keys_off(page)
    expect(page.locator(".choice kbd").first).to_be_hidden()
    for step in ("now", "after a reload"):
        page.locator(".choice input").first.focus()
        for key in ("1", "m", "2", "z", "h", "u", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#facts")).to_have_text("0 selected")
        expect(page.locator("#problem")).to_be_empty()
        expect(page.get_by_role("dialog")).to_be_hidden()
        if step == "now":
            page.reload()
            settle(page)
    # What has the focus is still worked by keyboard.
    picture = str(page.locator(".picture img").get_attribute("src"))
    for key in ("ArrowDown", "Space", "Control+Enter"):
        page.keyboard.press(key)
    expect(page.locator(".picture img")).not_to_have_attribute("src", picture)
    visitor.get_answers(1, page=page)
    page.get_by_role("button", name="Help").click()
    page.get_by_role("checkbox", name="Use single-key shortcuts").check()
    assert audit(page) == []
    page.keyboard.press("Escape")
    settle(page)
    page.keyboard.press("1")
    expect(page.locator("#facts")).to_have_text("1 selected")


def test_with_keys_off_enter_marks_no_class_as_reviewed(meet: Meet, drawn: Served):
    page = open_manager(meet, drawn, f"/manage/testsets/{DRAWN}/0")
    expect(page.locator("#foresight")).not_to_be_empty()
    page.keyboard.press("h")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("mark as reviewed, and go to the next class")
    assert audit(page) == []
    page.keyboard.press("Escape")
    switch_keys_off(page)
    expect(page.locator(".review-foot")).to_contain_text(
        "Click an image to remove it or to restore it. Keys", use_inner_text=True
    )
    page.locator("body").focus()
    for key in ("Enter", "1", "ArrowRight", "u"):
        page.keyboard.press(key)
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#progress")).to_contain_text("Class 1 of 3")
    expect(page.locator("#progress")).to_contain_text("0 of 3 reviewed")
    page.get_by_role("button", name="Reviewed, next").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#progress")).to_contain_text("Class 2 of 3")


def test_an_enlarged_image_is_a_larger_copy_that_can_be_moved(meet: Meet):
    page = meet().begin(GRID)
    with page.expect_response("**/images/*/0?side=1024"):
        page.keyboard.press("z")
    image = page.locator("dialog.zoom[open] img")
    expect(image).to_have_attribute("src", re.compile(r"side=1024$"))
    assert (
        image.evaluate("image => image.decode().then(() => Math.max(image.naturalWidth, image.naturalHeight))") == 1024
    )
    expect(image).to_have_attribute("alt", re.compile("Image 1 of"))
    assert audit(page) == []
    width = image.bounding_box()["width"]  # type: ignore[index]
    for _ in range(4):
        page.keyboard.press("+")
    expect(page.get_by_role("button", name="Larger", exact=True)).to_be_disabled()
    assert image.bounding_box()["width"] == pytest.approx(4 * width, rel=0.05)  # type: ignore[index]
    room = page.locator(".zoom-room")
    middle = room.evaluate("room => room.scrollLeft")
    assert middle > 0
    page.keyboard.press("ArrowRight")
    moved = room.evaluate("room => room.scrollLeft")
    assert moved > middle
    expect(page.get_by_role("dialog")).to_contain_text("Image 1 of")
    box = room.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2, steps=3)
    page.mouse.up()
    assert room.evaluate("room => room.scrollLeft") == pytest.approx(moved - 60, abs=2)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("0")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("dialog")).to_contain_text("Image 2 of")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("dialog")).to_be_hidden()


def count_nodes(session: CDPSession) -> int:
    """Elements and texts that the browser holds, after it has let go of what it can."""
    session.send("HeapProfiler.collectGarbage")
    return int(session.send("Memory.getDOMCounters")["nodes"])


def test_past_tasks_give_their_pictures_back_and_come_again_when_looked_at(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    session = page.context.new_cdp_session(page)
    counts = []
    for _ in range(N_GRIDS - 2):
        target = find_target(page)
        page.keyboard.press("Space")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#target")).not_to_have_text(target)
        settle(page)
        counts.append(count_nodes(session))
    # A grid of eight has some fifty nodes; without giving them back, eight more would stay each time.
    assert max(counts[4:]) - counts[3] < 8 * 4
    page.keyboard.press("Backspace")
    expect(page.locator("#revising")).to_be_visible()
    settle(page)
    shown = "[...document.querySelectorAll('.cell img')].filter((one) => one.complete && one.naturalWidth).length"
    assert page.evaluate(shown) == page.locator(".cell").count()
