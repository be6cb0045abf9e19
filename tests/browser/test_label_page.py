"""The page of people who are tested, and of those who are trained, in a real browser: by keys alone, and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.browser_visitor import LAPTOP, PATIENCE, PHONE, SETTLED
from tests.kinds.label.label_study import Examined, serve_examined
from tests.server.served_study import listen

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.server.app import create_app
from regauge.storage.campaigns.ledgers import load_answer_columns

MEASURE = """() => {
  let pressed = 0;
  document.addEventListener("keydown", (event) => { if (event.key === "Enter") pressed = performance.now(); }, true);
  window.waits = [];
  new MutationObserver(() => {
    const picture = document.querySelector("#enlarge img");
    if (picture?.complete) window.waits.push(performance.now() - pressed);
  }).observe(document.getElementById("enlarge"), { childList: true });
}"""


@pytest.fixture
def examined(tmp_path: Path) -> Iterator[Examined]:
    with serve_examined(tmp_path) as made:
        yield made


def come(
    browser: Browser,
    address: str,
    examined: Examined,
    campaign: CampaignEntry,
    *,
    place: int = 0,
    screen: object = LAPTOP,
) -> Page:
    """Somebody's first image."""
    page = browser.new_context(viewport=screen).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(f"{address}/join#{examined.people[place].token}")
    page.wait_for_url(f"{address}/")
    page.goto(f"{address}/campaigns/{campaign.id}")
    page.get_by_role("button", name="I agree").click()
    settle(page)
    return page


def settle(page: Page) -> None:
    page.locator("#label").wait_for()
    page.locator("#finder input").wait_for()
    expect(page.locator("#enlarge img")).to_have_js_property("complete", value=True)
    page.wait_for_timeout(SETTLED)


def list_answers(examined: Examined, campaign: CampaignEntry) -> list[tuple[str, float, int]]:
    """What is stored: the answer, the seconds since the image was shown, and which revision it is."""
    with examined.study.read() as reading:
        found = list(load_answer_columns(reading, examined.get(campaign.name)))
    return [
        row
        for part in found
        for row in zip(part.texts, part.shown_seconds.tolist(), part.revisions.tolist(), strict=True)
    ]


def test_a_whole_evaluation_is_walked_by_keys_alone(examined: Examined, browser: Browser) -> None:
    campaign = examined.test()
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign)
        page.evaluate(MEASURE)
        for number in range(campaign.n_tasks):
            page.keyboard.type("frog")
            # Two keys beyond the letters: the first takes the class, the second submits.
            page.keyboard.press("Enter")
            expect(page.locator("#chosen")).to_contain_text("frog")
            page.keyboard.press("Enter")
            if number < campaign.n_tasks - 1:
                expect(page.locator("#chosen")).to_be_hidden()
                settle(page)
        page.wait_for_url("**/thanks")
        assert len(list_answers(examined, campaign)) == campaign.n_tasks
        page.context.close()


def test_the_next_image_is_there_within_a_tenth_of_a_second(examined: Examined, browser: Browser) -> None:
    campaign = examined.test()
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign)
        page.evaluate(MEASURE)
        for _ in range(4):
            page.keyboard.type("cat")
            page.keyboard.press("Enter")
            page.keyboard.press("Enter")
            settle(page)
        waits = page.evaluate("() => window.waits")
        page.context.close()
    assert len(waits) == 4
    assert sorted(waits)[1] < 100


def test_the_answer_before_can_be_changed_and_no_earlier_one(examined: Examined, browser: Browser) -> None:
    campaign = examined.test()
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign)
        for word in ("cat", "dog"):
            page.keyboard.type(word)
            page.keyboard.press("Enter")
            page.keyboard.press("Enter")
            settle(page)
        page.locator("#previous").click()
        expect(page.locator("#chosen")).to_contain_text("dog")
        expect(page.locator("#previous")).to_be_disabled()
        page.wait_for_timeout(SETTLED)
        page.keyboard.type("horse")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator("#chosen")).to_be_hidden()
        page.wait_for_timeout(SETTLED)
        page.context.close()
    texts = [(text, revision) for text, _, revision in list_answers(examined, campaign)]
    assert [revision for _, revision in texts] == [0, 0, 1]


def test_a_reload_goes_on_with_the_time_of_the_image(examined: Examined, browser: Browser) -> None:
    campaign = examined.test()
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign)
        page.wait_for_timeout(SETTLED)
        # The clock of the study stands still for tests, and is set forward by hand.
        examined.clock.jump(50)
        page.reload()
        settle(page)
        page.keyboard.type("cat")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator("#chosen")).to_be_hidden()
        page.wait_for_timeout(SETTLED)
        page.context.close()
    ((_, seconds, _),) = list_answers(examined, campaign)
    assert seconds >= 50


def test_on_a_phone_a_class_is_found_and_handed_in_by_touch(examined: Examined, browser: Browser) -> None:
    campaign = examined.test()
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign, screen=PHONE)
        page.locator("#finder input").fill("truck")
        page.locator("#finder [role=option]").first.click()
        expect(page.locator("#chosen")).to_contain_text("truck")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.locator("#submit").click()
        expect(page.locator("#done")).to_contain_text("1 of 8 done")
        page.context.close()


def test_whoever_is_trained_is_told_what_is_right_and_goes_on_by_a_key(examined: Examined, browser: Browser) -> None:
    examined.run("campaign", "create", "label", "train", "--mode", "training", "--from", "refs", "--seed", "1")
    examined.run("campaign", "open", "train")
    campaign = examined.get("train")
    with listen(create_app(examined.study)) as address:
        page = come(browser, address, examined, campaign)
        page.keyboard.type("truck")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator("#told")).to_contain_text("Not right. It is")
        expect(page.locator("#told .label-one")).to_have_count(2)
        expect(page.locator("#submit-text")).to_have_text("Next")
        page.wait_for_timeout(SETTLED)
        page.keyboard.press("Enter")
        expect(page.locator("#told")).to_be_hidden()
        expect(page.locator("#previous")).to_be_disabled()
        page.locator("#requests summary").click()
        page.locator("#request-room input").fill("cat")
        page.locator("#request-room input").press("Enter")
        expect(page.locator("#request-room")).to_contain_text("cat ✕")
        assert len(list_answers(examined, campaign)) == 1
        page.context.close()
