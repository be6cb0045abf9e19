"""A walk through all pages: those of annotators and those of the manager, with people, answers, a quiz and labels on them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect
from tests.browser.browser_visitor import IMAGES_HAVE_COME, Meet, settle
from tests.browser.manager import Worker, open_manager
from tests.browser.quiz_study import GRIDS, add_quizzes
from tests.browser.server_process import DRAFT, GRID, LABELS, SHORT, Served, make_served_study, open_served

MANAGER_PATHS = {
    "overview": "/manage",
    "campaign": f"/manage/campaigns/{GRID}",
    "draft": f"/manage/campaigns/{DRAFT}",
    "annotators": f"/manage/campaigns/{GRID}/annotators",
    "images": f"/manage/campaigns/{GRID}/images",
    "image": f"/manage/campaigns/{GRID}/images/0",
    "labels": f"/manage/campaigns/{GRID}/labels",
    "labels of objects": f"/manage/campaigns/{SHORT}/labels",
    "new": "/manage/campaigns/new",
    "guide": "/manage/guide",
    "guide entry": "/manage/guide/2",
    "classes": "/manage/classes#1",
    "relations": "/manage/relations",
    "people": "/manage/people",
    "log": "/manage/log",
}


@contextmanager
def serve_all(folder: Path, browser: Browser) -> Iterator[Served]:
    """A server on a study with all kinds of campaigns, on which two people have worked."""
    served = Served(make_served_study(folder))
    with open_served(served.folder) as study, study.begin() as begun:
        add_quizzes(begun)
    served.start()
    try:
        for is_careless in (False, True):
            worker = Worker.come_in(browser, served, served.invite()[1], is_careless=is_careless)
            worker.agree(GRID)
            for _ in range(4):
                worker.work(GRID)
        yield served
    finally:
        served.end(signal.SIGKILL)


def tour(meet: Meet, served: Served, **options: Any) -> Iterator[tuple[str, Page]]:
    """One page after the other, each with its name, in a browser with these options."""
    yield from tour_tasks(meet, served, **options)
    yield from tour_managing(meet, served, **options)


def tour_tasks(meet: Meet, served: Served, **options: Any) -> Iterator[tuple[str, Page]]:
    """What strangers and annotators see."""
    visitor = meet(served, **options)
    visitor.allowed = ("status of 403", "status of 404")
    page = visitor.open_tab()
    page.goto(served.address)
    yield "welcome", page
    page.goto(f"{served.address}/join#wrong")
    expect(page.get_by_role("heading", name="This link does not work")).to_be_visible()
    yield "join", page
    page = visitor.come_in()
    yield "home", page
    page.goto(f"{served.address}/me")
    yield "own", page
    page.goto(f"{served.address}/campaigns/99")
    yield "error", page
    page.goto(f"{served.address}/campaigns/{SHORT}/thanks")
    yield "thanks", page
    for name, campaign in (("grid", GRID), ("classify", LABELS)):
        page.goto(f"{served.address}/campaigns/{campaign}")
        yield f"consent to {name}", page
        page.get_by_role("button", name="I agree").click()
        settle(page)
        page.keyboard.press("1" if campaign == LABELS else "Space")
        yield name, page
        page.keyboard.press("z")
        page.locator("dialog.zoom[open]").wait_for()
        yield f"enlarged {name}", page
        page.keyboard.press("Escape")
        page.keyboard.press("h")
        page.locator("#help[open]").wait_for()
        yield f"help of {name}", page
        page.keyboard.press("Escape")
    yield from _tour_quiz(page, served)


def _tour_quiz(page: Page, served: Served) -> Iterator[tuple[str, Page]]:
    page.goto(f"{served.address}/campaigns/{GRIDS}")
    page.get_by_role("button", name="I agree").click()
    page.locator("#examples img").first.wait_for()
    page.evaluate(IMAGES_HAVE_COME)
    yield "training", page
    page.get_by_role("button", name="Begin the quiz").click()
    page.locator("#quiz-picture img").wait_for()
    page.evaluate(IMAGES_HAVE_COME)
    yield "quiz", page


def tour_managing(meet: Meet, served: Served, **options: Any) -> Iterator[tuple[str, Page]]:
    """What the manager sees."""
    page = open_manager(meet, served, **options)
    for name, path in MANAGER_PATHS.items():
        page.goto(f"{served.address}{path}")
        page.wait_for_load_state()
        yield name, page
    page.goto(f"{served.address}/manage/people")
    page.get_by_role("button", name="Erase").first.click()
    page.get_by_role("dialog").wait_for()
    yield "erasure", page
