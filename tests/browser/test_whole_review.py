"""A whole review by keys alone and by fingers on a phone, with a referral, undo, and an answer that comes back."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.browser_visitor import PHONE, Meet, Visitor, count_overflow
from tests.browser.manager import open_manager
from tests.browser.server_process import Served, make_served_study, open_served
from tests.browser.test_keyboard_walk import tab_to
from tests.browser.test_review_page import list_names, settle

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.storage.campaigns.campaign import get_campaign, measure_progress
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.people.expertises import change_expertises

NAME, REVIEW = "Whole", 5
LABELS = (2, 3)
FIELD = "wooden boats"
DONE = f"You have done 4 tasks in {NAME}, and everything is saved."
DONE_BY_EXPERT = f"You have done 1 task in {NAME}, and everything is saved."


@pytest.fixture
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One review of four images with two labels each, for one person; the experts are asked beside."""
    served = Served(make_served_study(tmp_path_factory.mktemp("whole")))
    with open_served(served.folder) as study, study.begin() as begun:
        images = load_test_set(begun, get_test_set(begun, "new"))
        same = images.image_ids[images.labels == images.labels[0]].tolist()
        pairs = [(image_id, label) for image_id in same for label in LABELS]
        create_campaign(begun, CampaignPlan(NAME, Kind("review"), 1), Questions("new", pairs, seed=0))
        open_campaign(begun, NAME)
    served.start()
    yield served
    served.end(signal.SIGKILL)


def find_numbers(page: Page) -> list[str]:
    return [name.removeprefix("class ") for name in list_names(page)]


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def make_expert(meet: Meet, served: Served, **options: Any) -> Visitor:
    expert = meet(served, **options)
    with open_served(served.folder) as study, study.begin() as begun:
        change_expertises(begun, expert.name, add=[FIELD])
    return expert


def return_answer(meet: Meet, served: Served, visitor: Visitor, comment: str) -> None:
    """The manager finds the thread of the reviewer, and sends that answer back."""
    desk = open_manager(meet, served, f"/manage/campaigns/{REVIEW}/items?talk=yes")
    for place in range(4):
        desk.goto(f"{served.address}/manage/campaigns/{REVIEW}/images/{place}")
        if desk.get_by_text("Is this one meant?").count():
            break
    desk.get_by_role("button", name=f"Return the answer to {visitor.name}").click()
    dialog = desk.get_by_role("dialog")
    dialog.get_by_role("textbox").fill(comment)
    dialog.get_by_role("button", name="Return it").click()
    expect(desk.locator("article.talk .text").filter(has_text=comment)).to_be_visible()


def check_end(served: Served, visitor: Visitor, expert: Visitor, *, referred: tuple[str, str]) -> dict[str, Any]:
    """Nothing is open, nothing went wrong on the pages, and the answers are what was said; gives the last one."""
    with open_served(served.folder) as study, study.read() as reading:
        progress = measure_progress(reading, get_campaign(reading, NAME))
    assert progress.n_done == progress.n_tasks
    assert not [*visitor.troubles, *expert.troubles]
    # A revised answer keeps the place of the first one.
    latest = {row["assignment_id"]: row["answer"] for row in served.find_answers(visitor.name, REVIEW)}
    first, second, third, last = latest.values()
    waiting, judged = referred
    assert (first["refers"], first["verdicts"]) == ({waiting: FIELD}, {judged: "correct"})
    assert (second["more"], set(second["verdicts"].values())) == ([7], {"wrong"})
    assert (third["returned"], third["verdicts"]) == (True, {})
    assert sorted(last["verdicts"].values()) == ["correct", "wrong"]
    return dict(last)


def begin_by_keys(page: Page) -> None:
    tab_to(page, f"Start {NAME}")
    press(page, "Enter")
    expect(page.get_by_role("button", name="I agree")).to_be_focused()
    press(page, "Enter")
    settle(page)


def refer_by_keys(page: Page) -> tuple[str, str]:
    """A label is referred, taken back, and referred after all; the other one is judged."""
    referred, judged = find_numbers(page)
    waiting = page.get_by_text(f"Referred to an expert in {FIELD}")
    for keys in (("y",), ()):
        press(page, "r")
        expect(page.get_by_role("dialog")).to_contain_text("Wooden boats")
        press(page, "1")
        expect(waiting).to_be_visible()
        press(page, *keys)
        expect(waiting).to_be_visible(visible=not keys)
    press(page, "c", "o", "Enter")
    return referred, judged


def find_by_keys(page: Page) -> None:
    """The card of a label is looked at; something else is here, is taken back, and is found once more."""
    settle(page)
    press(page, "g")
    expect(page.get_by_role("dialog", name="The card of a class")).to_be_visible()
    press(page, "Escape")
    for keys in (("y",), ("w", "w", "Enter")):
        press(page, "a")
        page.keyboard.type("class 7")
        expect(page.get_by_role("option").first).to_contain_text("class 7")
        press(page, "Enter", "Escape")
        expect(page.locator("#chosen")).to_contain_text("class 7")
        press(page, *keys)


def hand_back_by_keys(page: Page) -> None:
    settle(page)
    press(page, "t")
    expect(page.get_by_role("dialog", name="Return the image?")).to_be_visible()
    page.keyboard.type("I do not know <snakes>.")
    press(page, "Control+Enter")


