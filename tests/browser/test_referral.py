"""Labels that are referred, in a real browser: by keys and by touch, to an expert who gets them alone."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Route, expect
from tests.browser.browser_visitor import PHONE, Meet
from tests.browser.server_process import Served, make_served_study, open_served
from tests.browser.test_review_page import begin, list_names

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.people.expertises import change_expertises

REVIEW = 5


@pytest.fixture
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(make_served_study(tmp_path_factory.mktemp("referral")))
    with open_served(served.folder) as study, study.begin() as begun:
        images = load_test_set(begun, get_test_set(begun, "new"))
        pairs = [(image_id, label) for image_id in images.image_ids[:2].tolist() for label in (2, 3, 4)]
        create_campaign(begun, CampaignPlan("review", Kind("review"), 9), Questions("new", pairs, seed=0))
        open_campaign(begun, "review")
    served.start()
    yield served
    served.end(signal.SIGKILL)


def test_a_label_is_referred_by_a_key_and_an_expert_gets_it_alone(reviewed: Served, meet: Meet):
    expert = meet(reviewed)
    with open_served(reviewed.folder) as study, study.begin() as begun:
        change_expertises(begun, expert.name, add=["wooden boats"])
    visitor, page = begin(meet, reviewed, REVIEW)
    numbers = [name.removeprefix("class ") for name in list_names(page)]
    page.keyboard.press("r")
    expect(page.get_by_role("dialog")).to_contain_text("Wooden boats")
    page.keyboard.press("1")
    expect(page.get_by_text("Referred to an expert in wooden boats")).to_be_visible()
    # One undo takes it back.
    page.keyboard.press("y")
    expect(page.get_by_text("Referred to an expert in wooden boats")).to_be_hidden()
    page.keyboard.press("r")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_text("Referred to an expert in wooden boats")).to_be_visible()
    for key in ("c", "w", "Enter"):
        page.keyboard.press(key)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["refers"] == {numbers[0]: "wooden boats"}
    assert set(answer["answer"]["verdicts"]) == set(numbers[1:])
    # Others see that it was referred, and are not asked for it.
    _, other = begin(meet, reviewed, REVIEW)
    expect(other.get_by_text("Referred to an expert in wooden boats")).to_be_visible()
    expect(other.locator("#facts")).to_have_text("0 of 2 judged")
    # Who judges it all the same has not judged more than was asked.
    other.get_by_role("group", name=f"class {numbers[0]}", exact=True).get_by_label("Correct").check()
    expect(other.locator("#facts")).to_have_text("1 of 3 judged")
    own = expert.come_in()
    own.goto(f"{reviewed.address}/campaigns/{REVIEW}")
    own.get_by_role("button", name="I agree").click()
    expect(own.locator("#expertise")).to_contain_text("as an expert in wooden boats")
    expect(own.locator(".pair")).to_have_count(1)
    assert not [*visitor.troubles, *expert.troubles]


def test_a_label_is_referred_by_touch_in_words_of_ones_own(reviewed: Served, meet: Meet):
    visitor, page = begin(meet, reviewed, REVIEW, viewport=PHONE, has_touch=True, is_mobile=True)
    page.get_by_role("button", name="Refer class 3 to an expert").tap()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Refer").tap()
    expect(dialog).to_contain_text("Say in what: a kind, or a few words.")
    dialog.get_by_role("textbox").fill("steam engines")
    dialog.get_by_role("button", name="Refer").tap()
    expect(page.get_by_text("Referred to an expert in steam engines")).to_be_visible()
    page.locator("#submit").tap()
    page.locator("#submit").tap()
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["refers"] == {"3": "steam engines"}
    assert not visitor.troubles


def test_one_dialog_opens_however_often_it_is_asked_for_before_it_is_there(reviewed: Served, meet: Meet):
    visitor, page = begin(meet, reviewed, REVIEW)
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/api/expertises", hold)
    refer = page.get_by_role("button", name="Refer class 3 to an expert")
    with page.expect_request("**/api/expertises"):
        refer.click()
    refer.click()
    for route in waiting:
        route.continue_()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.locator("dialog[open]").count() == 1
    assert not visitor.troubles


def test_managers_say_what_somebody_is_an_expert_of(reviewed: Served, meet: Meet):
    person = meet(reviewed)
    page = meet(reviewed).open_tab()
    page.goto(reviewed.manager_link)
    page.wait_for_url(f"{reviewed.address}/manage")
    page.goto(f"{reviewed.address}/manage/people")
    page.get_by_role("button", name=f"What {person.name} is an expert of").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("Steam engines, boats")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#said")).to_have_text(f"{person.name} is an expert of boats, steam engines.")
    page.reload()
    expect(page.locator(".expert-of:visible")).to_have_text("boats, steam engines")
