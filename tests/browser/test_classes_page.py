"""The manager's page of classes: a class is found by typing, by walking down the hierarchy and from another's card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import LAPTOP, PHONE, Meet, count_overflow
from tests.browser.manager import open_manager
from tests.browser.server_process import NAMES, Served, serve

ENLARGED = {"width": 320, "height": 256}
CIRCUMSTANCES: dict[str, dict[str, Any]] = {
    "light": {"viewport": LAPTOP},
    "dark": {"viewport": LAPTOP, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "has_touch": True},
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("classes")) as running:
        yield running


def open_classes(meet: Meet, shown: Served, ending: str = "", **options: Any) -> Page:
    page = open_manager(meet, shown, f"/manage/classes{ending}", **options)
    page.get_by_role("combobox", name="Find a class").wait_for()
    return page


def get_card(page: Page, name: str) -> Any:
    return page.locator(".class-album").filter(has=page.get_by_role("heading", name=name, level=2))


def test_a_class_is_found_by_keys_alone_and_its_images_are_looked_at(meet: Meet, shown: Served) -> None:
    page = open_classes(meet, shown)
    expect(page.get_by_role("combobox", name="Find a class")).to_be_focused()
    page.keyboard.type(NAMES[2])
    expect(page.locator(".finder-list [role=option]").first).to_contain_text(NAMES[2])
    page.keyboard.press("Enter")
    card = get_card(page, NAMES[2])
    expect(card).to_be_visible()
    expect(page).to_have_url(f"{shown.address}/manage/classes#2")
    # Four in the new set, three in the original, which is drawn from.
    expect(card.locator(".album-images img")).to_have_count(7)
    page.get_by_role("button", name=f"Enlarge {NAMES[2]}, image 1 of 4").press("Enter")
    expect(page.locator("dialog.zoom[open]")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".zoom-name")).to_have_text(f"{NAMES[2]}, image 2 of 4")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=f"Enlarge {NAMES[2]}, image 2 of 4")).to_be_focused()


def test_recent_classes_come_back_after_a_reload(meet: Meet, shown: Served) -> None:
    page = open_classes(meet, shown)
    for name in (NAMES[1], NAMES[4]):
        page.get_by_role("combobox", name="Find a class").fill(name)
        page.locator(".finder-list [role=option]").first.click()
        expect(get_card(page, name)).to_be_visible()
    page.goto(f"{shown.address}/manage/log")
    page.goto(f"{shown.address}/manage/classes")
    expect(page.locator(".finder-list [role=option]")).to_have_count(2)
    expect(page.locator(".finder-list [role=option]").first).to_contain_text(NAMES[4])


def test_the_hierarchy_leads_to_a_class_and_the_way_back_to_the_one_before(meet: Meet, shown: Served) -> None:
    page = open_classes(meet, shown, "#1")
    expect(get_card(page, NAMES[1])).to_be_visible()
    expect(page.locator('.tree-node[aria-current="true"]')).to_contain_text(NAMES[1])
    page.locator(".tree-node").filter(has_text=NAMES[1]).press("Backspace")
    page.locator(".tree-node").filter(has_text="family 1").press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(get_card(page, NAMES[3])).to_be_visible()
    expect(page.locator(".tree-picture img")).to_have_count(2)
    page.go_back()
    expect(get_card(page, NAMES[1])).to_be_visible()


def test_sets_are_chosen_and_hidden(meet: Meet, shown: Served) -> None:
    page = open_classes(meet, shown, "#2")
    page.get_by_label("Reference images").select_option("none")
    page.get_by_label("Hide images of").select_option("original")
    page.get_by_role("button", name="Show").click()
    page.goto(f"{page.url}#2")
    card = get_card(page, NAMES[2])
    expect(card).to_contain_text("4 images not shown: without checksums nobody can tell whether they are hidden ones")
    expect(card.locator(".album-images img")).to_have_count(0)


@needs_axe
@pytest.mark.parametrize("options", CIRCUMSTANCES.values(), ids=CIRCUMSTANCES)
def test_nothing_stands_in_the_way_of_finding_a_class(meet: Meet, shown: Served, options: dict[str, Any]) -> None:
    page = open_classes(meet, shown, "#2", **options)
    expect(get_card(page, NAMES[2])).to_be_visible()
    assert list_barriers(page) == []
    page.get_by_role("combobox", name="Find a class").fill(NAMES[2][:2])
    expect(page.locator(".finder-list [role=option]").first).to_be_visible()
    assert list_barriers(page) == []
    assert count_overflow(page) == 0


def test_nothing_is_cut_off_on_a_small_screen(meet: Meet, shown: Served) -> None:
    page = open_classes(meet, shown, "#2", viewport=ENLARGED)
    expect(get_card(page, NAMES[2])).to_be_visible()
    assert count_overflow(page) == 0
