"""Tasks in a frame of another site, as on Mechanical Turk, in a browser that gives such frames no cookies and no storage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, FrameLocator, Page, expect
from tests.browser.browser_visitor import PATIENCE, SETTLED, audit
from tests.browser.conftest import find_program
from tests.browser.platforms import Recruiting, browse_without_third_party_cookies, frame_page, recruit
from tests.browser.quiz_study import LABELS, N_ATTEMPTS, add_quizzes, answer_question, take_quiz
from tests.browser.server_process import GRID, SHORT

from regauge.records.campaigns.visits import VisitState
from regauge.workflows.people.identities import check_receipt

WORKER = "A2SECRETWORKER77"
ASSIGNMENT = "3SECRETASSIGNMENT9QZ"
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


@dataclass(eq=False)
class Worker:
    """Somebody with a HIT in a tab."""

    recruiting: Recruiting
    page: Page
    troubles: list[str] = field(default_factory=list)

    def open_hit(self, assignment: str = ASSIGNMENT, worker: str = WORKER) -> FrameLocator:
        """Look at a HIT, or accept it."""
        platform = self.recruiting.platform
        query = {"assignmentId": assignment, "hitId": "3HIT", "turkSubmitTo": platform.address}
        if assignment != PREVIEW:
            query["workerId"] = worker
        platform.page = frame_page(f"{self.recruiting.address}/m/{self.recruiting.campaign_id}?{urlencode(query)}")
        self.page.goto(platform.address)
        return self.page.frame_locator("#hit")

    @property
    def frame(self) -> Frame:
        """The page in the frame."""
        (found,) = self.page.main_frame.child_frames
        return found

    def begin(self, **hit: str) -> FrameLocator:
        """Accept a HIT and agree to the text."""
        found = self.open_hit(**hit)
        button = found.get_by_role("button", name="I agree")
        expect(button).to_be_focused()
        button.click()
        return found


def label_image(hit: FrameLocator) -> None:
    """Answer the task in the frame: the first label."""
    hit.locator(".choice").first.wait_for()
    hit.owner.page.wait_for_timeout(SETTLED)
    hit.locator(".choice .label").first.click()
    hit.get_by_role("button", name="Submit").click()


@pytest.fixture
def recruiting(tmp_path: Path) -> Iterator[Recruiting]:
    with recruit(tmp_path, SHORT) as found:
        found.change_terms(mturk_tasks=2)
        yield found


@pytest.fixture(scope="module")
def context(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser that keeps nothing of what is in a frame; so all tests can share it."""
    program = find_program(has_settings=True)
    assert program is not None
    folder = tmp_path_factory.mktemp("browser") / "profile"
    with browse_without_third_party_cookies(browser.browser_type, folder, program) as found:
        yield found


