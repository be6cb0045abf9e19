"""The manager's page: campaigns, links and answers; refused to everybody else."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.serving import DRAFT, GRID, SHORT, Served, serve
from tests.browser.visiting import LAPTOP, PHONE, Meet, audit, count_overflow, settle

from regauge.formats.contains_responses import load_contains_responses

LIVE = 8_000
"""Milliseconds within which the page has looked again."""


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose campaigns are opened and closed."""
    with serve(tmp_path_factory.mktemp("managed")) as running:
        yield running


def open_manager(meet: Meet, managed: Served, **options) -> Page:
    manager = meet(managed, **options)
    page = manager.open_tab()
    page.goto(managed.manager_link)
    page.wait_for_url("**/manage")
    return page


def get_card(page: Page, name: str):
    return page.locator(".campaign-card").filter(has=page.get_by_role("heading", name=name))


def test_the_manager_sees_campaigns_answers_and_people_as_they_come_in(meet: Meet, managed: Served):
    page = open_manager(meet, managed)
    expect(page.locator(".campaign-card")).to_have_count(4)
    card = get_card(page, "Grids")
    expect(card).to_contain_text("open")
    expect(card).to_contain_text("of 6,000")
    worker = meet(managed)
    task = worker.begin(GRID)
    task.keyboard.press("Space")
    task.keyboard.press("Control+Enter")
    worker.get_answers(1, page=task)
    expect(card.locator(".numbers > div").nth(0)).to_contain_text("1 of 6,000", timeout=LIVE)
    expect(card.locator(".numbers > div").nth(2)).to_contain_text("1")
    row = page.locator("#answers tbody tr").first
    expect(row).to_contain_text(worker.name)
    expect(row).to_contain_text("counted")
    assert audit(page) == []


def test_a_campaign_is_opened_and_closed(meet: Meet, managed: Served):
    page = open_manager(meet, managed)
    page.get_by_role("button", name="Open Draft").click()
    expect(get_card(page, "Draft").locator(".state")).to_have_text("open")
    worker = meet(managed)
    worker.allowed = ("status of 404", "status of 409")
    task = worker.begin(DRAFT)
    page.get_by_role("button", name="Close Draft").click()
    expect(get_card(page, "Draft").locator(".state")).to_have_text("closed")
    # What was at hand can still be answered; then there is no more.
    for _ in range(3):
        settle(task)
        task.keyboard.press("Space")
        task.keyboard.press("Control+Enter")
    expect(task.locator("#waiting")).to_contain_text("Campaign Draft is closed; there are no tasks at the moment.")
    expect(task.get_by_role("link", name="All tasks").last).to_be_visible()
    assert len(managed.find_answers(worker.name)) == 3
    task.goto(f"{managed.address}/campaigns/{DRAFT}/thanks")
    expect(task.locator(".lead")).to_contain_text("3 tasks of Draft")


def test_links_are_made_shown_and_work(meet: Meet, managed: Served):
    page = open_manager(meet, managed)
    page.get_by_label("How many").fill("3")
    page.get_by_role("button", name="Make links").click()
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
    page = open_manager(meet, managed)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the answers to Grids").click()
    download.value.save_as(tmp_path / "answers.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "answers.csv").read_text(encoding="utf-8"))))
    mine = [row for row in rows if row["annotator_id"] == worker.name]
    assert sum(int(row["selected"]) for row in mine) == 1
    assert worker.name in load_contains_responses([tmp_path / "answers.csv"]).annotator_ids
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the answers to Short").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert worker.name in [json.loads(line)["annotator_id"] for line in lines]


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


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_the_page_fits(meet: Meet, managed: Served, viewport):
    page = open_manager(meet, managed, viewport=viewport)
    assert (count_overflow(page), audit(page)) == (0, [])
