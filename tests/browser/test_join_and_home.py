"""The way in: personal links, guests, the start page, and what those see who may not."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from tests.browser.browser_visitor import LAPTOP, LOST, PHONE, Meet, audit, count_overflow, hold_back, settle
from tests.browser.server_process import ABOUT, DRAFT, GRID, LABELS, LONG, SHORT

from regauge.kinds.contains.texts import TEXTS


def test_a_link_lets_in_and_its_token_is_nowhere_afterwards(meet: Meet):
    visitor = meet()
    token = visitor.link.rpartition("#")[2]
    page = visitor.open_tab()
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    shown: list[str] = []

    def look(route):
        shown.append(page.evaluate("location.href"))
        route.continue_()

    page.route("**/api/session", look)
    page.goto(visitor.link)
    page.wait_for_url(f"{visitor.served.address}/")
    expect(page.get_by_role("heading", name="Your tasks")).to_be_visible()
    assert shown == [f"{visitor.served.address}/join"]
    assert not [address for address in addresses if token in address and not address.endswith(f"/join#{token}")]
    page.go_back()
    assert token not in page.url
    assert token not in page.content()


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_the_link_of_another_person_asks_first_and_loses_no_answer(meet: Meet, viewport):
    visitor = meet(viewport=viewport)
    visitor.allowed = ("status of 409", *LOST)
    name, link = visitor.served.invite()
    page = visitor.begin(GRID)
    visitor.context.set_offline(True)
    page.locator(".cell").first.click()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#status")).to_contain_text("1 answer is kept")
    # The page that the link leads to can be loaded again, and answers still cannot be sent.
    let_through = hold_back(page)
    visitor.context.set_offline(False)
    page.goto(link)
    expect(page.get_by_role("heading", name="Are you somebody else?")).to_be_visible()
    expect(page.locator("#words")).to_contain_text(
        f"You are signed in as {visitor.name}, but this link belongs to {name}."
    )
    expect(page.locator("#status")).to_contain_text("1 answer is kept")
    assert (audit(page), count_overflow(page)) == ([], 0)
    page.get_by_role("link", name=f"Stay as {visitor.name}").click()
    expect(page.locator(".who")).to_contain_text(visitor.name)
    page.goto(link)
    page.get_by_role("button", name="Sign out and use this link").click()
    page.wait_for_url(f"{visitor.served.address}/")
    expect(page.locator(".who")).to_contain_text(name)
    assert visitor.served.find_answers(visitor.name, GRID) == []
    let_through()
    page.goto(visitor.link)
    page.get_by_role("button", name="Sign out and use this link").click()
    visitor.get_answers(1, page=page)
    assert visitor.served.find_answers(name, GRID) == []


def test_the_link_of_the_same_person_does_not_ask(meet: Meet):
    visitor = meet()
    page = visitor.come_in()
    page.goto(visitor.link)
    page.wait_for_url(f"{visitor.served.address}/")
    expect(page.locator(".who")).to_contain_text(visitor.name)


@pytest.mark.parametrize("token", ["wrong", "cut%4", "100%"])
def test_a_link_that_is_not_valid_says_so(meet: Meet, token: str):
    visitor = meet()
    visitor.allowed = ("status of 403",)
    page = visitor.open_tab()
    page.goto(f"{visitor.served.address}/join#{token}")
    expect(page.get_by_role("heading", name="This link does not work")).to_be_visible()
    expect(page.locator("#words")).to_have_text("This link is not valid, or no longer valid. Please ask for a new one.")
    assert page.url.endswith("/join")
    # The right link in the same tab changes only what stands after the #.
    page.evaluate("(link) => { location.href = link; }", visitor.link)
    page.wait_for_url(f"{visitor.served.address}/")


def test_half_a_link_says_what_is_missing(meet: Meet):
    visitor = meet()
    page = visitor.open_tab()
    page.goto(f"{visitor.served.address}/join")
    expect(page.get_by_role("heading", name="The link is not complete")).to_be_visible()


def test_without_a_connection_a_link_can_be_tried_again(meet: Meet):
    visitor = meet()
    visitor.allowed = (*LOST, "ERR_FAILED")
    page = visitor.open_tab()
    page.route("**/api/session", lambda route: route.abort())
    page.goto(visitor.link)
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    page.unroute("**/api/session")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_url(f"{visitor.served.address}/")


def test_the_start_page_shows_open_campaigns_and_how_far_one_is(meet: Meet):
    visitor = meet()
    page = visitor.begin(SHORT)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    visitor.get_answers(1, page=page)
    page.get_by_role("link", name="All tasks").first.click()
    expect(page.locator(".about")).to_have_text(ABOUT)
    cards = page.get_by_role("listitem")
    assert cards.count() == 3
    expect(cards.filter(has_text="Short")).to_contain_text("1 of ")
    expect(cards.filter(has_text="Grids")).to_contain_text(re.compile("[0-9]+ tasks: about [0-9]+ "))
    expect(page.get_by_role("link", name="Continue Short")).to_be_visible()
    expect(page.get_by_role("link", name="Start Grids")).to_be_visible()
    expect(page.get_by_text("Draft")).to_have_count(0)


def test_a_stranger_is_told_to_open_the_link(meet: Meet):
    visitor = meet()
    visitor.allowed = ("status of 401",)
    page = visitor.open_tab()
    page.goto(visitor.served.address)
    expect(page.locator("main")).to_contain_text("open the personal link that you were given")
    expect(page.locator(".about")).to_have_text(ABOUT)
    page.goto(f"{visitor.served.address}/campaigns/{GRID}")
    expect(page.locator("main")).to_contain_text("Please open your personal link again.")


def test_guests_can_try_everything_and_nothing_is_kept(meet: Meet):
    visitor = meet()
    tables = ("responses", "assignments", "consents", "annotators")
    before = [visitor.served.count(table) for table in tables]
    page = visitor.open_tab()
    page.goto(visitor.served.address)
    page.get_by_role("button", name="Try it as a guest").click()
    expect(page.get_by_role("heading", name="Have a look around")).to_be_visible()
    for campaign in (GRID, LABELS):
        page.goto(f"{visitor.served.address}/campaigns/{campaign}")
        page.get_by_role("button", name="I agree").click()
        for _ in range(2):
            settle(page)
            page.locator(".cell, .choice .label").first.click(position={"x": 20, "y": 20})
            page.keyboard.press("Control+Enter")
        expect(page.locator("#status")).to_have_text("Saved")
        expect(page.locator("#done")).to_have_text(re.compile("^2( of [0-9]+)? done"))
        settle(page)
        page.get_by_role("button", name="Previous").click()
        expect(page.locator("#revising")).to_be_visible()
    page.goto(f"{visitor.served.address}/campaigns/{GRID}")
    settle(page)
    assert [visitor.served.count(table) for table in tables] == before


def test_the_text_is_agreed_to_once_and_again_when_it_changes(meet: Meet):
    visitor = meet()
    page = visitor.come_in()
    page.goto(f"{visitor.served.address}/campaigns/{GRID}")
    expect(page.locator("#consent")).to_contain_text(ABOUT)
    expect(page.locator("#consent")).to_contain_text(TEXTS.instructions)
    expect(page.locator("#consent")).to_contain_text("You can stop at any time")
    assert audit(page) == []
    page.get_by_role("button", name="I agree").click()
    settle(page)
    page.reload()
    settle(page)
    expect(page.locator("#consent")).to_be_hidden()
    visitor.served.revise_instructions("Grids", "New rules")
    page.reload()
    expect(page.locator("#consent")).to_contain_text("New rules")
    visitor.served.revise_instructions("Grids", TEXTS.instructions)


def test_leaving_ends_the_session(meet: Meet):
    visitor = meet()
    page = visitor.come_in()
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()


@pytest.mark.parametrize("path", ["/manage", f"/campaigns/{DRAFT}", "/campaigns/nonsense", "/nowhere"])
def test_what_one_may_not_see_is_refused_in_words(meet: Meet, path):
    visitor = meet()
    visitor.allowed = ("status of 403", "status of 404", "status of 422")
    page = visitor.come_in()
    page.goto(f"{visitor.served.address}{path}")
    expect(page.get_by_role("link", name="Go to the start page")).to_be_visible()
    assert audit(page) == []


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE, {"width": 320, "height": 568}], ids=["laptop", "phone", "small"])
def test_pages_of_words_fit_and_are_labelled(meet: Meet, viewport):
    visitor = meet(viewport=viewport)
    page = visitor.open_tab()
    page.goto(visitor.served.address)
    assert (count_overflow(page), audit(page)) == (0, [])
    page.goto(f"{visitor.served.address}/join")
    assert (count_overflow(page), audit(page)) == (0, [])
    page = visitor.come_in()
    expect(page.locator("main")).to_contain_text(LONG)
    assert (count_overflow(page), audit(page)) == (0, [])
    page.goto(f"{visitor.served.address}/campaigns/{LABELS}")
    assert (count_overflow(page), audit(page)) == (0, [])


def test_pages_come_with_a_strict_policy_and_ask_for_nothing_elsewhere(meet: Meet):
    visitor = meet()
    page = visitor.open_tab()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    reply = page.goto(visitor.link)
    assert reply is not None
    assert "script-src 'self'; style-src 'self'" in reply.headers["content-security-policy"]
    page.wait_for_url(f"{visitor.served.address}/")
    page.goto(f"{visitor.served.address}/campaigns/{GRID}")
    page.get_by_role("button", name="I agree").click()
    settle(page)
    assert not [url for url in asked if not url.startswith(visitor.served.address)]
