"""Tasks in a frame of another site, as on Mechanical Turk, in a browser that gives such frames no cookies and no storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Frame, FrameLocator, Page, expect
from tests.browser.conftest import find_program
from tests.browser.platforms import Recruiting, browse_without_third_party_cookies, frame_page, recruit
from tests.browser.serving import GRID, SHORT
from tests.browser.visiting import SETTLED, audit

from regauge.records.visits import VisitState
from regauge.workflows.identities import check_receipt

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


@pytest.fixture
def worker(browser: Browser, recruiting: Recruiting, tmp_path: Path) -> Iterator[Worker]:
    """A worker; whatever went wrong on their pages fails the test."""
    program = find_program()
    assert program is not None
    with browse_without_third_party_cookies(browser.browser_type, tmp_path / "profile", program) as context:
        page = context.new_page()
        page.set_default_timeout(10_000)
        found = Worker(recruiting, page)
        page.on("console", lambda one: found.troubles.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda error: found.troubles.append(str(error)))
        yield found
    assert found.troubles == []


def test_the_browser_gives_the_frame_neither_cookies_nor_storage(worker):
    worker.open_hit()
    stored = worker.frame.evaluate("() => { try { localStorage.length; return 'storage' } catch { return 'none' } }")
    worker.frame.evaluate("() => { document.cookie = 'a=1' }")
    assert (stored, worker.frame.evaluate("document.cookie")) == ("none", "")


def test_a_worker_accepts_works_and_hands_the_hit_in(worker):
    hit = worker.begin()
    label_image(hit)
    expect(hit.locator("#done")).to_have_text("1 done")
    label_image(hit)
    expect(hit.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(hit.get_by_text("You have done 2 tasks")).to_be_visible()
    assert audit(worker.frame) == []
    hit.get_by_role("button", name="Hand in the HIT").click()
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
    expect(picture).to_be_visible()
    assert str(picture.get_attribute("src")).startswith("blob:")
    assert int(picture.evaluate("(image) => image.naturalWidth")) > 0


def test_after_a_reload_it_goes_on_where_it_stopped(worker):
    hit = worker.begin()
    label_image(hit)
    expect(hit.locator("#status")).to_have_text("Saved")
    worker.page.reload()
    expect(hit.locator("#done")).to_have_text("1 done")
    label_image(hit)
    expect(hit.get_by_role("button", name="Hand in the HIT")).to_be_visible()
    worker.page.reload()
    # What was done is not asked for again, and can still be handed in.
    expect(hit.get_by_role("button", name="Hand in the HIT")).to_be_visible()
    assert len(worker.recruiting.list_visits()) == 1


def test_a_preview_shows_tasks_and_keeps_nothing(worker):
    hit = worker.open_hit(PREVIEW)
    expect(hit.get_by_text("This is a preview")).to_be_visible()
    worker.begin(assignment=PREVIEW)
    expect(hit.get_by_text("Preview: nothing is kept")).to_be_visible()
    for _ in range(3):
        label_image(hit)
    expect(hit.locator("#done")).to_have_text("3 done")
    expect(hit.locator("form")).to_have_count(0)
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
    worker.recruiting = Recruiting(worker.recruiting.study, worker.recruiting.address, worker.recruiting.platform, GRID)
    worker.recruiting.change_terms(mturk_tasks=1)
    hit = worker.begin()
    hit.locator(".cell img").nth(7).wait_for()
    worker.page.wait_for_timeout(SETTLED)
    hit.locator(".cell").first.click()
    hit.get_by_role("button", name="Submit").click()
    expect(hit.get_by_role("button", name="Hand in the HIT")).to_be_visible()


def test_another_site_cannot_show_the_page_in_a_frame(worker):
    stranger = worker.recruiting.platform.address.replace("localhost", "127.0.0.1")
    hit = worker.open_hit()
    expect(hit.get_by_role("button", name="I agree")).to_be_visible()
    worker.page.goto(stranger)
    worker.page.wait_for_load_state()
    expect(hit.get_by_role("button", name="I agree")).to_have_count(0)
    assert any("frame-ancestors" in one for one in worker.troubles)
    worker.troubles.clear()
