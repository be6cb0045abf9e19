"""Warning, training, quiz and breaks in a real browser on a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from tests.browser.browser_visitor import (
    LAPTOP,
    LOST,
    PHONE,
    SETTLED,
    Meet,
    Visitor,
    audit,
    await_images,
    count_overflow,
    find_target,
    settle,
)
from tests.browser.quiz_study import (
    BREAKS,
    GRIDS,
    LABELS,
    N_ATTEMPTS,
    TRAINED,
    TRAINING,
    WARNING,
    answer_question,
    serve_quizzes,
    take_quiz,
)
from tests.browser.server_process import Served


@pytest.fixture(scope="module")
def quizzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_quizzes(tmp_path_factory.mktemp("quizzed")) as running:
        yield running


def begin(visitor: Visitor, campaign: int) -> Page:
    """A tab where somebody has just agreed, by keyboard."""
    page = visitor.come_in()
    page.goto(f"{visitor.served.address}/campaigns/{campaign}")
    page.get_by_role("button", name="I agree").focus()
    page.keyboard.press("Enter")
    return page


@pytest.mark.parametrize("campaign", [GRIDS, LABELS])
def test_training_quiz_and_first_task_go_by_keyboard_alone(meet: Meet, quizzed: Served, campaign: int):
    visitor = meet(quizzed)
    page = begin(visitor, campaign)
    expect(page.locator("#training .text").first).to_have_text(TRAINING.split("\n\n")[0])
    expect(page.locator(".example img").first).to_be_visible()
    assert audit(page) == []
    take_quiz(page)
    expect(page.locator("#result-title")).to_have_text("You can begin")
    page.keyboard.press("Enter")
    settle(page)
    keys = ("Space", "Control+Enter") if campaign == GRIDS else ("1", "Enter")
    for key in keys:
        page.keyboard.press(key)
    visitor.get_answers(1, page=page, campaign=campaign)
    page.reload()
    settle(page)
    expect(page.locator("#qualify")).to_be_hidden()


def test_a_reload_brings_the_same_question_back_and_answers_stay(meet: Meet, quizzed: Served):
    page = begin(meet(quizzed), GRIDS)
    expect(page.locator("#training-done")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#quiz-number")).to_have_text("Question 1 of 4")
    answer_question(page, is_right=False)
    expect(page.locator("#quiz-number")).to_have_text("Question 2 of 4")
    before = page.locator("#quiz-picture img").get_attribute("src")
    page.reload()
    expect(page.locator("#quiz-number")).to_have_text("Question 2 of 4")
    assert page.locator("#quiz-picture img").get_attribute("src") == before


def test_who_fails_can_try_again_with_other_questions_and_is_then_turned_away_kindly(meet: Meet, quizzed: Served):
    visitor = meet(quizzed)
    page = begin(visitor, GRIDS)
    for attempt in range(N_ATTEMPTS):
        take_quiz(page, is_right=False)
        if attempt < N_ATTEMPTS - 1:
            expect(page.locator("#result-words")).to_contain_text("You can try once more")
            page.keyboard.press("Enter")
    expect(page.locator("#result-title")).to_have_text("Thank you for trying")
    page.reload()
    expect(page.locator("#result-title")).to_have_text("Thank you for trying")
    assert audit(page) == []
    page.keyboard.press("Enter")
    page.wait_for_url("**/thanks")
    page.goto(f"{quizzed.address}/")
    expect(page.locator(".card", has_text="Quizzed grids")).to_contain_text("The quiz was not passed")
    expect(page.locator(".card", has_text="Quizzed grids").get_by_role("link")).to_have_count(0)


def test_without_a_network_nothing_is_lost_and_it_goes_on_when_it_is_back(meet: Meet, quizzed: Served):
    visitor = meet(quizzed)
    visitor.allowed = LOST
    page = begin(visitor, GRIDS)
    page.locator(".example img").first.wait_for()
    visitor.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#qualify-problem")).to_have_text("The server cannot be reached.")
    visitor.context.set_offline(False)
    expect(page.locator("#quiz-number")).to_have_text("Question 1 of 4")
    expect(page.locator("#qualify-problem")).to_be_hidden()
    page.wait_for_timeout(SETTLED)
    visitor.context.set_offline(True)
    page.keyboard.press("y")
    expect(page.locator("#quiz-problem")).to_contain_text("Please try again")
    visitor.context.set_offline(False)
    page.keyboard.press("y")
    expect(page.locator(".verdict")).to_be_visible()


def test_training_without_a_quiz_is_shown_once(meet: Meet, quizzed: Served):
    visitor = meet(quizzed)
    page = begin(visitor, TRAINED)
    expect(page.locator("#training-done")).to_be_focused()
    page.keyboard.press("Enter")
    settle(page)
    page.reload()
    settle(page)
    expect(page.locator("#training")).to_be_hidden()


def test_the_manager_tries_the_quiz_and_nothing_is_kept(browser, quizzed: Served):
    n_attempts = quizzed.count("attempts")
    context = browser.new_context(viewport=LAPTOP)
    page = context.new_page()
    page.goto(quizzed.manager_link)
    page.wait_for_url("**/manage")
    page.goto(f"{quizzed.address}/campaigns/{GRIDS}")
    page.get_by_role("button", name="I agree").click()
    take_quiz(page)
    expect(page.locator("#result-title")).to_have_text("You can begin")
    page.keyboard.press("Enter")
    settle(page)
    assert quizzed.count("attempts") == n_attempts
    context.close()


def test_a_warning_comes_before_anything_else_and_one_can_leave(meet: Meet, quizzed: Served):
    page = meet(quizzed).come_in()
    page.goto(f"{quizzed.address}/campaigns/{BREAKS}")
    expect(page.locator("#warning .text")).to_have_text(WARNING)
    expect(page.locator("#consent")).to_be_hidden()
    assert audit(page) == []
    page.get_by_role("link", name="Leave").click()
    page.wait_for_url(f"{quizzed.address}/")
    page.goto(f"{quizzed.address}/campaigns/{BREAKS}")
    expect(page.locator("#warned")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Enter")
    settle(page)


def pass_time(page: Page, seconds: int) -> None:
    """Let the clock of the page go on."""
    page.clock.run_for(1_000 * seconds)


def begin_with_a_clock(visitor: Visitor) -> Page:
    page = visitor.come_in()
    page.clock.install()
    page.goto(f"{visitor.served.address}/campaigns/{BREAKS}")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="I agree").click()
    await_images(page)
    pass_time(page, 1)
    return page


def answer_grid(page: Page) -> None:
    target = find_target(page)
    page.keyboard.press("Control+Enter")
    pass_time(page, 1)
    expect(page.locator("#target")).not_to_have_text(target)
    # A clock that runs ahead would end the patience with images that are still on their way.
    await_images(page)
    pass_time(page, 1)


def test_a_break_is_offered_between_tasks_and_its_time_does_not_count(meet: Meet, quizzed: Served):
    visitor = meet(quizzed)
    page = begin_with_a_clock(visitor)
    pass_time(page, 70)
    expect(page.locator("#break-offer")).to_be_hidden()
    page.keyboard.press("Space")
    answer_grid(page)
    expect(page.locator("#break-offer")).to_contain_text("You have been working for 1 minute. How about a break?")
    page.keyboard.press("Space")
    expect(page.locator("#facts")).to_have_text("1 selected")
    page.keyboard.press("b")
    expect(page.locator("#break-end")).to_be_focused()
    pass_time(page, 500)
    page.keyboard.press("Enter")
    expect(page.locator("#break-offer")).to_be_hidden()
    expect(page.locator("#facts")).to_have_text("1 selected")
    answer_grid(page)
    first, second = visitor.get_answers(2, page=page, campaign=BREAKS)
    assert 60 < first["seconds"] < 100
    assert second["seconds"] < 20
    assert second["answer"]["mask"] == "1"


def test_a_break_can_be_declined_and_is_offered_again_later(meet: Meet, quizzed: Served):
    page = begin_with_a_clock(meet(quizzed))
    for _ in range(2):
        pass_time(page, 65)
        page.keyboard.press("Space")
        answer_grid(page)
        expect(page.locator("#break-offer")).to_be_visible()
        page.get_by_role("button", name="Not now").click()
        expect(page.locator("#break-offer")).to_be_hidden()
        page.locator(".cell").first.focus()
        page.keyboard.press("ArrowRight")


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
@pytest.mark.parametrize("campaign", [GRIDS, LABELS])
def test_pages_fit_the_screen(meet: Meet, quizzed: Served, campaign: int, viewport: dict[str, int]):
    page = begin(meet(quizzed, viewport=viewport), campaign)
    page.locator(".example img").first.wait_for()
    assert count_overflow(page) <= 0
    page.keyboard.press("Enter")
    page.locator("#quiz-picture img").wait_for()
    assert count_overflow(page) <= 0
    assert audit(page) == []
