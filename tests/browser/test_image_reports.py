"""Images that somebody reports, in a real browser: by key and by button, on both kinds of page, and what the manager does."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.browser.browser_visitor import PHONE, Meet, audit, count_overflow, find_target
from tests.browser.server_process import GRID, LABELS, Served, open_served

from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.image_reports import list_reports


def find_reports(served: Served, campaign: int) -> list[tuple[str, str]]:
    with open_served(served.folder) as study, study.read() as reading:
        return [(str(one.problem), one.words) for one in list_reports(reading, get_campaign(reading, campaign))]


def test_an_image_of_a_grid_is_reported_by_key_put_away_and_not_counted(meet: Meet, served: Served):
    visitor = meet()
    page = visitor.begin(GRID)
    target = find_target(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.locator("#facts")).to_have_text("1 selected")
    page.keyboard.press("x")
    dialog = page.locator("dialog[open]")
    expect(dialog).to_contain_text("What is wrong with image 2?")
    assert audit(page) == []
    page.keyboard.press("2")
    expect(page.locator(".cell").nth(1)).to_have_class("cell away")
    expect(page.locator("#facts")).to_have_text("0 selected")
    # What is put away cannot be selected.
    page.locator(".cell").nth(1).click(position={"x": 20, "y": 20})
    expect(page.locator("#facts")).to_have_text("0 selected")
    page.locator(".cell").nth(3).click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+Enter")
    expect(page.locator("#target")).not_to_have_text(target)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"] == {"version": 2, "mask": "8", "not_shown": "2"}
    assert ("upsetting", "") in find_reports(served, GRID)


def test_a_single_image_is_reported_by_button_on_a_phone_and_the_next_task_comes(meet: Meet, served: Served):
    visitor = meet(viewport=PHONE)
    page = visitor.begin(LABELS)
    first = page.locator("#enlarge img").get_attribute("src")
    page.locator("#report-image").click()
    expect(page.locator("dialog[open]")).to_contain_text("What is wrong with the image?")
    assert count_overflow(page) == 0
    page.get_by_role("button", name="It is broken").click()
    expect(page.locator(f'#enlarge img[src="{first}"]')).to_have_count(0)
    # Something else is said in one's own words, and the image stays.
    page.locator("#report-image").click()
    page.get_by_label("Another reason").fill("A number plate can be read.")
    page.locator("dialog[open]").get_by_role("button", name="Report", exact=True).click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.startsWith('regauge.entry.'))")
    assert {("broken", ""), ("other", "A number plate can be read.")} <= set(find_reports(served, LABELS))