def ask_by_keys(page: Page) -> None:
    """The image is a problem, a note says why, and a question goes along."""
    settle(page)
    press(page, "p", "Space", "Escape", "n")
    page.keyboard.type("cuw: a drawing")
    press(page, "Escape", "d")
    page.keyboard.type("Is this one meant?")
    tab_to(page, "Comment")
    press(page, "Enter")
    expect(page.locator("#threads .comment .text")).to_have_text("Is this one meant?")
    press(page, "Escape", "u", "o", "w", "Enter")
    expect(page.get_by_text(DONE)).to_be_visible()


def test_a_whole_review_by_keyboard_alone(meet: Meet, asked: Served):
    expert, visitor = make_expert(meet, asked), meet(asked)
    page = visitor.come_in()
    begin_by_keys(page)
    referred = refer_by_keys(page)
    find_by_keys(page)
    hand_back_by_keys(page)
    ask_by_keys(page)
    # The manager sends the last one back, and it is judged again.
    return_answer(meet, asked, visitor, "Look at the edge again.")
    tab_to(page, "Look again")
    press(page, "Enter")
    settle(page)
    expect(page.locator("#returned-text")).to_have_text("Look at the edge again.")
    press(page, "c", "Enter")
    expect(page.get_by_text(DONE)).to_be_visible()
    # The expert gets the label that was referred, and nothing else.
    own = expert.come_in()
    begin_by_keys(own)
    expect(own.locator("#expertise")).to_contain_text(f"as an expert in {FIELD}")
    assert find_numbers(own) == [referred[0]]
    press(own, "w", "Enter")
    expect(own.get_by_text(DONE_BY_EXPERT)).to_be_visible()
    last = check_end(asked, visitor, expert, referred=referred)
    assert (last["comment"], len(last["problems"])) == ("cuw: a drawing", 1)


def tap(one: Locator, page: Page) -> None:
    """A finger on something, on a page that is no wider than the phone."""
    one.wait_for()
    assert count_overflow(page) <= 0
    one.tap()


def judge(page: Page, *words: str) -> None:
    for pair, word in zip(page.locator(".pair").all(), words, strict=True):
        tap(pair.get_by_text(word, exact=False).first, page)
    tap(page.get_by_role("button", name="Submit"), page)


def begin_by_touch(page: Page) -> None:
    tap(page.get_by_role("link", name=f"Start {NAME}"), page)
    tap(page.get_by_role("button", name="I agree"), page)
    settle(page)


def refer_by_touch(page: Page) -> tuple[str, str]:
    """A label is referred, taken back, and referred after all; the other one is judged."""
    referred, judged = find_numbers(page)
    waiting = page.get_by_text(f"Referred to an expert in {FIELD}")
    for is_kept in (False, True):
        tap(page.get_by_role("button", name=f"Refer class {referred} to an expert"), page)
        tap(page.get_by_role("dialog").get_by_role("button", name="Wooden boats"), page)
        expect(waiting).to_be_visible()
        if not is_kept:
            tap(page.get_by_role("button", name="Undo"), page)
            expect(waiting).to_be_hidden()
    tap(page.locator(".pair").last.get_by_text("Correct"), page)
    tap(page.get_by_role("button", name="Submit"), page)
    return referred, judged


def find_by_touch(page: Page) -> None:
    """Something else is here."""
    settle(page)
    tap(page.locator("#finder input"), page)
    page.locator("#finder input").fill("class 7")
    tap(page.get_by_role("option").first, page)
    expect(page.locator("#chosen")).to_contain_text("class 7")
    judge(page, "Wrong", "Wrong")


def hand_back_by_touch(page: Page) -> None:
    settle(page)
    tap(page.locator("#hand-back"), page)
    dialog = page.get_by_role("dialog", name="Return the image?")
    dialog.get_by_role("textbox").fill("I do not know <snakes>.")
    tap(dialog.get_by_role("button", name="Return it"), page)


def ask_by_touch(page: Page) -> None:
    """The image is a problem, and a question goes along."""
    settle(page)
    tap(page.get_by_label("drawing or rendering"), page)
    tap(page.locator("#discussion summary"), page)
    talk = page.get_by_role("region", name="A new thread")
    talk.get_by_label("Your comment").fill("Is this one meant?")
    tap(talk.get_by_role("button", name="Comment"), page)
    expect(page.locator("#threads .comment .text")).to_have_text("Is this one meant?")
    judge(page, "Unclear", "Wrong")
    expect(page.get_by_text(DONE)).to_be_visible()


def test_a_whole_review_by_fingers_on_a_phone(meet: Meet, asked: Served):
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    expert, visitor = make_expert(meet, asked, **options), meet(asked, **options)
    page = visitor.come_in()
    begin_by_touch(page)
    referred = refer_by_touch(page)
    find_by_touch(page)
    hand_back_by_touch(page)
    ask_by_touch(page)
    return_answer(meet, asked, visitor, "Look at the edge again.")
    tap(page.get_by_text("Look again"), page)
    settle(page)
    expect(page.locator("#returned-text")).to_have_text("Look at the edge again.")
    tap(page.locator(".pair").first.get_by_text("Correct"), page)
    tap(page.get_by_role("button", name="Submit"), page)
    expect(page.get_by_text(DONE)).to_be_visible()
    own = expert.come_in()
    begin_by_touch(own)
    expect(own.locator("#expertise")).to_contain_text(f"as an expert in {FIELD}")
    judge(own, "Wrong")
    expect(own.get_by_text(DONE_BY_EXPERT)).to_be_visible()
    last = check_end(asked, visitor, expert, referred=referred)
    assert last["problems"] == ["drawing or rendering"]
