"""Renew the pictures that README.md and docs/ show: the demo's report, task and manager's pages, its world, and all parts.

Needs Chromium (apt-get install chromium) beside what `make install` sets up.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from tests.browser.conftest import find_program

from regauge.workflows.demo.flow import run_demo
from regauge.workflows.demo.life import RUNNING
from regauge.workflows.demo.rendering import count_processors
from regauge.workflows.demo.review import REVIEW
from regauge.workflows.studies.study import Circumstances
from regauge.world.collections import Sizes, make_world

DOCS = Path(__file__).resolve().parents[1] / "docs"
IMAGES = DOCS / "images"
N_COLUMNS, N_ROWS, SIDE = 12, 4, 112
SCREEN = ViewportSize(width=1180, height=760)
WIDTH = 1000

PICTURES = """() => [...document.images].filter((image) => {
  const { top, bottom } = image.getBoundingClientRect();
  return image.checkVisibility() && bottom > 0 && top < innerHeight;
})"""
"""The pictures on the screen; those below it may wait until somebody scrolls to them."""
HAVE_COME = f"() => ({PICTURES})().every((image) => image.complete && image.naturalWidth)"
ARE_PAINTED = f"""async () => {{
  await Promise.allSettled(({PICTURES})().map((image) => image.decode()));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}}"""


def draw_world() -> Image.Image:
    """Pictures of the simulated world side by side."""
    pictures = make_world(
        np.random.default_rng(3), sizes=Sizes(training=64, original=N_COLUMNS * N_ROWS, pool=64)
    ).original
    sheet = Image.new("RGB", (N_COLUMNS * SIDE, N_ROWS * SIDE), "white")
    for row in range(N_COLUMNS * N_ROWS):
        y, x = divmod(row, N_COLUMNS)
        sheet.paste(pictures.render(row, SIDE), (x * SIDE, y * SIDE))
    return sheet


@contextmanager
def serve(study: Path) -> Iterator[tuple[str, str]]:
    """The address of the study on a server of its own, and the manager's link."""
    command = [sys.executable, "-m", "regauge", "serve", "--study", str(study), "--guests", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own command
        assert server.stdout is not None  # noqa: S101 - it was asked for
        try:
            yield server.stdout.readline().split()[-1], server.stdout.readline().split()[-1]
        finally:
            server.terminate()


def wait_for_pictures(page: Page) -> None:
    """Until all pictures on the screen are there and painted; on a busy machine that comes well after the page."""
    page.wait_for_load_state()
    page.wait_for_function(HAVE_COME)
    page.evaluate(ARE_PAINTED)


def shoot(page: Page, path: Path, *, is_whole: bool = False) -> None:
    """What the screen shows, or the whole page, at the width of the README."""
    wait_for_pictures(page)
    with Image.open(io.BytesIO(page.screenshot(full_page=is_whole))) as screen:
        height = round(screen.height * WIDTH / screen.width)
        screen.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS).save(path, quality=85, optimize=True)


def shoot_look(browser: Browser) -> None:
    """The page that shows all parts."""
    page = browser.new_page(viewport=SCREEN)
    page.goto((DOCS / "look.html").as_uri())
    shoot(page, IMAGES / "look.jpg", is_whole=True)


def shoot_report(browser: Browser, page_file: Path) -> None:
    """The first screen of the report: findings and the headline figure."""
    page = browser.new_page(viewport=ViewportSize(width=SCREEN["width"], height=900))
    page.goto(page_file.as_uri())
    page.locator("#findings").wait_for()
    shoot(page, IMAGES / "report.jpg")


def shoot_tasks(browser: Browser, address: str) -> None:
    """A grid with some images selected, and an image with its candidates, as a guest sees them."""
    page = browser.new_page(viewport=SCREEN)
    page.goto(address)
    page.get_by_role("button", name="Try it as a guest").click()
    page.locator("a[href*='/campaigns/']").first.wait_for()
    for campaign, keys, name in ((2, ("Space", "ArrowRight", "Space"), "contains"), (3, ("1",), "classify")):
        page.goto(f"{address}/campaigns/{campaign}")
        agree = page.get_by_role("button", name="I agree")
        page.locator(".cell, .choice, button:has-text('I agree')").first.wait_for()
        if agree.is_visible():
            agree.click()
        page.locator(".cell, .choice").first.wait_for()
        # What was not shown cannot be selected.
        wait_for_pictures(page)
        for key in keys:
            page.keyboard.press(key)
        shoot(page, IMAGES / f"{name}.jpg")


