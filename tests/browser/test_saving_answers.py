"""Every answer is stored once: without a network, with a killed server, in two tabs, after a break, and when it is changed."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.browser_visitor import LOST, Meet, find_target, settle
from tests.browser.server_process import GRID, Served, serve

KEPT = r"1 answer is kept in this browser and will be sent within \d+ s"


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Served]:
    """A server that the test may kill."""
    with serve(tmp_path) as running:
        yield running


def answer(page: Page, place: int) -> None:
    """Select one image and go on to the next task."""
    target = find_target(page)
    page.locator(".cell").nth(place).click(position={"x": 20, "y": 20})
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#target")).not_to_have_text(target)
    settle(page)


def submit(page: Page, place: int) -> None:
    """Select one image and submit, whatever comes then."""
    page.locator(".cell").nth(place).click(position={"x": 20, "y": 20})
    page.get_by_role("button", name="Submit").click()


def watch_status(page: Page) -> None:
    """Write down whatever the line about the answers says from now on."""
    page.evaluate(
        "() => { const line = document.getElementById('status'); window.said = [];"
        " new MutationObserver(() => window.said.push(line.textContent))"
        ".observe(line, { childList: true, characterData: true, subtree: true }); }"
    )


def find_said(page: Page) -> list[str]:
    said: list[str] = page.evaluate("window.said")
    return said


def list_masks(answers: list[dict[str, Any]]) -> list[str]:
    return [one["answer"]["mask"] for one in answers]


def test_answers_given_without_a_network_are_kept_and_sent_once(meet: Meet):
    visitor = meet()
    visitor.allowed = LOST
    page = visitor.begin(GRID)
    page.wait_for_load_state("networkidle")
    answer(page, 0)
    expect(page.locator("#status")).to_have_text("Saved")
    page.wait_for_load_state("networkidle")
    visitor.context.set_offline(True)
    answer(page, 1)
    answer(page, 2)
    expect(page.locator("#status")).to_have_text("Offline – 2 answers are kept in this browser and will be sent")
    submit(page, 3)
    expect(page.locator("#waiting")).to_contain_text("There is no connection")
    assert len(visitor.served.find_answers(visitor.name)) == 1
    visitor.context.set_offline(False)
    settle(page)
    answers = visitor.get_answers(4, page=page)
    assert list_masks(answers) == ["1", "2", "4", "8"]
    assert len({one["assignment_id"] for one in answers}) == 4
    expect(page.locator("#done")).to_have_text(re.compile("^4( of [0-9]+)? done"))


def test_answers_that_wait_are_sent_after_the_tab_was_closed(meet: Meet):
    visitor = meet()
    visitor.allowed = LOST
    page = visitor.begin(GRID)
    visitor.context.set_offline(True)
    submit(page, 1)
    expect(page.locator("#status")).to_contain_text("1 answer is kept")
    page.close()
    visitor.context.set_offline(False)
    again = visitor.open_tab()
    again.goto(visitor.served.address)
    (found,) = visitor.get_answers(1, page=again)
    assert found["answer"]["mask"] == "2"


def test_a_killed_server_loses_nothing_and_doubles_nothing(meet: Meet, own_server: Served):
    visitor = meet(own_server)
    visitor.allowed = LOST
    page = visitor.begin(GRID)
    answer(page, 0)
    expect(page.locator("#status")).to_have_text("Saved")
    page.wait_for_load_state("networkidle")
    own_server.end(signal.SIGKILL)
    answer(page, 1)
    expect(page.locator("#status")).to_contain_text("Offline")
    own_server.start()
    expect(page.locator("#status")).to_have_text("Saved")
    answer(page, 2)
    answers = visitor.get_answers(3, page=page)
    assert list_masks(answers) == ["1", "2", "4"]
    assert {one["status"] for one in answers} == {"counted"}


def test_a_reply_that_is_lost_doubles_nothing(meet: Meet):
    visitor = meet()
    visitor.allowed = ("Failed to load resource",)
    page = visitor.begin(GRID)
    lost: list[str] = []

    def lose(route):
        """The server gets the answer, the page gets no reply."""
        if lost:
            route.continue_()
            return
        lost.append(route.request.post_data)
        route.fetch()
        route.abort()

    page.route("**/api/answers", lose)
    answer(page, 0)
    visitor.get_answers(1, page=page)
    assert len(lost) == 1


def test_a_second_click_on_submit_answers_nothing_else(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    page.locator(".cell").nth(0).click(position={"x": 20, "y": 20})
    target = find_target(page)
    page.locator("#submit").dblclick()
    expect(page.locator("#target")).not_to_have_text(target)
    settle(page)
    expect(page.get_by_role("alertdialog")).to_be_hidden()
    visitor.get_answers(1, page=page)


def test_a_break_brings_back_the_same_task_with_what_was_selected(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    target = find_target(page)
    page.locator(".cell").nth(2).click(position={"x": 20, "y": 20})
    page.close()
    again = visitor.open_tab()
    again.goto(f"{visitor.served.address}/campaigns/{GRID}")
    settle(again)
    assert find_target(again) == target
    expect(again.get_by_label("Image 3", exact=True)).to_be_checked()
    submit(again, 3)
    (found,) = visitor.get_answers(1, page=again)
    assert found["answer"]["mask"] == "c"


def test_another_device_goes_on_with_the_same_task(meet: Meet):
    first = meet()
    page = first.begin(GRID)
    answer(page, 0)
    target = find_target(page)
    second = meet()
    second.name, second.link = first.name, first.link
    other = second.come_in()
    other.get_by_role("link", name="Continue Grids").click()
    settle(other)
    assert find_target(other) == target
    expect(other.locator("#done")).to_have_text(re.compile("^1( of [0-9]+)? done"))


def test_the_previous_answer_can_be_changed(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    first = find_target(page)
    answer(page, 0)
    second = find_target(page)
    page.keyboard.press("Backspace")
    expect(page.locator("#target")).to_have_text(first)
    expect(page.locator("#revising")).to_be_visible()
    expect(page.get_by_label("Image 1", exact=True)).to_be_checked()
    page.wait_for_timeout(400)
    page.locator(".cell").nth(1).click(position={"x": 20, "y": 20})
    page.get_by_role("button", name="Save change").click()
    expect(page.locator("#target")).to_have_text(second)
    old, new = visitor.get_answers(2, page=page)
    assert [old["answer"]["mask"], new["answer"]["mask"]] == ["1", "3"]
    assert [old["revision"], new["revision"]] == [0, 1]
    assert old["assignment_id"] == new["assignment_id"]
    assert new["seconds"] >= old["seconds"]
    expect(page.locator("#done")).to_have_text(re.compile("^1( of [0-9]+)? done"))


def test_one_can_go_back_several_steps_and_leave_all_as_it_was(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    targets = []
    for place in range(3):
        targets.append(find_target(page))
        answer(page, place)
    page.get_by_role("button", name="Previous").click()
    page.get_by_role("button", name="Previous").click()
    expect(page.locator("#target")).to_have_text(targets[1])
    expect(page.get_by_label("Image 2", exact=True)).to_be_checked()
    page.get_by_role("button", name="Previous").click()
    expect(page.get_by_role("button", name="Previous")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.locator("#revising")).to_be_hidden()
    visitor.get_answers(3, page=page)


def test_the_previous_answer_can_be_changed_after_a_break_too(meet: Meet):
    visitor = meet()
    page = visitor.begin(GRID)
    first = find_target(page)
    answer(page, 0)
    visitor.get_answers(1, page=page)
    page.reload()
    settle(page)
    page.get_by_role("button", name="Previous").click()
    expect(page.locator("#target")).to_have_text(first)
    expect(page.get_by_label("Image 1", exact=True)).to_be_checked()
    page.wait_for_timeout(400)
    submit_change(page)
    _, new = visitor.get_answers(2, page=page)
    assert (new["answer"]["mask"], new["revision"]) == ("3", 1)
    # How long the first answer took is not known here, so the sum is not known either.
    assert new["seconds"] is None


def submit_change(page: Page) -> None:
    page.locator(".cell").nth(1).click(position={"x": 20, "y": 20})
    page.get_by_role("button", name="Save change").click()


def test_two_tabs_never_answer_the_same_task(meet: Meet):
    visitor = meet()
    one = visitor.begin(GRID)
    two = visitor.open_tab()
    two.goto(f"{visitor.served.address}/campaigns/{GRID}")
    settle(two)
    assert find_target(one) == find_target(two)
    target = find_target(one)
    submit(one, 0)
    expect(two.locator("#target")).not_to_have_text(target)
    settle(two)
    settle(one)
    submit(two, 1)
    settle(one)
    settle(two)
    submit(one, 2)
    answers = visitor.get_answers(3, page=one)
    assert len({answer["assignment_id"] for answer in answers}) == 3
    assert list_masks(answers) == ["1", "2", "4"]


def test_whoever_was_signed_out_is_asked_for_the_link_and_loses_nothing(meet: Meet):
    visitor = meet()
    visitor.allowed = ("status of 401", "status of 403")
    page = visitor.begin(GRID)
    page.wait_for_load_state("networkidle")
    visitor.context.clear_cookies()
    answer(page, 0)
    expect(page.locator("#status")).to_contain_text("open your personal link again")
    # The link in another tab lets them in; this page learns the new token by itself.
    visitor.come_in().close()
    answer(page, 1)
    assert list_masks(visitor.get_answers(2, page=page)) == ["1", "2"]


def test_an_answer_that_is_refused_is_said_in_words_and_not_sent_again(meet: Meet):
    visitor = meet()
    visitor.allowed = ("status of 409",)
    page = visitor.begin(GRID)
    sent: list[str] = []

    def refuse(route):
        sent.append(route.request.post_data)
        route.fulfill(status=409, json={"detail": "The mask selects a cell beyond the 8 of the grid."})

    page.route("**/api/answers", refuse)
    answer(page, 0)
    expect(page.locator("#refused")).to_contain_text("An answer was not accepted: The mask selects a cell beyond")
    page.wait_for_timeout(2_000)
    assert len(sent) == 1
    page.get_by_role("button", name="OK").click()
    expect(page.locator("#refused")).to_be_hidden()
    expect(page.locator("#done")).to_have_text(re.compile("^0( of [0-9]+)? done"))


def test_an_answer_that_comes_too_soon_is_sent_again_and_not_lost(meet: Meet):
    visitor = meet()
    visitor.allowed = ("status of 429",)
    page = visitor.begin(GRID)
    sent: list[str] = []

    def hold_back(route):
        sent.append(route.request.post_data)
        if len(sent) > 2:
            route.continue_()
        else:
            route.fulfill(status=429, headers={"Retry-After": "1"}, json={"detail": "Too much came from you."})

    page.route("**/api/answers", hold_back)
    watch_status(page)
    answer(page, 0)
    expect(page.locator("#refused")).to_be_hidden()
    assert list_masks(visitor.get_answers(1, page=page)) == ["1"]
    assert len(set(sent)) == 1
    assert len(sent) >= 3
    said = find_said(page)
    assert any(re.fullmatch(f"That was too fast – {KEPT}", words) for words in said)
    assert not any("Offline" in words for words in said)


def test_a_server_that_cannot_store_is_not_called_offline(meet: Meet):
    visitor = meet()
    visitor.allowed = ("status of 503",)
    page = visitor.begin(GRID)
    sent: list[str] = []

    def fail_once(route):
        sent.append(route.request.post_data)
        if len(sent) > 1:
            route.continue_()
        else:
            route.fulfill(status=503, headers={"Retry-After": "1"}, json={"detail": "Please try again."})

    page.route("**/api/answers", fail_once)
    watch_status(page)
    answer(page, 0)
    assert list_masks(visitor.get_answers(1, page=page)) == ["1"]
    said = find_said(page)
    assert any(re.fullmatch(f"The server cannot store anything at the moment – {KEPT}", words) for words in said)
    assert not any("Offline" in words for words in said)


def test_an_answer_whose_id_was_used_for_another_is_set_aside_and_said(meet: Meet):
    visitor = meet()
    visitor.allowed = ("status of 409",)
    page = visitor.begin(GRID)
    used: list[str] = []

    def use_again(route):
        """Another answer goes to the server under the same id first."""
        sent = json.loads(route.request.post_data)
        if not used:
            used.append(sent["client_id"])
            route.fetch(post_data=json.dumps({**sent, "answer": {"mask": "4"}}))
        route.continue_()

    page.route("**/api/answers", use_again)
    answer(page, 0)
    expect(page.locator("#refused")).to_contain_text("A different answer was already stored under the same id")
    answer(page, 1)
    assert list_masks(visitor.get_answers(2, page=page)) == ["4", "2"]


def test_time_in_another_tab_does_not_count(meet: Meet):
    visitor = meet()
    begun = time.monotonic()
    page = visitor.begin(GRID)
    hide = "(hidden) => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});"
    hide += "document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(hide, True)
    page.wait_for_timeout(3_000)
    page.evaluate(hide, False)
    submit(page, 0)
    (found,) = visitor.get_answers(1, page=page)
    assert 0 < found["seconds"] < time.monotonic() - begun - 3


def test_without_storage_answers_are_saved_all_the_same(meet: Meet):
    visitor = meet()
    visitor.context.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); };")
    page = visitor.begin(GRID)
    answer(page, 0)
    answer(page, 1)
    assert list_masks(visitor.get_answers(2, page=page)) == ["1", "2"]
