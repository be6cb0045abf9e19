"""The server is killed while somebody is tested, and they go on in another browser: nothing is lost, doubled or timed anew."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.browser_visitor import LAPTOP, LOST, SETTLED, Visitor
from tests.browser.server_process import Served
from tests.workflows.campaign_studies import write_pictures

from regauge.cli.main import cli
from regauge.workflows.studies.study import Circumstances, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_TASKS = 8
OPEN_SECONDS = 3.0
"""How long an image was open before the server was killed."""


@pytest.fixture
def evaluation(tmp_path: Path) -> Iterator[Served]:
    """A server of its own on a study with an open evaluation of four classes and two sets."""
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(), who="tester")
    study = init_study(tmp_path / "study", taxonomy="cifar-10", around=around)
    with study.begin() as begun:
        for name, first in (("original", 0), ("new", 100)):
            add_test_set(begun, write_pictures(tmp_path / name, n_images=8, prefix=name[0], first=first), name=name)
    study.close()
    for words in (("create", "label", "test", "--sets", "original", "new", "--seed", "3"), ("open", "test")):
        cli.main(["campaign", *words, "--study", str(study.paths.folder)], standalone_mode=False)
    served = Served(study.paths.folder)
    served.start()
    try:
        yield served
    finally:
        served.end(signal.SIGKILL)


def begin(browser: Browser, served: Served, who: tuple[str, str], *, is_new: bool = True) -> tuple[Visitor, Page]:
    """Somebody in a browser that knows nothing of them, in front of an image."""
    visitor = Visitor(served, browser.new_context(viewport=LAPTOP), *who, allowed=LOST)
    page = visitor.come_in()
    page.goto(f"{served.address}/campaigns/1")
    if is_new:
        page.get_by_role("button", name="I agree").click()
    settle(page)
    return visitor, page


def settle(page: Page) -> None:
    page.locator("#finder input").wait_for()
    expect(page.locator("#enlarge img")).to_have_js_property("complete", value=True)
    page.wait_for_timeout(SETTLED)


def name(page: Page, word: str) -> None:
    """Find a class by its name and hand it in."""
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    expect(page.locator("#chosen")).to_contain_text(word)
    page.keyboard.press("Enter")


def name_and_settle(page: Page, word: str) -> None:
    name(page, word)
    expect(page.locator("#chosen")).to_be_hidden()
    settle(page)


def list_seconds(served: Served) -> list[float]:
    """The seconds from image to answer of everything that is stored, in the order in which it came."""
    connection = sqlite3.connect(served.folder / "study.db")
    rows = connection.execute("select shown_seconds from responses order by id").fetchall()
    connection.close()
    return [seconds for (seconds,) in rows]


def test_an_evaluation_goes_on_in_another_browser_after_the_server_was_killed(
    evaluation: Served, browser: Browser
) -> None:
    who = evaluation.invite()
    first, page = begin(browser, evaluation, who)
    for word in ("cat", "dog"):
        name_and_settle(page, word)
    page.wait_for_load_state("networkidle")
    began = time.monotonic()
    page.wait_for_timeout(1_000 * OPEN_SECONDS)
    evaluation.end(signal.SIGKILL)
    evaluation.start()
    second, other = begin(browser, evaluation, who, is_new=False)
    expect(other.locator("#done")).to_contain_text(f"2 of {N_TASKS} done")
    name_and_settle(other, "horse")
    took = time.monotonic() - began
    for place in range(3, N_TASKS):
        name(other, "frog")
        if place < N_TASKS - 1:
            expect(other.locator("#chosen")).to_be_hidden()
            settle(other)
    other.wait_for_url("**/thanks")
    found = evaluation.find_answers(who[0])
    assert [one["answer"]["class"] for one in found] == [3, 5, 7, *[6] * (N_TASKS - 3)]
    assert len({one["payload"]["image"] for one in found}) == N_TASKS
    assert {(one["status"], one["revision"]) for one in found} == {("counted", 0)}
    # The time of the open image goes on from when the first browser showed it.
    assert OPEN_SECONDS < list_seconds(evaluation)[2] < took + 1
    assert first.troubles == second.troubles == []
    first.context.close()
    second.context.close()


def test_an_answer_that_the_killed_server_never_got_is_not_counted_beside_the_one_of_another_browser(
    evaluation: Served, browser: Browser, tmp_path: Path
) -> None:
    who = evaluation.invite()
    first, page = begin(browser, evaluation, who)
    name_and_settle(page, "cat")
    page.wait_for_load_state("networkidle")
    evaluation.end(signal.SIGKILL)
    name(page, "dog")
    expect(page.locator("#status")).to_contain_text("Offline")
    first.context.set_offline(True)
    evaluation.start()
    second, other = begin(browser, evaluation, who, is_new=False)
    expect(other.locator("#done")).to_contain_text(f"1 of {N_TASKS} done")
    name_and_settle(other, "horse")
    first.context.set_offline(False)
    expect(page.locator("#status")).to_have_text("Saved")
    # Both answers are kept, and one of them stands for the image.
    assert [one["answer"]["class"] for one in evaluation.find_answers(who[0])] == [3, 7, 5]
    path = tmp_path / "answers.jsonl"
    cli.main(["campaign", "export", "test", str(path), "--study", str(evaluation.folder)], standalone_mode=False)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(row["class"] for row in rows) == [3, 5]
    assert len({row["image_id"] for row in rows}) == 2
    first.context.close()
    second.context.close()