def shoot_manager(browser: Browser, address: str, link: str) -> None:
    """The manager's pages: the study at a glance, the campaign that people work on, its annotators and an image."""
    page = browser.new_page(viewport=SCREEN)
    page.goto(link)
    page.wait_for_url("**/manage")
    shoot(page, IMAGES / "manage-overview.jpg")
    page.get_by_role("link", name=RUNNING, exact=True).click()
    shoot(page, IMAGES / "manage-campaign.jpg")
    page.locator(".tabs").get_by_role("link", name="Annotators").click()
    shoot(page, IMAGES / "manage-annotators.jpg")
    page.goto(f"{address}/manage/campaigns/2/images")
    page.locator(".gallery a").first.click()
    page.wait_for_load_state("networkidle")
    shoot(page, IMAGES / "manage-image.jpg")
    shoot_draw(page, address)
    shoot_truth(page, address)


def shoot_draw(page: Page, address: str) -> None:
    """A class of a drawn test set under review, with two images removed."""
    page.goto(f"{address}/manage/testsets/new/0")
    page.locator("#foresight:not(:empty)").wait_for()
    for number in "37":
        page.keyboard.press(number)
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("1")
        page.get_by_role("dialog").wait_for(state="hidden")
    page.wait_for_load_state("networkidle")
    shoot(page, IMAGES / "manage-draw.jpg")


def ask_reviewer(study: Path) -> str:
    """Begin a review of answers that have no verdict yet; gives the link of somebody who is invited to it."""

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "regauge", *words, "--study", str(study)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own command

    options = ("--test-set", "new", "--labels", "simulated-reviewed", "--references", "original", "--seed", "1")
    run("campaign", "create", "review", "experts", *options)
    run("campaign", "open", "experts")
    return run("campaign", "invite", "--count", "1").split()[-1]


def shoot_review(browser: Browser, address: str, link: str) -> None:
    """An image with the labels that are to be judged, as a reviewer sees it."""
    page = browser.new_page(viewport=SCREEN)
    page.goto(f"{address}/join#{link.partition('#')[2]}")
    page.get_by_role("link", name="experts").click()
    page.get_by_role("button", name="I agree").click()
    page.locator(".verdicts").first.wait_for()
    wait_for_pictures(page)
    page.keyboard.press("c")
    shoot(page, IMAGES / "review.jpg")


def shoot_truth(page: Page, address: str) -> None:
    """What managers see of a review: its items, and the card of a class that was searched for."""
    page.goto(f"{address}/manage")
    page.get_by_role("link", name=REVIEW, exact=True).click()
    page.locator(".tabs").get_by_role("link", name="Items").click()
    shoot(page, IMAGES / "review-items.jpg")
    page.goto(f"{address}/manage/classes")
    page.locator("#finder input").fill("flower")
    page.keyboard.press("Enter")
    page.locator("#card :is(h2, h3)").first.wait_for()
    page.evaluate("scrollTo(0, 0)")
    shoot(page, IMAGES / "classes.jpg")


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    draw_world().save(IMAGES / "world.jpg", quality=88)
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        demo = run_demo(Path(folder) / "demo", around=around, n_processes=count_processors())
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=find_program(), args=arguments)
        shoot_look(browser)
        shoot_report(browser, demo.report.page)
        invitation = ask_reviewer(demo.study)
        with serve(demo.study) as (address, link):
            shoot_tasks(browser, address)
            shoot_review(browser, address, invitation)
            shoot_manager(browser, address, link)
        browser.close()
    print(f"Written to {IMAGES}.")


if __name__ == "__main__":
    main()
