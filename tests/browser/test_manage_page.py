"""The manager's overview: campaigns, links and answers; refused to everybody else."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect
from tests.browser.browser_visitor import LAPTOP, PHONE, Meet, audit, count_overflow, settle
from tests.browser.manager import get_card, open_manager
from tests.browser.server_process import DRAFT, GRID, SHORT, Served, serve

from regauge import open_study
from regauge.formats.responses.contains import load_contains_responses
from regauge.storage.people.pseudonyms import find_pseudonyms


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose campaigns are opened and closed."""
    with serve(tmp_path_factory.mktemp("managed")) as running:
        yield running


@pytest.fixture
def untouched(tmp_path: Path) -> Iterator[Served]:
    """A server where nobody has done anything yet."""
    with serve(tmp_path) as running:
        yield running


def test_the_manager_sees_campaigns_answers_and_people_as_they_come_in(meet: Meet, untouched: Served):
    page = open_manager(meet, untouched)
    expect(page.locator(".campaign")).to_have_count(4)
    card = get_card(page, "Grids")
    expect(card).to_contain_text("open")
    expect(card).to_contain_text("0 of 6,000 answers")
    expect(page.locator("#no-answers")).to_be_visible()
    page.get_by_role("link", name="New campaign").focus()
    page.evaluate("window.marked = document.querySelector('.campaign')")
    worker = meet(untouched)
    task = worker.begin(GRID)
    task.keyboard.press("Space")
    task.keyboard.press("Control+Enter")
    worker.get_answers(1, page=task)
    expect(card).to_contain_text("1 of 6,000 answers")
    expect(card).to_contain_text("1 person, 1 at work now")
    row = page.locator("#answer-rows tr").first
    expect(row).to_contain_text(worker.name)
    expect(row).to_contain_text("counted")
    expect(page.locator("#no-answers")).to_be_hidden()
    # Nothing was put in the place of what was there, and whoever was somewhere still is.
    assert page.evaluate("window.marked.isConnected")
    expect(page.get_by_role("link", name="New campaign")).to_be_focused()
    assert audit(page) == []


def test_the_page_says_when_the_server_is_gone_and_when_it_is_back(meet: Meet, managed: Served):
    page = open_manager(meet, managed)
    expect(page.locator("#alive")).to_have_text("live")
    page.context.set_offline(True)
    expect(page.locator("#alive")).to_have_text("the server cannot be reached")
    page.context.set_offline(False)
    expect(page.locator("#alive")).to_have_text("live")


def test_news_that_come_late_do_not_take_the_place_of_newer_ones(meet: Meet, managed: Served):
    page = open_manager(meet, managed)
    address, look = "**/api/manage/overview", "document.dispatchEvent(new Event('visibilitychange'))"
    asked: list[Route] = []
    page.route(address, lambda route: asked.append(route) if not asked else route.continue_())
    with page.expect_request(address):
        page.evaluate(look)
    with page.expect_response(address):
        page.evaluate(look)
    with page.expect_response(address):
        asked[0].fulfill(json={"parts": {"steps": "<li>old news</li>"}, "n_answers": 0})
    page.wait_for_timeout(200)
    assert "old news" not in page.locator("#steps").inner_text()


def test_a_manager_who_was_signed_out_is_told_and_can_leave(meet: Meet, managed: Served):
    manager = meet(managed)
    manager.allowed = ("status of 503", "status of 401")
    page = manager.open_tab()
    page.goto(managed.manager_link)
    page.route("**/api/manage/overview", lambda route: route.fulfill(status=503, json={}))
    expect(page.locator("#alive")).to_have_text("the server is busy")
    page.unroute("**/api/manage/overview")
    page.context.clear_cookies()
    # The words change although both are bad news.
    expect(page.locator("#alive")).to_have_text("signed out: open your link again")
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("heading", name="Welcome")).to_be_visible()


def test_a_campaign_is_opened_and_closed(meet: Meet, managed: Served):
    page = open_manager(meet, managed, f"/manage/campaigns/{DRAFT}")
    page.get_by_role("button", name="Open").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("36 answers")
    expect(dialog).to_contain_text("nobody is paid")
    expect(dialog).not_to_contain_text("per hour")
    dialog.get_by_role("button", name="Open campaign").click()
    expect(page.locator("#state")).to_have_text("open")
    worker = meet(managed)
    worker.allowed = ("status of 404", "status of 409")
    task = worker.begin(DRAFT)
    page.get_by_role("button", name="Close").click()
    dialog.get_by_label("Why").fill("a rest")
    dialog.get_by_role("button", name="Close campaign").click()
    expect(page.locator("#state")).to_have_text("closed")
    # What was at hand can still be answered; then there is no more.
    for _ in range(3):
        settle(task)
        task.keyboard.press("Space")
        task.keyboard.press("Control+Enter")
    expect(task.locator("#waiting")).to_contain_text("Campaign Draft is closed; there are no tasks at the moment.")
    expect(task.get_by_role("link", name="All tasks").last).to_be_visible()
    assert len(managed.find_answers(worker.name)) == 3
    task.goto(f"{managed.address}/campaigns/{DRAFT}/thanks")
    expect(task.locator(".lead")).to_contain_text("3 tasks in Draft")
    page.goto(f"{managed.address}/manage/log")
    expect(page.locator("tbody tr").first).to_contain_text("a rest")


