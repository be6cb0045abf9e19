"""The website of a study, opened by a double click: from `file:`, where a browser refuses modules and every request for data."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import LAPTOP, PATIENCE, PHONE, audit, count_overflow
from tests.browser.server_process import HOSTILE
from tests.browser.site_study import BACKSLIDE, BAD, GOOD, export

from regauge.records.site import SitePictures

AXE = ("'connect-src' was not explicitly set", "preload assets")
"""What the browser and axe say when axe reads style sheets by a request; the website makes none."""
PLACES = (
    "",
    "#browse/new",
    "#class/c1",
    "#pair/c2/c3",
    "#image/new/new-1-3",
    f"#participant/{GOOD}",
    f"#compare/{GOOD}/%3Cu%3Ebad%20%26%20model",
    "#confusions/new",
    "#classes",
    "#participants",
    "#labels/people",
    "#mistakes/coded@1",
    "#tables/slices",
    "#nowhere",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    return export(tmp_path_factory.mktemp("a site"), pictures=SitePictures.THUMBNAILS)


@pytest.fixture
def visit(browser: Browser, site: str) -> Iterator[Any]:
    """Open a page of the website; whatever it logs, throws or asks of anything else than its folder fails the test."""
    contexts, troubles = [], []

    def note(url: str) -> None:
        if not url.startswith((site.removesuffix("index.html"), "blob:")):
            troubles.append(f"request: {url}")

    def hear(text: str) -> None:
        if not any(part in text for part in AXE):
            troubles.append(text)

    def open_page(place: str = "", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": LAPTOP, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: hear(message.text))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: note(request.url))
        go(page, site, place)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def go(page: Page, site: str, place: str) -> None:
    page.goto(f"{site}{place}")
    page.locator("main:not([aria-busy]) h1[tabindex]").wait_for()


@needs_axe
@pytest.mark.parametrize(
    "options", [{}, {"viewport": PHONE, "color_scheme": "dark"}], ids=["light", "dark, on a phone"]
)
def test_every_page_opens_and_stands_in_nobodys_way(visit: Any, site: str, options: dict[str, Any]):
    page = visit(**options)
    for place in PLACES:
        go(page, site, place)
        assert (place, audit(page), list_barriers(page), count_overflow(page)) == (place, [], [], 0)
    expect(page.locator("main")).to_contain_text("There is no such page")


def test_from_a_number_to_its_pictures_in_three_clicks(visit: Any):
    page = visit()
    page.get_by_role("link", name=GOOD).first.click()
    expect(page.get_by_role("heading", name="Mistakes")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("12 answers of 48 differ from the dataset label; 12 are shown")
    page.get_by_role("link", name="show").first.click()
    expect(page.get_by_role("status")).to_contain_text("1 is shown")
    page.locator(".card a").last.click()
    page.go_back()
    page.locator(".card").get_by_role("link", name="new-", exact=False).first.click()
    expect(page.get_by_role("heading", name="Answers")).to_be_visible()
    assert page.locator(".image-large img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_filters_count_what_they_would_leave_and_the_address_brings_the_same_list(visit: Any, site: str):
    page = visit("#browse/new")
    page.get_by_role("checkbox", name="wrong 1", exact=True).check()
    expect(page.get_by_role("status")).to_have_text("1 image of 48")
    page.get_by_role("checkbox", name="some of them 1").wait_for(state="detached")
    assert page.url.endswith("#browse/new?verdict=0")
    expect(page.locator(".card")).to_contain_text(BACKSLIDE)
    page.reload()
    expect(page.get_by_role("status")).to_have_text("1 image of 48")
    go(page, site, "#browse/new?right=2&sort=frequency")
    expect(page.get_by_role("status")).to_have_text("24 images of 48")
    expect(page.locator(".card").first).to_contain_text("selected by 9 of 10")


def test_a_class_names_what_comes_with_it_and_images_are_found_by_their_part_of_the_split(visit: Any, site: str):
    # Of the four images of class 2 the second holds class 3 as an object of its own: 1 of 4 is 25.0%.
    page = visit("#class/c2?set=new")
    expect(page.get_by_role("region", name="Other objects in its images")).to_contain_text("25.0% [")
    expect(page.locator("main")).to_contain_text("People accept no other class on its images")
    # Ten people saw every label, no other was asked about: easy, but for the image that nobody selected.
    go(page, site, "#browse/new?split=mislabeled")
    expect(page.get_by_role("status")).to_have_text("1 image of 48")
    expect(page.locator(".card")).to_contain_text(BACKSLIDE)


def test_going_back_returns_to_where_the_reader_was(visit: Any):
    page = visit("#browse/new")
    page.evaluate("scrollTo(0, 600)")
    page.wait_for_function("scrollY > 500")
    page.wait_for_timeout(200)
    place = page.evaluate("scrollY")
    page.locator(".card a").last.evaluate("link => link.click()")
    expect(page.locator("h1")).not_to_have_text("Images of new")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Images of new")
    page.wait_for_function(f"Math.abs(scrollY - {place}) < 5")


def test_a_class_is_found_by_a_synonym_with_a_typo_and_names_stay_text(visit: Any):
    page = visit()
    page.get_by_role("button", name="Find a class").click()
    page.get_by_role("combobox").fill("synonim 1")
    page.get_by_role("option").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(page.locator("main")).to_contain_text("4 images of new with this dataset label.")
    assert page.locator("main img[src='x']").count() == 0


def test_a_table_is_saved_as_csv_and_a_figure_as_svg(visit: Any, tmp_path: Path):
    page = visit("", accept_downloads=True)
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").first.click()
    saved.value.save_as(tmp_path / "scores.csv")
    rows = list(csv.DictReader((tmp_path / "scores.csv").read_text().splitlines()))
    assert [(row["participant"], float(row["value"]), row["images"]) for row in rows] == [
        (GOOD, 0.75, "48"),
        (BAD, 0.25, "48"),
    ]
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").first.click()
    saved.value.save_as(tmp_path / "scores.svg")
    assert (tmp_path / "scores.svg").read_text().startswith("<svg")


def test_two_participants_are_compared_by_the_exact_test(visit: Any):
    page = visit(f"#compare/{GOOD}/%3Cu%3Ebad%20%26%20model")
    # 24 images only the first gets right, none only the second: p = 2 / 2**24.
    expect(page.locator("main")).to_contain_text("Right on 36 and 12 of 48 images")
    expect(page.locator("main")).to_contain_text("p < 0.001")
    page.get_by_role("link", name="both wrong").click()
    expect(page.locator(".card")).to_have_count(12)
