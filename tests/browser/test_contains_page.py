"""CONTAINS in a real browser on a real server: by mouse, by keyboard and by touch; what is selected is what is stored."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.browser_visitor import PHONE, Meet, audit, count_overflow, find_target, settle
from tests.browser.server_process import GRID, HOSTILE, LONG


def select(page: Page, *places: int) -> None:
    for place in places:
        page.locator(".cell").nth(place).click(position={"x": 20, "y": 20})


def to_mask(*places: int) -> str:
    return f"{sum(1 << place for place in places):x}"


def find_focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id"))


def test_what_is_clicked_is_what_is_stored(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    target = find_target(page)
    select(page, 0, 3, 5, 3)
    expect(page.locator("#facts")).to_have_text("2 selected")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#target")).not_to_have_text(target)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["mask"] == to_mask(0, 5)
    assert answer["revision"] == 0
    assert 0 < answer["seconds"] < 60
    expect(page.locator("#done")).to_have_text(re.compile("^1( of [0-9]+)? done"))


def test_everything_can_be_done_by_keyboard_alone(meet: Meet):
    visitor = meet()
    page = visitor.come_in()
    page.keyboard.press("Tab")
    while not page.evaluate("document.activeElement.matches('.card a')"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="I agree")).to_be_focused()
    page.keyboard.press("Enter")
    settle(page)
    assert find_focused(page) == "Image 1"
    for key in ("Space", "ArrowRight", "ArrowRight", "ArrowLeft", "Space", "End", "Space"):
        page.keyboard.press(key)
    n_cells = page.locator(".cell").count()
    page.keyboard.press("Control+Enter")
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["mask"] == to_mask(0, 1, n_cells - 1)


def test_arrows_go_along_rows_and_columns_and_stop_at_the_edges(meet: Meet):
    page = meet(viewport=PHONE).begin(GRID)
    assert page.locator("#grid").get_attribute("data-columns") == "3"
    n_cells = page.locator(".cell").count()
    way = {
        "ArrowDown": 4,
        "ArrowUp": 1,
        "ArrowLeft": 1,
        "End": n_cells,
        "ArrowDown ": n_cells,
        "ArrowRight": n_cells,
        "Home": 1,
    }
    for key, place in way.items():
        page.keyboard.press(key.strip())
        assert find_focused(page) == f"Image {place}"


def test_enter_on_the_last_image_submits(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert visitor.served.find_answers(visitor.name) == []
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    visitor.get_answers(1, page=page)


def test_an_empty_answer_is_asked_about_in_the_page(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    target = find_target(page)
    page.keyboard.press("Control+Enter")
    question = page.get_by_role("alertdialog")
    expect(question).to_contain_text("No image contains it")
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    assert find_target(page) == target
    assert find_focused(page) == "Image 1"
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Enter")
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["mask"] == "0"


def test_undo_takes_back_one_selection_after_the_other(meet: Meet):
    page = meet().begin(GRID)
    select(page, 1, 2)
    page.keyboard.press("u")
    expect(page.get_by_label("Image 3")).not_to_be_checked()
    expect(page.get_by_label("Image 2")).to_be_checked()
    page.keyboard.press("u")
    page.keyboard.press("u")
    expect(page.locator("#facts")).to_have_text("0 selected")


def test_an_image_can_be_enlarged_and_selected_there(meet: Meet):
    page = meet().begin(GRID)
    page.keyboard.press("z")
    dialog = page.get_by_role("dialog", name="Enlarged image")
    expect(dialog).to_contain_text("Image 1 of")
    page.keyboard.press("ArrowRight")
    expect(dialog).to_contain_text("Image 2 of")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="✓ Selected")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_label("Image 2")).to_be_checked()
    assert find_focused(page) == "Image 2"


def test_a_double_click_enlarges_and_selects_nothing(meet: Meet):
    page = meet().begin(GRID)
    page.locator(".cell").nth(2).dblclick(position={"x": 20, "y": 20})
    expect(page.get_by_role("dialog", name="Enlarged image")).to_contain_text("Image 3 of")
    page.keyboard.press("Escape")
    expect(page.locator("#facts")).to_have_text("0 selected")


def test_touch_selects_and_a_long_touch_enlarges(meet: Meet):
    page = meet(viewport=PHONE, has_touch=True, is_mobile=True).begin(GRID)
    page.locator(".cell").nth(4).tap()
    expect(page.get_by_label("Image 5")).to_be_checked()
    cell = page.locator(".cell").nth(1)
    cell.dispatch_event("pointerdown", {"pointerType": "touch", "clientX": 100, "clientY": 300, "bubbles": True})
    expect(page.get_by_role("dialog", name="Enlarged image")).to_contain_text("Image 2 of")


def test_a_selected_image_shows_a_check_mark_and_a_thick_ring(meet: Meet):
    page = meet().begin(GRID)
    select(page, 0)
    style = "(which) => getComputedStyle(document.querySelector('.cell'), which)"
    assert page.evaluate(f"({style})('::before').content") == '"✓"'
    assert page.evaluate(f"parseFloat(({style})('::after').borderTopWidth)") >= 4
    assert page.evaluate("getComputedStyle(document.querySelector('.cell img')).objectFit") == "contain"


@pytest.mark.parametrize("viewport", [{"width": 1366, "height": 768}, PHONE], ids=["laptop", "phone"])
def test_what_is_sought_stays_in_view(meet: Meet, viewport):
    page = meet(viewport=viewport).begin(GRID)
    page.locator("#larger").click()
    page.locator("#larger").click()
    page.locator(".cell").last.scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 0
    for part in ("#target", ".class-gloss", "#instructions", ".look-up", "#submit", "#status"):
        box = page.locator(part).bounding_box()
        assert box is None or 0 <= box["y"] <= viewport["height"] - box["height"], part
    link = page.locator(".look-up")
    assert str(link.get_attribute("href")).startswith("https://en.wikipedia.org/wiki/Special:Search?search=")
    assert link.get_attribute("rel") == "noreferrer noopener"
    assert link.get_attribute("target") == "_blank"


def test_long_and_hostile_names_are_shown_as_they_are_and_break_nothing(meet: Meet):
    visitor = meet(viewport=PHONE, has_touch=True, is_mobile=True)
    page = visitor.begin(GRID)
    seen: set[str] = set()
    while not {LONG, HOSTILE} <= seen:
        seen.add(find_target(page))
        assert count_overflow(page) <= 0
        select(page, 0)
        target = find_target(page)
        page.locator("#submit").click()
        expect(page.locator("#target")).not_to_have_text(target)
        settle(page)


def test_the_next_grid_is_there_at_once(meet: Meet):
    page = meet().begin(GRID)
    page.wait_for_load_state("networkidle")
    select(page, 0)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/images/" in request.url else None)
    complete = "[...document.querySelectorAll('.cell img')].filter((one) => one.complete && one.naturalWidth)"
    n_complete = page.evaluate(f"() => {{ document.querySelector('#submit').click(); return {complete}.length; }}")
    assert n_complete == page.locator(".cell").count()
    shown = [str(image.get_attribute("src")) for image in page.locator(".cell img").all()]
    assert not [url for url in asked if any(url.endswith(address) for address in shown)]


def test_larger_images_are_remembered(meet: Meet):
    page = meet().begin(GRID)
    columns = int(str(page.locator("#grid").get_attribute("data-columns")))
    page.keyboard.press("+")
    expect(page.locator("#grid")).to_have_attribute("data-columns", str(columns - 1))
    page.reload()
    settle(page)
    expect(page.locator("#grid")).to_have_attribute("data-columns", str(columns - 1))


def test_a_task_tells_nothing_about_controls_and_sources(meet: Meet):
    visitor = meet()
    page = visitor.come_in()
    page.goto(f"{visitor.served.address}/campaigns/{GRID}")
    with page.expect_response(re.compile("/tasks$")) as response:
        page.get_by_role("button", name="I agree").click()
    task = response.value.json()[0]
    how_long = {"seconds", "shown_seconds"}
    assert set(task) == {"id", "kind", "images", "view", "answer", "revision", "returned", *how_long}
    assert set(task["view"]) == {"target", "ask", "n_cells"}
    assert all(re.fullmatch(r"/images/[0-9a-f]{32}/\d", address) for address in task["images"])


def test_the_page_works_for_screen_readers(meet: Meet):
    page = meet().begin(GRID)
    assert audit(page) == []
    expect(page.locator("#status")).to_have_attribute("role", "status")
    expect(page.get_by_role("group", name=find_target(page))).to_be_visible()
    assert page.get_by_role("checkbox").count() == page.locator(".cell").count()
    # One image is in the tab order; the others are reached from it by arrows.
    assert page.locator(".cell input[tabindex='0']").count() == 1
    page.keyboard.press("ArrowRight")
    ring = "getComputedStyle(document.activeElement.closest('.cell')).outlineStyle"
    assert page.evaluate(ring) == "solid"


def test_help_lists_the_keys(meet: Meet):
    page = meet().begin(GRID)
    page.keyboard.press("h")
    expect(page.get_by_role("dialog", name="What to do")).to_contain_text("undo the last selection")
    assert audit(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Space")
    expect(page.get_by_label("Image 1", exact=True)).to_be_checked()


def test_whoever_takes_the_question_back_goes_on_changing_the_earlier_answer(meet: Meet):
    page = meet().begin(GRID)
    target = find_target(page)
    for key in ("Space", "Control+Enter"):
        page.keyboard.press(key)
    expect(page.locator("#target")).not_to_have_text(target)
    settle(page)
    page.keyboard.press("Backspace")
    expect(page.locator("#revising")).to_be_visible()
    settle(page)
    for key in ("Space", "Control+Enter"):
        page.keyboard.press(key)
    expect(page.locator("#question")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#question")).to_be_hidden()
    expect(page.locator("#revising")).to_be_visible()
    expect(page.locator("#target")).to_have_text(target)
