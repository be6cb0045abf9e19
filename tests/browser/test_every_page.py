"""Every page, in light, dark, on a phone, enlarged four times and in a reader's own colours."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect
from tests.browser.axe import has_axe, list_barriers, needs_axe
from tests.browser.browser_visitor import LAPTOP, PHONE, Meet, count_overflow, settle
from tests.browser.drawn_study import DRAWN, serve_drawn
from tests.browser.manager import open_manager
from tests.browser.page_tour import serve_all, tour, tour_managing
from tests.browser.server_process import GRID, LABELS, Served

ENLARGED: ViewportSize = {"width": 320, "height": 256}
"""What a screen of 1280 × 1024 has left at a zoom of 400%: WCAG 2.2, success criterion 1.4.10."""
LOOKS = ("light", "dark", "phone")
PAGES = 32
"""How many a walk through all of them comes by, at least."""
TYPE = {13, 14, 16, 20, 26, 32}
HEIGHTS = {32, 40, 48}


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Served]:
    with serve_all(tmp_path_factory.mktemp("everything"), browser) as running:
        yield running


Faults = dict[str, dict[str, Any]]
"""By what was asked, what is wrong with each page."""


@pytest.fixture(scope="module")
def kept_faults() -> Faults:
    return {}


@pytest.fixture
def faults(kept_faults: Faults, meet: Meet, everything: Served) -> Faults:
    """All that is asked of every page, found out on two walks, by a laptop and by a phone; the first test goes them."""
    if not kept_faults:
        found: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for name, page in tour(meet, everything):
            for question, answer in examine_on_a_laptop(page):
                found[question][name] = answer
        for name, page in tour(meet, everything, viewport=PHONE, has_touch=True):
            found["barriers, phone"][name] = list_barriers(page) if has_axe() else []
            found["overflow, phone"][name] = count_overflow(page)
        kept_faults.update(found)
    assert all(len(pages) >= PAGES for pages in kept_faults.values())
    return {question: {name: odd for name, odd in pages.items() if odd} for question, pages in kept_faults.items()}


def examine_on_a_laptop(page: Page) -> Iterator[tuple[str, Any]]:
    """What is wrong with a page in each of the ways in which it can be shown; it is left as it was."""
    yield "look", list_odd(page)
    yield "barriers, light", list_barriers(page) if has_axe() else []
    page.emulate_media(color_scheme="dark")
    yield "barriers, dark", list_barriers(page) if has_axe() else []
    page.emulate_media(media="print")
    yield "paper", list_on_paper(page)
    page.emulate_media(media="screen", color_scheme="light", forced_colors="active")
    yield "edges", page.evaluate(FORCED)
    page.emulate_media(forced_colors="none")
    page.set_viewport_size(ENLARGED)
    yield "overflow, enlarged", count_overflow(page)
    page.set_viewport_size(LAPTOP)


@needs_axe
@pytest.mark.parametrize("look", LOOKS)
def test_nothing_stands_seriously_in_anybodys_way(faults: Faults, look: str):
    assert faults[f"barriers, {look}"] == {}


@needs_axe
def test_nothing_stands_in_the_way_of_a_review(meet: Meet, tmp_path: Path):
    with serve_drawn(tmp_path) as drawn:
        for options in ({}, {"viewport": PHONE, "has_touch": True}):
            page = open_manager(meet, drawn, f"/manage/testsets/{DRAWN}", **options)
            found = list_barriers(page)
            page.goto(f"{drawn.address}/manage/testsets/{DRAWN}/0")
            page.locator("[data-image]").first.wait_for()
            found += list_barriers(page)
            page.emulate_media(color_scheme="dark")
            found += list_barriers(page)
            page.goto(f"{drawn.address}/manage/testsets/{DRAWN}")
            page.wait_for_load_state()
            assert [*found, *list_barriers(page)] == []


MEASURE = """() => {
  const shown = [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && e.getClientRects().length);
  const hasText = (e) => [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const sizes = shown.filter(hasText).map((e) => [parseFloat(getComputedStyle(e).fontSize), e.outerHTML.slice(0, 90)]);
  // Pictures and labels around them are as large as they are; what wraps is higher by whole lines.
  const controls = 'button:not(.enlarge, .picture-button, #enlarge), .button, select, '
    + 'input:not([type=checkbox], [type=radio], [type=file])';
  const heights = shown.filter((e) => e.matches(controls) && !e.closest('svg'))
    .map((e) => [parseFloat(getComputedStyle(e).minHeight), e.outerHTML.slice(0, 90)]);
  const view = document.querySelector('dialog[open]') ?? document;
  const primaries = shown.filter((e) => e.matches('.primary') && view.contains(e));
  const beside = (e) => [...e.parentElement.querySelectorAll('button, .button')].filter((one) => one.checkVisibility());
  const tell = (e) => e.outerHTML.slice(0, 90);
  const early = primaries.filter((e) => beside(e).at(-1) !== e);
  return { sizes, heights, primaries: primaries.map(tell), early: early.map(tell) };
}"""


def list_odd(page: Page) -> list[object]:
    """Sizes and heights that the look does not know, and primary buttons that are not the only one, or not the last."""
    found = page.evaluate(MEASURE)
    odd: list[object] = [one for one in found["sizes"] if one[0] not in TYPE]
    odd += [one for one in found["heights"] if one[0] not in HEIGHTS]
    odd += [found["primaries"]] if len(found["primaries"]) > 1 else []
    odd += found["early"]
    return odd


def test_every_page_has_six_sizes_of_type_three_heights_and_one_primary_button_that_is_last(faults: Faults):
    assert faults["look"] == {}


def test_the_pages_of_a_review_have_the_same_sizes_and_one_primary_button_that_is_last(meet: Meet, tmp_path: Path):
    with serve_drawn(tmp_path) as drawn:
        page = open_manager(meet, drawn, f"/manage/testsets/{DRAWN}")
        assert list_odd(page) == []
        page.goto(f"{drawn.address}/manage/testsets/{DRAWN}/0")
        page.locator("[data-image]").first.wait_for()
        assert list_odd(page) == []
        page.keyboard.press("3")
        page.get_by_role("dialog").wait_for()
        assert list_odd(page) == []


@pytest.mark.parametrize("screen", ["phone", "enlarged"])
def test_no_page_is_wider_than_a_narrow_screen(faults: Faults, screen: str):
    assert faults[f"overflow, {screen}"] == {}


SEEN = """(element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [low, high] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
  const points = [0.1, 0.3, 0.5, 0.7, 0.9].map((share) => [(left + right) / 2, low + share * (high - low)]);
  return points.filter(([x, y]) => low < high && element.contains(document.elementFromPoint(x, y))).length * (high - low) / 5;
}"""
"""Pixels of an element's height that are on the screen with nothing in front of them."""


def count_seen(element: Locator) -> float:
    return float(element.evaluate(SEEN))


def test_a_grid_can_be_worked_on_at_a_zoom_of_four(meet: Meet, everything: Served):
    visitor = meet(everything, viewport=ENLARGED)
    page = visitor.begin(GRID)
    first, last = page.locator(".cell").first, page.locator(".cell").last
    # A hundred and more of the 256 pixels are the pictures'.
    first.scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.cell').scrollIntoView({ block: 'start' })")
    assert count_seen(first) > 80
    assert sum(count_seen(cell) for cell in page.locator(".cell").all()[::3]) > 150
    last.scroll_into_view_if_needed()
    last.click()
    expect(last.locator("input")).to_be_checked()
    for name in ("Previous", "Submit"):
        assert count_seen(page.get_by_role("button", name=name)) > 24
    page.get_by_role("button", name="Submit").click()
    visitor.get_answers(1, page=page)


def test_help_begins_at_its_beginning_and_an_image_has_most_of_the_room_at_a_zoom_of_four(
    meet: Meet, everything: Served
):
    page = meet(everything, viewport=ENLARGED).begin(GRID)
    page.get_by_role("button", name="Help").click()
    assert count_seen(page.get_by_role("heading", name="What to do")) > 16
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    expect(page.locator("dialog.zoom[open]")).to_be_visible()
    assert count_seen(page.locator(".zoom-room")) > 180
    assert count_seen(page.locator(".zoom-bar").get_by_role("button", name="Close")) > 24


def test_an_image_can_be_labelled_at_a_zoom_of_four(meet: Meet, everything: Served):
    visitor = meet(everything, viewport=ENLARGED)
    page = visitor.begin(LABELS)
    page.locator(".picture").scroll_into_view_if_needed()
    assert count_seen(page.locator("#enlarge")) > 100
    page.locator(".choice .label").first.click()
    page.get_by_role("button", name="Submit").click()
    visitor.get_answers(1, page=page)


def read_colours(page: Page, element: Locator) -> set[tuple[int, ...]]:
    """The colours in the middle line of what a browser paints, at a quarter and at three quarters of the width."""
    element.scroll_into_view_if_needed()
    with Image.open(io.BytesIO(element.screenshot())) as painted:
        flat = painted.convert("RGB")
        return {flat.getpixel((flat.width * place // 8, flat.height // 2)) for place in (1, 7)}  # type: ignore[misc]


def test_progress_shows_in_a_readers_own_colours(meet: Meet, everything: Served):
    for options in ({}, {"forced_colors": "active"}):
        for name, page in tour_managing(meet, everything, **options):
            if name == "campaign":
                bar = page.locator("#bar")
                bar.evaluate("(bar) => { bar.value = bar.max / 2; }")
                assert len(read_colours(page, bar)) == 2
                break


FORCED = """() => {
  const odd = [];
  const other = '.quiet, .why, .more, #enlarge, [type=checkbox], [type=radio], [type=file]';
  for (const e of document.querySelectorAll('button, .button, input, select, textarea')) {
    if (!e.checkVisibility({ opacityProperty: true }) || e.matches(other)) continue;
    if (parseFloat(getComputedStyle(e).borderTopWidth) === 0) odd.push(e.outerHTML.slice(0, 90));
  }
  return odd;
}"""


def test_controls_have_edges_in_a_readers_own_colours(faults: Faults):
    assert faults["edges"] == {}


def test_a_selection_shows_in_a_readers_own_colours(meet: Meet, everything: Served):
    page = meet(everything, forced_colors="active").begin(GRID)
    cell = page.locator(".cell").first
    page.mouse.move(0, 0)
    before = cell.screenshot()
    cell.locator("input").check(force=True)
    page.mouse.move(0, 0)
    assert cell.screenshot() != before


def list_on_paper(page: Page) -> list[str]:
    """What should not be on paper: a dark ground, buttons and the head of the page."""
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    # A button around a picture is the picture.
    shown = page.locator("button:visible:not(#enlarge, .album-image), .button:visible, .top:visible")
    return [one for one in (ground,) if one != "rgb(255, 255, 255)"] + [f"{shown.count()} buttons"] * (
        shown.count() > 0
    )


def test_paper_is_light_and_has_no_buttons(faults: Faults):
    assert faults["paper"] == {}


def test_a_grid_that_was_open_before_asks_for_its_page_and_its_tasks_alone(meet: Meet, everything: Served):
    page = meet(everything).begin(GRID)
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    asked: dict[str, str] = {}
    kept: set[str] = set()
    network.on("Network.requestWillBeSent", lambda event: asked.update({event["requestId"]: event["request"]["url"]}))
    network.on("Network.requestServedFromCache", lambda event: kept.add(event["requestId"]))
    network.on(
        "Network.responseReceived",
        lambda event: kept.add(event["requestId"]) if event["response"].get("fromDiskCache") else None,
    )
    page.goto(page.url)
    settle(page)
    beside = [url for request, url in asked.items() if request not in kept and "/images/" not in url]
    assert len(beside) <= 15
    assert not [url for url in beside if "/static/" in url]