def test_links_are_made_shown_and_work(meet: Meet, managed: Served):
    page = open_manager(meet, managed)
    page.get_by_label("How many").fill("3")
    page.get_by_role("button", name="Create links").click()
    expect(page.get_by_label("3 new links, shown this once")).to_be_visible()
    rows = [line.split("\t") for line in page.locator("#links-text").input_value().splitlines()]
    assert len({name for name, _ in rows}) == len({link for _, link in rows}) == 3
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy all").click()
    expect(page.locator("#copied")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#links-text").input_value()
    somebody = meet(managed)
    somebody.name, somebody.link = rows[0]
    assert somebody.come_in().locator(".who").inner_text().startswith(rows[0][0])


def test_a_new_link_puts_whoever_has_the_old_one_out(meet: Meet, managed: Served):
    somebody = meet(managed)
    somebody.allowed = ("status of 401", "status of 403")
    own = somebody.come_in()
    page = open_manager(meet, managed, f"/manage/people?name={somebody.name}")
    page.get_by_role("button", name=f"New link for {somebody.name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Create link").click()
    expect(page.locator("#said")).to_contain_text("has a new link")
    link = page.locator("#links-text").input_value().split("\t")[1]
    own.goto(f"{managed.address}/campaigns/{GRID}")
    expect(own.locator("h1")).to_have_text("Please sign in")
    somebody.link = link
    somebody.come_in()


def test_answers_are_downloaded_as_aggregate_reads_them(meet: Meet, managed: Served, tmp_path: Path):
    worker = meet(managed)
    task = worker.begin(GRID)
    task.keyboard.press("Space")
    task.keyboard.press("Control+Enter")
    worker.get_answers(1, page=task)
    task.goto(f"{managed.address}/campaigns/{SHORT}")
    task.get_by_role("button", name="I agree").click()
    settle(task)
    task.keyboard.press("1")
    task.keyboard.press("Enter")
    worker.get_answers(1, page=task, campaign=SHORT)
    page = open_manager(meet, managed, f"/manage/campaigns/{GRID}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Answers that count").click()
    download.value.save_as(tmp_path / "answers.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "answers.csv").read_text(encoding="utf-8"))))
    with open_study(managed.folder) as study, study.read() as reading:
        called = find_pseudonyms(reading).call(worker.name)
    mine = [row for row in rows if row["annotator_id"] == called]
    assert sum(int(row["selected"]) for row in mine) == 1
    assert called in load_contains_responses([tmp_path / "answers.csv"]).annotator_ids
    with page.expect_download() as download:
        page.get_by_role("link", name="Annotators").last.click()
    assert called in Path(download.value.path()).read_text(encoding="utf-8")
    page.goto(f"{managed.address}/manage/campaigns/{SHORT}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Answers with surplus").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert called in [json.loads(line)["annotator_id"] for line in lines]


CALLS = [
    ("POST", f"/api/manage/campaigns/{GRID}/close"),
    ("POST", f"/api/manage/campaigns/{GRID}/open"),
    ("POST", "/api/manage/links"),
    ("GET", f"/api/manage/campaigns/{GRID}/answers"),
]


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_only_the_manager_can_manage(meet: Meet, managed: Served, method, path):
    worker = meet(managed)
    worker.allowed = ("status of 403",)
    page = worker.come_in()
    token = page.evaluate("document.body.dataset.csrf")
    reply = page.context.request.fetch(
        f"{managed.address}{path}", method=method, headers={"x-csrf-token": token}, data={"n": 1}
    )
    assert reply.status == 403
    assert "Only the manager" in reply.json()["detail"]


@pytest.mark.parametrize("path", [path for method, path in CALLS if method == "POST"])
def test_other_sites_cannot_manage_in_the_managers_name(meet: Meet, managed: Served, path):
    page = open_manager(meet, managed)
    reply = page.context.request.post(f"{managed.address}{path}", data={"n": 1})
    assert reply.status == 403


PAGES = [
    "/manage",
    "/manage/campaigns/new",
    f"/manage/campaigns/{GRID}",
    f"/manage/campaigns/{DRAFT}",
    f"/manage/campaigns/{GRID}/annotators",
    f"/manage/campaigns/{GRID}/images",
    f"/manage/campaigns/{GRID}/images/3",
    f"/manage/campaigns/{GRID}/labels",
    "/manage/log",
    "/manage/people",
]


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_every_page_fits_and_can_be_used_without_seeing_it(meet: Meet, managed: Served, viewport):
    page = open_manager(meet, managed, viewport=viewport)
    for path in PAGES:
        page.goto(f"{managed.address}{path}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert (path, count_overflow(page), audit(page)) == (path, 0, [])
