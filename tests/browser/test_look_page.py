"""The page of docs that shows all parts: it names every token, and its picture shows every part, in light and in dark."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import LAPTOP, PHONE, count_overflow
from tests.browser.contrast import list_faint

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "look.html"
TOKENS = (ROOT / "src" / "regauge" / "look" / "tokens.css").read_text(encoding="utf-8")
PARTS = ("type", "space", "colours", "buttons", "fields", "notices", "empties", "headers", "figures")


@pytest.fixture(params=["light", "dark"])
def look(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(viewport=LAPTOP, color_scheme=request.param)
    page = context.new_page()
    page.goto(PAGE.as_uri())
    yield page
    context.close()


def take_picture(page: Page) -> Image.Image:
    with Image.open(io.BytesIO(page.screenshot(full_page=True))) as picture:
        return picture.convert("RGB")


def test_the_page_names_every_token():
    text = PAGE.read_text(encoding="utf-8")
    names = set(re.findall(r"--([\w-]+):", TOKENS)) - {"sans", "mono", "control", "control-text"}
    assert {name for name in names if f"--{name}</code>" not in text} == set()


def test_a_picture_of_the_page_shows_every_part(look: Page):
    picture = take_picture(look)
    ground = look.evaluate("getComputedStyle(document.body).backgroundColor")
    empty = Image.new("RGB", picture.size, ground)
    drawn = ImageChops.difference(picture, empty)
    for part in PARTS:
        box = look.locator(f"section[aria-labelledby={part}]").bounding_box()
        assert box is not None
        inside = (int(box["x"]), int(box["y"]), int(box["x"] + box["width"]), int(box["y"] + box["height"]))
        assert drawn.crop(inside).getbbox() is not None, part


def test_light_and_dark_differ_and_both_stand_out(browser: Browser):
    page = browser.new_page(viewport=LAPTOP)
    page.goto(PAGE.as_uri())
    pictures = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        pictures.append(take_picture(page))
    assert ImageChops.difference(*pictures).getbbox() is not None
    assert list_faint(page) == []
    page.set_viewport_size(PHONE)
    assert count_overflow(page) == 0
    page.close()


def test_buttons_tell_what_they_are(look: Page):
    def paint(name: str) -> str:
        button = look.get_by_role("button", name=name, exact=True).first
        return str(button.evaluate("(e) => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color].join()"))

    names = ("Quiet", "Quiet danger", "Danger", "Secondary", "Primary ↵")
    assert len({paint(name) for name in names}) == len(names)


@needs_axe
def test_nothing_on_it_stands_in_anybodys_way(look: Page):
    assert list_barriers(look) == []
