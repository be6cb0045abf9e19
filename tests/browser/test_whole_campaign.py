"""A whole campaign in a real browser: made, tried, opened, watched, two careless people dropped and replaced, labels built."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import cycle

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.browser_visitor import SETTLED, Meet, find_target, settle
from tests.browser.manager import Worker, find_mask, get_figure, open_manager, wait_for_picture
from tests.browser.server_process import DRAFT, HOSTILE, Served, serve

from regauge.records.labels.verdicts import Verdict
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.studies.study import Circumstances, open_study

CAMPAIGN = DRAFT + 1
N_TASKS, N_ANSWERS = 12, 5
NAME = f"Whole {HOSTILE}"


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of its own."""
    with serve(tmp_path_factory.mktemp("whole")) as running:
        yield running


def test_a_whole_campaign(meet: Meet, managed: Served, browser: Browser) -> None:
    page = open_manager(meet, managed)
    make_campaign(page)
    try_it(page, managed)
    open_it(page)
    careful, careless = hire(page, managed, browser)
    one = meet(managed)
    task = one.begin(CAMPAIGN)
    answer_on_the_page(task)
    page.goto(f"{managed.address}/manage/campaigns/{CAMPAIGN}")
    work_and_watch(page, [*careful, *careless])
    finish_on_the_page(task)
    check_figures(page)
    drop_the_careless(page, managed, [worker.name for worker in careless])
    assert not any(worker.work(CAMPAIGN) for worker in careless)
    replace(page, managed, careful)
    look_at_an_image(page, managed)
    build_labels(page, managed)
    check_labels(managed)
    read_log(page, managed, [worker.name for worker in careless])


def make_campaign(page: Page) -> None:
    """A mistake is said beside its field, and what was typed is still there."""
    page.get_by_role("link", name="New campaign").click()
    page.wait_for_url("**/manage/campaigns/new")
    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_label("Test set").select_option("new")
    page.get_by_label("Controls come from").select_option("original")
    page.get_by_label("Answers per task").fill("0")
    page.get_by_label("Images per grid").fill("8")
    page.get_by_label("Positive controls").fill("2")
    page.get_by_label("Negative controls").fill("1")
    page.get_by_label("Per task", exact=True).fill("0.10")
    page.get_by_label("Lowest pay per hour").fill("30")
    page.get_by_role("button", name="Create draft").click()
    expect(page.locator("#mistake-n_annotators")).to_contain_text("from 1 to 1,000")
    expect(page.get_by_label("Answers per task")).to_be_focused()
    expect(page.get_by_label("Name", exact=True)).to_have_value(NAME)
    page.get_by_label("Answers per task").fill(str(N_ANSWERS))
    page.get_by_role("button", name="Create draft").click()
    page.wait_for_url(f"**/manage/campaigns/{CAMPAIGN}")
    expect(page.locator("h1")).to_contain_text(NAME)
    expect(page.locator("#estimate")).to_contain_text("60")
    expect(page.locator("#estimate")).to_contain_text("6.00 USD")


def try_it(page: Page, managed: Served) -> None:
    """The manager works on real tasks, and nothing of it is kept."""
    page.get_by_role("link", name="Try some tasks").click()
    page.wait_for_url(f"{managed.address}/campaigns/{CAMPAIGN}")
    page.get_by_role("button", name="I agree").click()
    settle(page)
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    settle(page)
    page.get_by_role("link", name="All tasks").first.click()
    page.wait_for_url("**/manage")
    assert managed.count("responses") == 0
    page.get_by_role("link", name=NAME).click()
    page.wait_for_url(f"{managed.address}/manage/campaigns/{CAMPAIGN}")


def open_it(page: Page) -> None:
    """The cost is stated before it is done."""
    page.get_by_role("button", name="Open").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("6.00 USD")
    dialog.get_by_label("Why").fill("pilot went well")
    dialog.get_by_role("button", name="Open campaign").click()
    expect(page.locator("#state")).to_have_text("open")


def hire(page: Page, managed: Served, browser: Browser) -> tuple[list[Worker], list[Worker]]:
    """Ten people by links that the manager made; two of them do not look."""
    page.get_by_role("link", name="People").click()
    page.wait_for_url(f"{managed.address}/manage/people")
    page.get_by_label("How many").fill("10")
    page.get_by_role("button", name="Create links").click()
    expect(page.locator("#links-label")).to_contain_text("10 new links")
    links = [line.split("\t")[1] for line in page.locator("#links-text").input_value().splitlines()]
    people = [Worker.come_in(browser, managed, link, is_careless=number >= 8) for number, link in enumerate(links)]
    for worker in people:
        worker.agree(CAMPAIGN)
    return people[:8], people[8:]


def answer_on_the_page(page: Page) -> None:
    """Somebody selects what they see."""
    images = [one.get_attribute("src") or "" for one in page.locator(".cell img").all()]
    origin = page.url.split("/campaigns/")[0]
    mask = find_mask(find_target(page), images, lambda address: page.request.get(f"{origin}{address}").body())
    cells = page.locator(".cell")
    for cell in range(len(images)):
        if mask >> cell & 1:
            cells.nth(cell).click()
    page.keyboard.press("Control+Enter")
    # After the last task the page leaves as soon as the answer is on disk.
    expect(page.locator("#status:text-is('Saved'), h1:text-is('Thank you')")).to_be_visible()


