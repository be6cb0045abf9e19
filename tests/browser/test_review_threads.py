"""Comments on a review in a real browser: images that are handed back by a key, threads, and answers that a manager returns."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import CIRCUMSTANCES, LAPTOP, PHONE, Meet, count_overflow
from tests.browser.manager import open_manager
from tests.browser.server_process import Served
from tests.browser.test_every_page import list_odd
from tests.browser.test_review_page import GRIDS, IMAGES, begin, reviewed, settle
from tests.waits import wait_for

__all__ = ["reviewed"]


def judge(page: Page) -> None:
    for key in ("c", "w", "u", "Enter"):
        page.keyboard.press(key)
    settle(page)


def test_an_image_is_handed_back_by_a_key_with_a_comment(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, IMAGES)
    before = page.locator("#enlarge img").get_attribute("src")
    page.keyboard.press("t")
    dialog = page.get_by_role("dialog", name="Return the image?")
    dialog.get_by_role("button", name="Return it").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Say why")
    dialog.get_by_role("textbox").fill("I do not know <snakes>.")
    dialog.get_by_role("button", name="Return it").click()
    expect(page.locator("#enlarge img")).not_to_have_attribute("src", before or "")
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["returned"] is True
    # It can be looked at again, and judged after all.
    settle(page)
    page.keyboard.press("Backspace")
    expect(page.locator("#revising")).to_be_visible()
    page.locator("#discussion summary").click()
    expect(page.locator("#threads .comment .text")).to_have_text("I do not know <snakes>.")


def test_a_grid_is_handed_back_whole_by_the_same_key(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, GRIDS)
    page.keyboard.press("t")
    dialog = page.get_by_role("dialog", name="Return the grid?")
    expect(dialog).to_contain_text("without a verdict on any of its images")
    dialog.get_by_role("textbox").fill("I do not know them.")
    # The whole dialog goes by keys; Enter alone begins a new line.
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    page.keyboard.press("Control+Enter")
    (answer,) = visitor.get_answers(1, page=page)
    assert (answer["answer"]["returned"], answer["answer"]["verdicts"]) == (True, {})
    assert not visitor.troubles


def test_reviewers_and_managers_talk_and_an_answer_is_returned_and_revised(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, IMAGES)
    page.keyboard.press("d")
    talk = page.get_by_role("region", name="A new thread")
    # Letters that are keys elsewhere are words here, from the first one on.
    page.keyboard.type("toy?")
    expect(talk.get_by_label("Your comment")).to_have_value("toy?")
    talk.get_by_label("About").select_option(index=1)
    talk.get_by_label("Your comment").fill("Is this one meant?")
    talk.get_by_role("button", name="Comment").click()
    expect(page.locator("#threads .comment .text")).to_have_text("Is this one meant?")
    page.locator("h1#title").click()
    judge(page)
    (answer,) = visitor.get_answers(1, page=page)
    desk = open_manager(meet, reviewed, f"/manage/campaigns/{IMAGES}/images?order=number")
    for place in range(desk.locator(".gallery a").count()):
        desk.goto(f"{reviewed.address}/manage/campaigns/{IMAGES}/images/{place}")
        if desk.get_by_text("Is this one meant?").count():
            break
    thread = desk.locator("article.talk").filter(has_text="Is this one meant?")
    thread.get_by_label("Reply").fill("It is.")
    thread.get_by_role("button", name="Comment").click()
    expect(desk.locator("article.talk .text").filter(has_text="It is.")).to_be_visible()
    desk.locator("article.talk").filter(has_text="Is this one meant?").get_by_role("button", name="Resolve").click()
    expect(desk.get_by_role("button", name="Reopen")).to_be_visible()
    desk.get_by_role("button", name=f"Return the answer to {visitor.name}").click()
    dialog = desk.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("Look at the edge again.")
    dialog.get_by_role("button", name="Return it").click()
    expect(desk.locator("article.talk .text").filter(has_text="Look at the edge again.")).to_be_visible()
    # It comes after what lies ready on the page of the reviewer.
    for _ in range(4):
        if page.locator("#returned").is_visible():
            break
        judge(page)
    expect(page.locator("#returned-text")).to_have_text("Look at the edge again.")
    assert page.locator(".pair input:checked").count() >= 3
    expect(page.locator("#threads")).to_contain_text("It is.")
    n = len(reviewed.find_answers(visitor.name, IMAGES))
    page.locator("h1#title").click()
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    wait_for(lambda: len(reviewed.find_answers(visitor.name, IMAGES)) == n + 1)
    changed = max(reviewed.find_answers(visitor.name, IMAGES), key=lambda one: one["revision"])
    assert (changed["revision"], changed["assignment_id"]) == (1, answer["assignment_id"])


def comment(page: Page, text: str) -> None:
    talk = page.get_by_role("region", name="A new thread")
    talk.get_by_label("Your comment").fill(text)
    talk.get_by_role("button", name="Comment").click()


def test_a_comment_whose_reply_is_lost_is_written_once(meet: Meet, reviewed: Served):
    visitor, page = begin(meet, reviewed, IMAGES)
    visitor.allowed = ("ERR_FAILED",)
    page.keyboard.press("d")

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/comments", lose, times=1)
    comment(page, "Is it there?")
    expect(page.locator("#new-thread .problem").filter(has_text="server")).to_be_visible()
    page.get_by_role("region", name="A new thread").get_by_role("button", name="Comment").click()
    expect(page.locator("#threads .comment .text")).to_have_text(["Is it there?"])
    # What cannot be resolved at the moment says so, and can be later.
    page.route("**/resolve", lambda route: route.abort(), times=1)
    page.get_by_role("button", name="Resolve", exact=True).click()
    expect(page.locator("#threads .problem").filter(has_text="server")).to_be_visible()
    page.get_by_role("button", name="Resolve", exact=True).click()
    page.locator("#threads summary").filter(has_text="resolved").click()
    thread = page.get_by_role("region", name="The image")
    thread.get_by_label("Your comment").fill("Once more.")
    thread.get_by_role("button", name="Comment").click()
    # Whoever writes again opens it again.
    expect(page.get_by_role("button", name="Resolve", exact=True)).to_be_visible()
    expect(page.locator("#threads .comment .text")).to_have_text(["Is it there?", "Once more."])


def test_a_comment_that_arrives_late_is_not_shown_at_the_next_task(meet: Meet, reviewed: Served):
    _, page = begin(meet, reviewed, IMAGES)
    page.keyboard.press("d")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/comments", hold, times=1)
    comment(page, "Of the first image")
    page.locator("h1#title").click()
    judge(page)
    page.keyboard.press("d")
    page.get_by_role("region", name="A new thread").wait_for()
    wait_for(lambda: bool(held))
    with page.expect_response("**/comments"):
        held[0].continue_()
    page.get_by_role("button", name="Previous").wait_for()
    expect(page.locator("#threads .comment")).to_have_count(0)
    comment(page, "Of the second")
    expect(page.locator("#threads .comment .text")).to_have_text(["Of the second"])


def test_items_are_filtered_and_assigned_on_their_page(meet: Meet, reviewed: Served):
    visitor, _ = begin(meet, reviewed, IMAGES)
    for viewport in (PHONE, LAPTOP):
        page = open_manager(meet, reviewed, f"/manage/campaigns/{IMAGES}/items", viewport=viewport)
        assert count_overflow(page) == 0
        assert list_odd(page) == []
    page.get_by_label("Class or kind").fill("class 3")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**of=class+3**")
    expect(page.locator("tbody th")).to_have_text(["class 3"] * page.locator("tbody tr").count())
    page.locator("details.assign summary").click()
    page.get_by_role("button", name="Assign the chosen").click()
    expect(page.locator("#problem")).to_have_text("Choose rows first, or assign all.")
    page.locator("tbody input").first.check()
    page.get_by_label(visitor.name, exact=True).check()
    page.get_by_role("button", name="Assign the chosen").click()
    expect(page.locator("#said")).to_contain_text(
        f"1 task goes to {visitor.name} from now on. 1 of 1 task cannot be finished"
    )
    expect(page.locator("tbody tr").filter(has_text="anybody")).to_have_count(page.locator("tbody tr").count() - 1)


@needs_axe
def test_nothing_stands_in_the_way_of_those_who_comment(meet: Meet, reviewed: Served):
    for options in CIRCUMSTANCES.values():
        _, page = begin(meet, reviewed, IMAGES, **options)
        page.keyboard.press("d")
        page.get_by_role("region", name="A new thread").wait_for()
        assert list_barriers(page) == []
        page.keyboard.press("t")
        assert list_barriers(page) == []
        page = open_manager(meet, reviewed, f"/manage/campaigns/{IMAGES}/images/0", **options)
        assert list_barriers(page) == []
        page.goto(f"{reviewed.address}/manage/campaigns/{IMAGES}/items")
        page.locator("details.assign summary").click()
        assert list_barriers(page) == []


def test_comments_fit_narrow_screens_and_have_the_look_of_the_house(meet: Meet, reviewed: Served):
    for viewport in (LAPTOP, PHONE):
        _, page = begin(meet, reviewed, IMAGES, viewport=viewport)
        page.keyboard.press("d")
        page.get_by_role("region", name="A new thread").wait_for()
        assert count_overflow(page) == 0
        assert list_odd(page) == []
        page = open_manager(meet, reviewed, f"/manage/campaigns/{IMAGES}/images/0", viewport=viewport)
        assert count_overflow(page) == 0
        assert list_odd(page) == []
