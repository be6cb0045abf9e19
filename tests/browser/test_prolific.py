"""From Prolific and back in a real browser: done, screened out, returned, come back, and links that let nobody in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect
from tests.browser.browser_visitor import PATIENCE, audit, count_overflow, settle
from tests.browser.platforms import Recruiting, label_image, recruit
from tests.browser.server_process import SHORT

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.campaigns.terms import Prolific, Quiz, Terms
from regauge.records.campaigns.visits import VisitState
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.openings import close_campaign, open_campaign
from regauge.workflows.demo.campaigns import ClassifyQuestions, create_classify
from regauge.workflows.people.visits import judge_visits

PID = "5a9d64f5f6dfdd0001eaa73d"
SESSION = "6b9d64f5f6dfdd0001eaa111"
LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}
DONE, OUT = "DONE1234", "OUT5678"
QUERY = f"PROLIFIC_PID={PID}&STUDY_ID=s1&SESSION_ID={SESSION}"
TERMS = Prolific(DONE, OUT)


@pytest.fixture
def recruiting(tmp_path: Path) -> Iterator[Recruiting]:
    with recruit(tmp_path, SHORT) as found:
        found.change_terms(prolific=TERMS)
        yield found


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport=LAPTOP)
    # The page of Prolific that people go back to.
    context.route(
        "https://app.prolific.com/**",
        lambda route: route.fulfill(content_type="text/html", body=f"<title>Prolific</title><p>{route.request.url}"),
    )
    yield context
    context.close()


def send(recruiting: Recruiting, context: BrowserContext, query: str = QUERY) -> Page:
    """Somebody clicks on the study at Prolific."""
    address = f"{recruiting.address}/p/{recruiting.campaign_id}?{query}"
    recruiting.platform.page = (
        f'<!doctype html><title>Prolific</title><a href="{address.replace("&", "&amp;")}">Open study</a>'
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(recruiting.platform.address)
    page.get_by_role("link", name="Open study").click()
    return page


def begin(recruiting: Recruiting, context: BrowserContext) -> Page:
    page = send(recruiting, context)
    agree(page)
    settle(page)
    return page


def agree(page: Page) -> None:
    """Agree to the text, once the page listens."""
    button = page.get_by_role("button", name="I agree")
    expect(button).to_be_focused()
    button.click()


def test_somebody_does_their_share_and_goes_back_with_the_code(recruiting, context):
    page = begin(recruiting, context)
    assert page.url == f"{recruiting.address}/campaigns/{SHORT}"
    for n in (1, 2):
        label_image(page)
        if n == 1:
            expect(page.locator("#done")).to_have_text(re.compile("^1( of [0-9]+)? done since you arrived$"))
    page.wait_for_url("**/thanks")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.locator("#code")).to_have_text(DONE)
    expect(page.locator("#outcome-words")).to_have_text(
        "You have done 2 tasks since you arrived, and everything is saved."
    )
    assert audit(page) == []
    page.get_by_role("link", name="Back to Prolific").click()
    page.wait_for_url(f"https://app.prolific.com/submissions/complete?cc={DONE}")
    (visit,) = recruiting.list_visits()
    assert (visit.state, visit.n_done) == (VisitState.COMPLETED, 2)


@pytest.mark.parametrize("is_good", [True, False])
def test_the_code_comes_after_the_judgement_where_it_waits(recruiting, context, is_good):
    recruiting.change_terms(prolific=Prolific(DONE, OUT, 1, judges_first=True))
    page = begin(recruiting, context)
    name = page.locator("body").get_attribute("data-who") or ""
    label_image(page)
    page.wait_for_url("**/thanks")
    expect(page.locator("#outcome-words")).to_contain_text("The researchers check the answers before they release the")
    expect(page.locator("#outcome-code")).to_be_hidden()
    expect(page.get_by_role("link", name="Back to Prolific")).to_be_hidden()
    assert (audit(page), count_overflow(page)) == ([], 0)
    with recruiting.study.begin() as begun:
        if not is_good:
            drop_annotator(begun, recruiting.campaign_id, annotator=name, reason="controls")
        judge_visits(begun, recruiting.campaign_id)
    page.reload()
    if is_good:
        expect(page.locator("#code")).to_have_text(DONE)
    else:
        expect(page.locator("#outcome-words")).to_contain_text("There is no completion code.")
        expect(page.locator("#outcome-code")).to_be_hidden()


def test_the_address_bar_and_the_history_never_show_who_it_is(recruiting, context):
    page = begin(recruiting, context)
    assert PID not in page.url
    assert PID not in page.content()
    page.go_back()
    assert page.url.startswith(recruiting.platform.address)


def test_a_share_of_one_task_ends_after_one(recruiting, context):
    recruiting.change_terms(prolific=Prolific(DONE, OUT, 1))
    page = begin(recruiting, context)
    label_image(page)
    page.wait_for_url("**/thanks")
    expect(page.locator("#code")).to_have_text(DONE)
    expect(page.locator("#outcome-words")).to_have_text(
        "You have done 1 task since you arrived, and everything is saved."
    )


def test_whoever_finds_nothing_is_screened_out(recruiting, context):
    page = send(recruiting, context)
    page.get_by_role("button", name="I agree").wait_for()
    with recruiting.study.begin() as begun:
        close_campaign(begun, "Short")
    page.goto(f"{recruiting.address}/campaigns/{SHORT}/thanks")
    expect(page.locator("#code")).to_have_text(OUT)
    expect(page.get_by_role("link", name="Back to Prolific")).to_have_attribute(
        "href", f"https://app.prolific.com/submissions/complete?cc={OUT}"
    )


def test_whoever_fails_the_quiz_is_screened_out(tmp_path, context):
    with recruit(tmp_path, 5) as recruiting:
        plan = CampaignPlan("Quizzed", Kind("classify"), 3, terms=Terms(quiz=Quiz(1, 1.0, 1), prolific=TERMS))
        with recruiting.study.begin() as begun:
            entry = create_classify(begun, plan, ClassifyQuestions({"new-6-0": [6, 7]}, "new", seed=0))
            open_campaign(begun, "Quizzed")
        assert entry.id == recruiting.campaign_id
        page = send(recruiting, context)
        agree(page)
        page.locator("#training").get_by_role("button").last.click()
        page.locator("#quiz-choices input").first.wait_for()
        page.wait_for_timeout(400)
        # Nothing is selected, which is never right.
        page.locator("#quiz-buttons button").click()
        page.locator("#quiz-next").click()
        page.get_by_role("button", name="Finish").click()
        page.wait_for_url("**/thanks")
        expect(page.locator("#code")).to_have_text(OUT)


def test_somebody_returns_their_submission_and_changes_their_mind(recruiting, context):
    page = begin(recruiting, context)
    label_image(page)
    expect(page.locator("#done")).to_have_text(re.compile("^1( of [0-9]+)? done since you arrived$"))
    page.keyboard.press("h")
    page.get_by_role("link", name="Pause or return your submission").click()
    expect(page.get_by_role("heading", name="You are not done yet")).to_be_visible()
    expect(page.locator("#outcome-code")).to_be_hidden()
    assert audit(page) == []
    page.get_by_role("button", name="I want to stop and return my submission").click()
    expect(page.get_by_role("heading", name="Your place was given back")).to_be_visible()
    expect(page.get_by_text("also return your submission on Prolific")).to_be_visible()
    assert DONE not in page.content()
    (visit,) = recruiting.list_visits()
    assert visit.state is VisitState.RETURNED
    again = send(recruiting, context)
    label_image(again)
    again.wait_for_url("**/thanks")
    expect(again.locator("#code")).to_have_text(DONE)


def test_whoever_does_not_agree_can_return_their_submission_at_once(recruiting, context):
    page = send(recruiting, context)
    page.get_by_role("link", name="Not now").click()
    page.get_by_role("button", name="I want to stop and return my submission").click()
    expect(page.get_by_role("heading", name="Your place was given back")).to_be_visible()
    (visit,) = recruiting.list_visits()
    assert (visit.state, visit.n_done) == (VisitState.RETURNED, 0)


def test_on_a_second_device_it_goes_on_where_it_stopped(recruiting, browser, context):
    page = begin(recruiting, context)
    label_image(page)
    expect(page.locator("#status")).to_have_text("Saved")
    other = browser.new_context(viewport=PHONE)
    second = send(recruiting, other)
    settle(second)
    expect(second.locator("#done")).to_have_text(re.compile("^0( of [0-9]+)? done since you arrived$"))
    label_image(second)
    second.wait_for_url("**/thanks")
    expect(second.locator("#code")).to_have_text(DONE)
    assert count_overflow(second) <= 0
    other.close()
    assert len(recruiting.list_visits()) == 1


def test_a_link_of_another_participant_asks_first(recruiting, context):
    page = begin(recruiting, context)
    name = page.locator("body").get_attribute("data-who") or ""
    other = "5b9d64f5f6dfdd0001eaa73e"
    page = send(recruiting, context, QUERY.replace(PID, other))
    expect(page.get_by_role("heading", name="Are you somebody else?")).to_be_visible()
    expect(page.locator("main")).to_contain_text(
        f"You are signed in as {name}, but this link from Prolific belongs to another person."
    )
    # Who it is stands no longer in the address, also before anything was decided.
    page.wait_for_url(f"{recruiting.address}/p/{SHORT}")
    assert (audit(page), count_overflow(page)) == ([], 0)
    page.get_by_role("link", name=f"Stay as {name}").click()
    expect(page.locator(".who")).to_contain_text(name)
    page = send(recruiting, context, QUERY.replace(PID, other))
    page.get_by_role("button", name="Sign out and use this link").click()
    agree(page)
    settle(page)
    assert page.locator("body").get_attribute("data-who") != name
    assert page.url == f"{recruiting.address}/campaigns/{SHORT}"
    page.goto(f"{recruiting.address}/me")
    expect(page.locator("main")).to_contain_text("Send the researchers a message on Prolific")


def test_a_link_without_an_id_says_so_and_lets_nobody_in(recruiting, context):
    for query in ("", "PROLIFIC_PID=", "PROLIFIC_PID=nonsense", "PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D"):
        page = send(recruiting, context, query)
        expect(page.get_by_role("heading", name="This link does not let you in")).to_be_visible()
        expect(page.locator(".lead")).to_contain_text("Prolific")
        assert context.cookies() == []
        assert recruiting.list_visits() == ()
        assert audit(page) == []