def work_and_watch(page: Page, people: list[Worker]) -> None:
    """Everybody takes turns until nothing is left, and the page follows without being loaded again."""
    page.evaluate("window.isSame = true")
    expect(get_figure(page, "Answers that count")).to_contain_text("1of 60")
    turns = cycle(people)
    for _ in range(29):
        assert next(turns).work(CAMPAIGN)
    expect(get_figure(page, "Answers that count")).to_contain_text("30of 60")
    expect(get_figure(page, "People")).to_contain_text("11")
    n_idle = 0
    while n_idle < len(people):
        n_idle = 0 if next(turns).work(CAMPAIGN) else n_idle + 1


def finish_on_the_page(page: Page) -> None:
    """What somebody has at hand nobody else gets; then there is nothing left."""
    while not page.url.endswith("/thanks"):
        settle(page)
        answer_on_the_page(page)
        page.wait_for_timeout(SETTLED)


def check_figures(page: Page) -> None:
    """All of it came to the page that was open all the time."""
    expect(get_figure(page, "Tasks done")).to_contain_text(f"{N_TASKS}of {N_TASKS}")
    # Twenty seconds at ten cents are eighteen dollars an hour, less than the thirty that were set.
    expect(page.locator("#pay-warning")).to_contain_text("less than the 30.00 USD")
    assert page.evaluate("window.isSame")


def drop_the_careless(page: Page, managed: Served, names: list[str]) -> None:
    """The page suggests both, with the reason; what it will do is said before it is done."""
    page.goto(f"{managed.address}/manage")
    page.locator("#steps").get_by_role("link", name="Look at them").click()
    page.wait_for_url("**/annotators?**")
    for name in names:
        row = page.locator("#rows tr").filter(has=page.get_by_role("rowheader", name=name))
        expect(row).to_contain_text("Selected less than 20% of the positive controls")
        page.get_by_role("button", name=f"Drop {name}").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("will no longer count")
        expect(dialog).to_contain_text("for other people")
        assert "positive controls" in dialog.get_by_label("Why").input_value()
        dialog.get_by_role("button", name="Drop").click()
        expect(page.locator("#said")).to_contain_text(f"{name} is dropped")
    page.get_by_role("link", name="Dropped").click()
    page.wait_for_url("**show=dropped**")
    expect(page.locator("#rows tr")).to_have_count(2)
    # One of them is taken back and dropped again.
    page.get_by_role("button", name=f"Restore {names[0]}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Restore").click()
    expect(dialog.locator(".mistake")).to_contain_text("Say why")
    dialog.get_by_label("Why").fill("a second look")
    dialog.get_by_role("button", name="Restore").click()
    expect(page.locator("#rows tr")).to_have_count(1)
    page.get_by_role("link", name="All").last.click()
    page.wait_for_url("**show=all**")
    page.get_by_role("button", name=f"Drop {names[0]}").click()
    dialog.get_by_label("Why").fill("it was right")
    dialog.get_by_role("button", name="Drop").click()
    expect(page.get_by_role("button", name=f"Restore {names[0]}")).to_be_visible()


def replace(page: Page, managed: Served, careful: list[Worker]) -> None:
    """Tasks have reopened by themselves, and others answer them."""
    page.goto(f"{managed.address}/manage/campaigns/{CAMPAIGN}")
    expect(get_figure(page, "Tasks done")).not_to_contain_text(f"{N_TASKS}of {N_TASKS}")
    n_idle, turns = 0, cycle(careful)
    while n_idle < len(careful):
        n_idle = 0 if next(turns).work(CAMPAIGN) else n_idle + 1
    expect(get_figure(page, "Answers that count")).to_contain_text("60of 60")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("dialog").get_by_role("button", name="Close campaign").click()
    expect(page.locator("#state")).to_have_text("closed")


def look_at_an_image(page: Page, managed: Served) -> None:
    """One image large, with all its answers, those of dropped people among them."""
    page.get_by_role("link", name="Images").click()
    expect(page.locator(".gallery li").first).to_be_visible()
    page.goto(f"{managed.address}/manage/campaigns/{CAMPAIGN}/images?order=number&descending=false")
    page.locator(".gallery a").first.click()
    wait_for_picture(page)
    expect(page.locator("tbody").first).to_contain_text("100.0%")
    expect(page.locator("tbody").first).to_contain_text("5 of 5")


def build_labels(page: Page, managed: Served) -> None:
    """What the labels would be, then the labels."""
    page.goto(f"{managed.address}/manage/campaigns/{CAMPAIGN}/labels")
    page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("correct: 48")
    expect(preview).to_contain_text("wrong: 0")
    page.get_by_label("Name of the label set").fill("crowd")
    page.get_by_role("button", name="Build label set").click()
    expect(page.locator("#said")).to_have_text("crowd@1 was built.")
    expect(page.locator(".names-list")).to_contain_text("crowd@1")


def check_labels(managed: Served) -> None:
    """Every image has its own label, and nothing else."""
    study = open_study(
        managed.folder, around=Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(0))
    )
    try:
        with study.read() as reading:
            labels = load_label_set(reading, get_label_set(reading, "crowd"))
            images = load_test_set(reading, get_test_set(reading, "new"))
    finally:
        study.close()
    found = dict(zip(labels.image_ids[labels.rows].tolist(), labels.classes.tolist(), strict=True))
    assert found == dict(zip(images.image_ids.tolist(), images.labels.tolist(), strict=True))
    assert set(labels.verdicts.tolist()) == {Verdict.CORRECT}


def read_log(page: Page, managed: Served, names: list[str]) -> None:
    """Who did what and why."""
    page.goto(f"{managed.address}/manage")
    page.get_by_role("link", name="Log").click()
    log = page.locator("tbody")
    for words in ("campaign create", "pilot went well", "annotator drop", "annotator restore", "a second look", *names):
        expect(log).to_contain_text(words)
    page.get_by_label("What").select_option("annotator drop")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tbody tr")).to_have_count(3)
