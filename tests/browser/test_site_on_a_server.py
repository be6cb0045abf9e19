"""The website of a study on its server, in a browser: for managers with pictures, and by links from their pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.browser_visitor import Meet, audit
from tests.browser.manager import open_manager
from tests.browser.server_process import HOSTILE, Served
from tests.browser.site_study import BACKSLIDE, make_site_study


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Served]:
    served = Served(make_site_study(tmp_path))
    served.start()
    try:
        yield served
    finally:
        served.end()


def test_managers_go_from_a_name_to_its_page_and_its_pictures(meet: Meet, shown: Served):
    page = open_manager(meet, shown)
    page.get_by_role("link", name="people@2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("people@2")
    expect(page.locator("main")).to_contain_text("On 48 images of new that both cover, 3 verdicts differ")
    page.get_by_role("link", name=BACKSLIDE).first.click()
    picture = page.locator(".image-large img")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    assert audit(page) == []
    page.get_by_role("link", name=HOSTILE).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    page.get_by_role("link", name="Regauge").click()
    page.wait_for_url("**/manage")
    page.get_by_role("link", name="Results").click()
    expect(page.get_by_role("heading", name="Accuracy")).to_be_visible()
