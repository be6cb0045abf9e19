"""The page of a kind that the package does not know, in a real browser: two rounds, by mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.browser_visitor import LAPTOP, PATIENCE, SETTLED
from tests.server.served_study import listen
from tests.verify import WITH_VERIFY
from tests.verify.verify_study import FIRST, Told, serve_told

from regauge.server.app import create_app
from regauge.workflows.people.invitations import Invitation


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    with serve_told(tmp_path) as made:
        made.run("campaign", "create", "verify", "votes", "--pairs", str(tmp_path / "pairs.csv"), "--annotators", "3")
        made.run("campaign", "open", "votes")
        yield made


def come(browser: Browser, address: str, who: Invitation) -> tuple[Page, list[str]]:
    """Somebody's first task, and a list of what goes wrong on their pages."""
    page = browser.new_context(viewport=LAPTOP).new_page()
    page.set_default_timeout(PATIENCE)
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(f"{address}/join#{who.token}")
    page.wait_for_url(f"{address}/")
    page.get_by_role("link", name="votes").click()
    page.get_by_role("button", name="I agree").click()
    return page, troubles


def answer(page: Page, place: int, said: Mapping[str, tuple[str, ...]]) -> str:
    """The task on the page, by a key; returns the label that it was about."""
    page.locator("#verify").wait_for()
    expect(page.locator("#picture img")).to_have_js_property("complete", value=True)
    page.wait_for_timeout(SETTLED)
    label = page.locator("#label").inner_text()
    vote = said[label][place]
    page.keyboard.press({"correct": "1", "unclear": "2", "wrong": "3"}[vote])
    if vote == "wrong":
        # Letters are typed, and are not keys of the page.
        page.locator("#comment").fill("")
        page.locator("#comment").press_sequentially("1 toy, husky")
        page.locator("#submit").click()
    else:
        page.keyboard.press("Enter")
    return label


def test_two_rounds_on_the_page(told: Told, browser: Browser) -> None:
    with listen(create_app(told.study, kinds=WITH_VERIFY)) as address:
        pages = []
        for place, who in enumerate(told.panel):
            page, troubles = come(browser, address, who)
            seen = {answer(page, place, FIRST) for _ in range(4)}
            assert seen == set(FIRST)
            page.wait_for_url("**/thanks")
            pages.append((page, troubles))
        told.run("campaign", "extend", "votes")
        page, _ = pages[0]
        page.goto(f"{address}/campaigns/{told.get('votes').id}")
        page.locator("#verify").wait_for()
        while page.locator("#label").inner_text() != "horse":
            answer(page, 0, FIRST)
            page.wait_for_timeout(SETTLED)
        expect(page.locator("#others li")).to_have_count(2)
        assert "wrong: 1 toy, husky" in page.locator("#others").inner_text()
        for one, troubles in pages:
            assert troubles == []
            one.context.close()
