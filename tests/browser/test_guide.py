"""The guide in a real browser: written with a preview, kept through reloads and a killed server, and never overwritten."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import LAPTOP, PHONE, Meet, audit, count_overflow
from tests.browser.manager import open_manager
from tests.browser.server_process import GRID, Served, open_served, serve

from regauge.records.guide.entries import GuideEdit, GuideTopic, GuideVersion
from regauge.storage.campaigns.campaign import count_up_generation, get_campaign
from regauge.storage.campaigns.image_failures import change_tasks
from regauge.storage.campaigns.payloads import load_payloads
from regauge.workflows.guide.entries import list_history, save_entry

TOPIC = GuideTopic(2)
TEXT = "# Look\n\nA **square**.\n\n![a square](image:new-2-0)"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve(tmp_path) as running:
        yield running


def store(served: Served, text: str, *, edited: int = 0, topic: GuideTopic = TOPIC) -> None:
    with open_served(served.folder) as study, study.begin() as begun:
        save_entry(begun, topic, GuideEdit(text, edited=edited))


def read(served: Served, topic: GuideTopic = TOPIC) -> tuple[GuideVersion, ...]:
    with open_served(served.folder) as study, study.read() as reading:
        return list_history(reading, topic)


def open_entry(meet: Meet, served: Served, **options: Any) -> Page:
    page = open_manager(meet, served, "/manage/guide/2", **options)
    page.wait_for_load_state()
    return page


def test_an_entry_is_found_written_looked_at_and_saved_by_keys(meet: Meet, served: Served):
    page = open_manager(meet, served, "/manage/guide")
    expect(page.get_by_text("0 of 12 classes have an entry")).to_be_visible()
    page.get_by_label("Words").fill("class 2")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="class 2", exact=True).click()
    page.wait_for_load_state()
    page.keyboard.press("e")
    page.keyboard.insert_text(TEXT)
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview strong")).to_have_text("square")
    assert audit(page) == []
    page.get_by_label("Why").fill("first")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#history")).to_contain_text("Version 1 by manager")
    expect(page.locator(".guide-text h3").first).to_have_text("Look")
    picture = page.locator(".guide-text img").first
    expect(picture).to_have_js_property("complete", value=True)
    assert picture.evaluate("image => image.naturalWidth") > 0
    assert [(one.text, one.reason) for one in read(served)] == [(TEXT, "first")]


def test_what_is_typed_survives_a_reload_and_a_killed_server(meet: Meet, served: Served):
    page = open_entry(meet, served)
    page.locator("#text").fill("Yellow squares.")
    page.reload()
    expect(page.locator("#said")).to_contain_text("What you had typed and not saved is in the field again.")
    expect(page.locator("#text")).to_have_value("Yellow squares.")
    served.end(signal.SIGKILL)
    page.get_by_role("button", name=re.compile("Save")).click()
    expect(page.locator("#working")).to_contain_text("The server cannot be reached")
    served.start()
    expect(page.locator("#history")).to_contain_text("Version 1 by manager")
    assert [one.text for one in read(served)] == ["Yellow squares."]
    page.reload()
    expect(page.locator("#said")).to_be_empty()


def test_whoever_comes_second_sees_both_and_saves_what_should_stand(meet: Meet, served: Served):
    store(served, "One.\nTwo.")
    page = open_entry(meet, served)
    page.locator("#text").fill("One.\nThree.")
    store(served, "One.\nTwo and a half.", edited=1)
    page.get_by_role("button", name=re.compile("Save")).click()
    box = page.locator("#conflict-box")
    expect(box).to_be_visible()
    expect(page.locator("#problem")).to_contain_text("changed in the meantime, in version 2 by tester")
    expect(box.locator(".removed")).to_contain_text("Two and a half.")
    expect(box.locator(".added")).to_contain_text("Three.")
    expect(page.locator("#text")).to_have_value("One.\nThree.")
    assert audit(page) == []
    page.get_by_role("button", name="Keep my text").click()
    page.locator("#text").fill("One.\nTwo and a half.\nThree.")
    page.get_by_role("button", name=re.compile("Save")).click()
    expect(page.locator("#history")).to_contain_text("Version 3")
    assert read(served)[0].text == "One.\nTwo and a half.\nThree."
    page.get_by_role("link", name="Version 1", exact=True).click()
    page.get_by_role("button", name="Restore this text").click()
    expect(page.locator("#history")).to_contain_text("version 1 restored")


@needs_axe
@pytest.mark.parametrize(
    "options",
    [{"viewport": LAPTOP}, {"viewport": LAPTOP, "color_scheme": "dark"}, {"viewport": PHONE, "has_touch": True}],
    ids=["light", "dark", "phone"],
)
def test_nothing_stands_in_the_way_and_nothing_lies_beyond_the_edge(
    meet: Meet, served: Served, options: dict[str, Any]
):
    store(served, f"{TEXT}\n\n{'x' * 200}\n\n> quoted\n\n    code {'y' * 200}")
    store(served, "Changed.", topic=GuideTopic(2, 3))
    page = open_manager(meet, served, **options)
    for path in ("", "?words=square", "/2", "/2?version=1", "/2-3"):
        page.goto(f"{served.address}/manage/guide{path}")
        page.wait_for_load_state()
        assert (path, list_barriers(page), count_overflow(page)) == (path, [], 0)


READ = """async (campaign) => {
  const { findGuide, makeGuide } = await import([...document.querySelectorAll('link[rel=stylesheet]')]
    .map((one) => one.getAttribute('href')).find((one) => one.includes('parts.css')).replace(/parts\\.css.*/, 'guide_entry.js'));
  const guide = makeGuide(await findGuide(campaign, 2));
  document.body.append(guide);
  await Promise.all([...guide.querySelectorAll('img')].map((one) => one.decode()));
  const pictures = guide.querySelectorAll('img');
  return { text: guide.textContent, n: pictures.length, width: pictures[0]?.naturalWidth ?? 0 };
}"""


def test_an_annotators_page_can_show_the_guide_beside_a_task(meet: Meet, served: Served):
    store(served, TEXT)
    page = meet(served).begin(GRID)
    found = page.evaluate(READ, GRID)
    assert "A square." in found["text"]
    assert "1 image not shown while the campaign asks about it." in found["text"]
    assert found["n"] == 0
    # Whoever has nothing of it to judge sees it.
    with open_served(served.folder) as study, study.begin() as begun:
        change_tasks(begun, {}, left_out=list(load_payloads(begun, get_campaign(begun, GRID))))
        count_up_generation(begun, get_campaign(begun, GRID))
    found = page.evaluate(READ, GRID)
    assert (found["n"], "not shown" in found["text"]) == (1, False)
    assert found["width"] > 0
