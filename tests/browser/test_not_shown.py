"""Images that do not come, in a real browser: nobody answers for what they were not shown, and everybody can go on."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.browser_visitor import PHONE, Meet, Visitor, audit, count_overflow, find_target, settle
from tests.browser.quiz_study import LABELS as QUIZZED_LABELS
from tests.browser.quiz_study import add_quizzes
from tests.browser.server_process import GRID, LABELS, Served, make_served_study, open_served

FAILED = ("Failed to load resource",)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of which one image of every class, and half of the known ones, were cut after the campaigns were opened."""
    folder = tmp_path_factory.mktemp("broken")
    served = Served(make_served_study(folder))
    with open_served(served.folder) as study, study.begin() as begun:
        add_quizzes(begun)
    for path in (*(folder / "new").rglob("*-0.png"), *(folder / "original").rglob("*-1.png")):
        path.write_bytes(path.read_bytes()[:100])
    served.start()
    yield served
    served.end(signal.SIGKILL)


def come(meet: Meet, server: Served, **options: object) -> Visitor:
    visitor = meet(server, **options)
    visitor.allowed = FAILED
    return visitor


def find_failed(page: Page) -> list[int]:
    page.wait_for_function(
        "() => [...document.querySelectorAll('.cell img')].every((one) => 'failed' in one.dataset || 'shown' in one.dataset)"
    )
    script = "[...document.querySelectorAll('.cell img')].flatMap((one, at) => 'failed' in one.dataset ? [at] : [])"
    return [int(place) for place in page.evaluate(script)]


def test_a_cell_whose_image_failed_is_recorded_as_not_shown(meet: Meet, broken: Served, tmp_path: Path):
    visitor = come(meet, broken)
    page = visitor.begin(GRID)
    target = find_target(page)
    failed = find_failed(page)
    assert failed
    shown = next(place for place in range(page.locator(".cell").count()) if place not in failed)
    for place in (shown, failed[0]):
        page.locator(".cell").nth(place).click(position={"x": 20, "y": 20})
    expect(page.locator("#facts")).to_have_text("1 selected")
    page.get_by_role("button", name="Submit").click()
    words = "1 image" if len(failed) == 1 else f"{len(failed)} images"
    expect(page.locator("#question-text")).to_have_text(f"{words} could not be shown – submit without?")
    assert audit(page) == []
    page.locator("#question-yes").click()
    expect(page.locator("#target")).not_to_have_text(target)
    (answer,) = visitor.get_answers(1, page=page)
    missing = f"{sum(1 << place for place in failed):x}"
    assert answer["answer"] == {"version": 2, "mask": f"{1 << shown:x}", "not_shown": missing}
    assert answer["status"] == "counted"


def test_an_image_that_comes_later_is_answered_for(meet: Meet, broken: Served):
    visitor = come(meet, broken)
    page = visitor.come_in()
    held: list[str] = []

    def hold(route, request):
        if request.url.endswith("/3") and request.url not in held:
            held.append(request.url)
            route.abort()
        else:
            route.continue_()

    page.route("**/images/**", hold)
    page.goto(f"{broken.address}/campaigns/{GRID}")
    page.get_by_role("button", name="I agree").click()
    settle(page)
    page.wait_for_function("() => 'shown' in document.querySelectorAll('.cell img')[3].dataset")
    failed = find_failed(page)
    assert 3 not in failed
    page.locator(".cell").nth(3).click(position={"x": 20, "y": 20})
    page.get_by_role("button", name="Submit").click()
    if failed:
        page.locator("#question-yes").click()
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["mask"] == "8"


@pytest.mark.parametrize("viewport", [None, PHONE])
def test_whoever_is_not_shown_the_one_image_reports_it_and_goes_on(meet: Meet, broken: Served, viewport):
    visitor = come(meet, broken, **({"viewport": viewport} if viewport else {}))
    page = visitor.begin(LABELS)
    report = page.get_by_role("button", name="Report it and go on")
    expect(report).to_be_visible()
    assert audit(page) == []
    assert count_overflow(page) <= 0
    page.locator(".choice").first.locator("input[type=checkbox]").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problem")).to_contain_text("The image has not loaded yet")
    report.click()
    settle(page)
    first = visitor.get_answers(1, page=page)[0]
    assert (first["answer"], first["status"]) == ({"version": 2, "not_shown": True}, "not shown")
    expect(page.locator("#done")).to_have_text(re.compile("^0( of [0-9]+)? done"))
    assert page.locator("#previous").is_disabled()


def test_a_question_of_the_quiz_whose_image_fails_is_replaced(meet: Meet, broken: Served):
    visitor = come(meet, broken)
    page = visitor.come_in()
    page.goto(f"{broken.address}/campaigns/{QUIZZED_LABELS}")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Begin the quiz").click()
    for _ in range(8):
        page.locator("#quiz-picture img").wait_for(state="attached")
        page.wait_for_function(
            "() => (({ dataset }) => 'shown' in dataset || 'failed' in dataset)(document.querySelector('#quiz-picture img'))"
        )
        if page.locator("#quiz-picture img[data-failed]").count():
            break
        page.keyboard.press("1")
        page.wait_for_timeout(350)
        page.keyboard.press("Enter")
        page.locator("#quiz-next").click()
    else:
        pytest.fail("no question had an image that fails")
    number = page.locator("#quiz-number").inner_text()
    before = page.locator("#quiz-picture img").get_attribute("src")
    page.get_by_role("button", name="Another question").click()
    page.wait_for_function("before => !document.querySelector('#quiz-picture img').src.endsWith(before)", arg=before)
    assert page.locator("#quiz-number").inner_text() == number


def test_the_manager_sees_which_images_fail_and_to_whom(meet: Meet, broken: Served):
    visitor = come(meet, broken)
    page = visitor.begin(GRID)
    failed = find_failed(page)
    assert failed
    manager = come(meet, broken)
    page = manager.open_tab()
    page.goto(broken.manager_link)
    page.wait_for_url(f"{broken.address}/manage")
    page.goto(f"{broken.address}/manage/campaigns/{GRID}")
    expect(page.locator(".notice.warning").filter(has_text="could not be shown")).to_be_visible()
    expect(page.locator("#failures")).to_contain_text(visitor.name)
    assert count_overflow(page) <= 0