@pytest.fixture
def worker(context: BrowserContext, recruiting: Recruiting) -> Iterator[Worker]:
    """A worker; whatever went wrong on their pages fails the test."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    found = Worker(recruiting, page)
    page.on("console", lambda one: found.troubles.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda error: found.troubles.append(str(error)))
    yield found
    page.close()
    assert found.troubles == []


def test_the_browser_gives_the_frame_neither_cookies_nor_storage(worker):
    worker.open_hit()
    stored = worker.frame.evaluate("() => { try { localStorage.length; return 'storage' } catch { return 'none' } }")
    worker.frame.evaluate("() => { document.cookie = 'a=1' }")
    assert (stored, worker.frame.evaluate("document.cookie")) == ("none", "")


def test_a_worker_accepts_works_and_hands_the_hit_in(worker):
    hit = worker.begin()
    label_image(hit)
    expect(hit.locator("#done")).to_have_text(re.compile("^1( of [0-9]+)? done since you arrived$"))
    label_image(hit)
    expect(hit.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(hit.get_by_text("You have done 2 tasks since you arrived")).to_be_visible()
    assert audit(worker.frame) == []
    hit.get_by_role("button", name="Submit the HIT").click()
    expect(hit.get_by_role("heading", name="Handed in")).to_be_visible()
    (form,) = worker.recruiting.platform.received
    assert (form["path"], form["assignmentId"]) == ("/mturk/externalSubmit", ASSIGNMENT)
    (visit,) = worker.recruiting.list_visits()
    assert (visit.state, visit.n_done) == (VisitState.COMPLETED, 2)
    assert check_receipt(worker.recruiting.study, form["receipt"]) == (visit.id, 2)
    assert WORKER not in str(form)
    assert not any(WORKER in one or ASSIGNMENT in one for one in worker.recruiting.platform.referrers)


def test_images_come_by_script_and_are_seen(worker):
    hit = worker.begin()
    picture = hit.locator(".picture img")
    expect(picture).to_have_attribute("src", re.compile("^blob:"))
    assert int(picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)")) > 0


def test_after_a_reload_it_goes_on_where_it_stopped(worker):
    hit = worker.begin()
    label_image(hit)
    expect(hit.locator("#status")).to_have_text("Saved")
    worker.page.reload()
    # A frame has nothing but an id to say who is there, so that nobody is told what was done before; the share goes on.
    expect(hit.locator("#done")).to_have_text(re.compile("^0( of [0-9]+)? done since you arrived$"))
    label_image(hit)
    expect(hit.get_by_role("button", name="Submit the HIT")).to_be_visible()
    worker.page.reload()
    # What was done is not asked for again, and can still be handed in.
    expect(hit.get_by_role("button", name="Submit the HIT")).to_be_visible()
    assert len(worker.recruiting.list_visits()) == 1


def test_a_preview_shows_tasks_and_keeps_nothing(worker):
    hit = worker.open_hit(PREVIEW)
    expect(hit.get_by_text("This is a preview")).to_be_visible()
    worker.begin(assignment=PREVIEW)
    expect(hit.get_by_text("Preview: nothing is kept")).to_be_visible()
    for _ in range(3):
        label_image(hit)
    expect(hit.locator("#done")).to_have_text(re.compile("^3( of [0-9]+)? done"))
    expect(hit.locator("form[action]")).to_have_count(0)
    assert worker.recruiting.list_visits() == ()
    assert worker.recruiting.platform.received == []


def test_there_is_no_way_out_of_the_frame_but_the_hit(worker):
    hit = worker.begin()
    hit.locator(".choice").first.wait_for()
    links = worker.frame.evaluate(
        "[...document.querySelectorAll('a[href]')].filter((one) => one.target !== '_blank').length"
    )
    assert links == worker.frame.evaluate("document.querySelectorAll('#reload').length")


def test_grids_work_in_the_frame_too(worker):
    worker.recruiting = replace(worker.recruiting, campaign_id=GRID)
    worker.recruiting.change_terms(mturk_tasks=1)
    hit = worker.begin()
    hit.locator(".cell img").last.wait_for()
    worker.page.wait_for_timeout(SETTLED)
    hit.locator(".cell").first.click()
    hit.get_by_role("button", name="Submit").click()
    expect(hit.get_by_role("button", name="Submit the HIT")).to_be_visible()


def test_a_worker_is_told_whom_to_ask_for_their_data(worker):
    hit = worker.begin()
    hit.get_by_role("button", name="Help").click()
    expect(hit.locator("#help")).to_contain_text("write to the requester through “Contact” on Mechanical Turk")
    expect(hit.locator("#own-data")).to_have_count(0)


@pytest.fixture
def quizzed(worker: Worker) -> Worker:
    """A worker whose HIT starts with a quiz."""
    with worker.recruiting.study.begin() as begun:
        add_quizzes(begun)
    worker.recruiting = replace(worker.recruiting, campaign_id=LABELS)
    worker.recruiting.change_terms(mturk_tasks=1)
    return worker


def test_a_quiz_is_taken_in_the_frame_before_the_first_task(quizzed):
    hit = quizzed.begin()
    expect(hit.locator(".example img").first).to_have_attribute("src", re.compile("^blob:"))
    assert audit(quizzed.frame) == []
    take_quiz(quizzed.frame)
    expect(hit.get_by_text("4 of 4 were right")).to_be_visible()
    # There is no storage in the frame: after a reload the server knows who has passed.
    quizzed.page.reload()
    label_image(hit)
    expect(hit.get_by_role("button", name="Submit the HIT")).to_be_visible()
    assert quizzed.recruiting.list_visits()[0].state is VisitState.COMPLETED


def test_a_quiz_in_the_frame_goes_on_after_a_reload(quizzed):
    hit = quizzed.begin()
    hit.get_by_role("button", name="Begin the quiz").click()
    expect(hit.locator("#quiz-number")).to_have_text("Question 1 of 4")
    answer_question(quizzed.frame, is_right=False)
    expect(hit.locator("#quiz-number")).to_have_text("Question 2 of 4")
    quizzed.page.reload()
    expect(hit.locator("#quiz-number")).to_have_text("Question 2 of 4")


def test_who_does_not_pass_in_the_frame_is_asked_to_return_the_hit(quizzed):
    hit = quizzed.begin()
    for _ in range(N_ATTEMPTS):
        take_quiz(quizzed.frame, is_right=False)
        quizzed.page.keyboard.press("Enter")
    expect(hit.get_by_role("heading", name="Please return the HIT")).to_be_visible()
    expect(hit.get_by_role("button", name="Submit the HIT")).to_be_hidden()
    assert audit(quizzed.frame) == []
    assert quizzed.recruiting.list_visits()[0].state is VisitState.SCREENED_OUT
    assert quizzed.recruiting.platform.received == []


def test_a_preview_does_not_ask_the_quiz(quizzed):
    hit = quizzed.begin(assignment=PREVIEW)
    hit.get_by_role("button", name="Go to the tasks").click()
    hit.locator(".choice").first.wait_for()
    assert quizzed.recruiting.list_visits() == ()


def test_another_site_cannot_show_the_page_in_a_frame(worker):
    stranger = worker.recruiting.platform.address.replace("localhost", "127.0.0.1")
    hit = worker.open_hit()
    expect(hit.get_by_role("button", name="I agree")).to_be_visible()
    worker.page.goto(stranger)
    worker.page.wait_for_load_state()
    expect(hit.get_by_role("button", name="I agree")).to_have_count(0)
    assert any("frame-ancestors" in one for one in worker.troubles)
    worker.troubles.clear()
