"""How long an annotator waits for a grid in Chromium: the first one, and the next, beside a bare page with the same images."""

from __future__ import annotations

import re
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from tests.browser.conftest import find_program
from tests.browser.server_process import Served

from benchmarks.harness import Workload, format_table
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.responses.answers import GridShape
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.studies.study import Circumstances, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_CELLS = 48
N_IMAGES = 1_200
N_CLASSES = 10
N_FIRST = 5
N_NEXT = 25
IMAGE_BYTES = 25_000
SEED = 48
SCREEN: Any = {"width": 1366, "height": 768}

WATCH = """
(() => {
  const images = () => [...document.querySelectorAll("img")].filter((one) => one.getClientRects().length);
  const isWhole = () => images().length >= 48 && images().every((one) => one.complete && one.naturalWidth);
  const until = (isReached, done) =>
    requestAnimationFrame(() => (isReached() ? requestAnimationFrame(done) : until(isReached, done)));
  window.firstGrid = new Promise((done) => until(isWhole, () => done(performance.now())));
  window.nextGrid = () => new Promise((done) => {
    const before = images()[0].src;
    addEventListener("keydown", (event) => {
      const begun = event.timeStamp;
      until(() => isWhole() && images()[0].src !== before, () => done(performance.now() - begun));
    }, {capture: true, once: true});
  });
})();
"""
"""Moments are those of the second frame in which all images of a grid are there: by then the first has been shown."""


def draw_images(folder: Path, n_images: int = N_IMAGES) -> None:
    """Photographs of a kind: large shapes with grain, as JPEGs of about 25 kB, which is also what the server makes of them."""
    folder.mkdir()
    rng = np.random.default_rng(SEED)
    lines = ["image_id,label,file"]
    for number in range(n_images):
        shapes = Image.fromarray(rng.integers(0, 255, (9, 12, 3), dtype=np.uint8)).resize(
            (500, 375), Image.Resampling.BICUBIC
        )
        grain = rng.normal(0, 2, (375, 500, 1))
        pixels = np.clip(np.asarray(shapes) + grain, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{number}.jpg", quality=85)
        lines.append(f"{number},{number % N_CLASSES},{number}.jpg")
    (folder / "images.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def make_study(folder: Path) -> Path:
    """A study with a campaign of grids of 48."""
    draw_images(folder / "images")
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(SEED), who="bench")
    study = init_study(
        folder / "study",
        taxonomy="cifar-10",
        around=around,
    )
    try:
        with study.begin() as begun:
            add_test_set(begun, folder / "images" / "images.csv", name="images", images=folder / "images")
            questions = ContainsQuestions(shape=GridShape(N_CELLS, n_positive=3, n_negative=3), seed=SEED)
            create_contains(begun, CampaignPlan("grids", Kind("contains"), 2 * N_FIRST + 2), questions)
            open_campaign(begun, "grids")
    finally:
        study.close()
    return study.paths.folder


def wait_until_painted(served: Served) -> None:
    """The server makes images ready in the background; here that ends before anything is timed."""
    while len(list(served.folder.glob("cache/renditions/*/*.jpg"))) < N_IMAGES:
        time.sleep(0.5)


def time_first(browser: Browser, served: Served, *, is_cold: bool) -> tuple[float, int, int]:
    """A browser that has never been here: milliseconds until a grid can be used, bytes, and requests.

    Where the server is cold, its images are not made ready yet, as when somebody comes in the moment a campaign opens.
    """
    _, link = served.invite()
    context = browser.new_context(viewport=SCREEN)
    page = context.new_page()
    agree(page, served, link)
    page.wait_for_load_state("networkidle")
    # The images must come anew: a new context keeps the session and nothing else.
    fresh = browser.new_context(viewport=SCREEN, storage_state=context.storage_state())
    context.close()
    if is_cold:
        shutil.rmtree(served.folder / "cache" / "renditions")
    page = fresh.new_page()
    page.add_init_script(WATCH)
    page.goto(f"{served.address}/campaigns/1")
    milliseconds: float = page.evaluate("window.firstGrid")
    sizes: list[int] = page.evaluate(
        "['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind)).map((one) => one.transferSize)"
    )
    fresh.close()
    return milliseconds, sum(sizes), len(sizes)


def time_next(browser: Browser, served: Served) -> list[float]:
    """Milliseconds from the key that submits a grid until the next one is on the screen, grid after grid."""
    _, link = served.invite()
    page = browser.new_context(viewport=SCREEN).new_page()
    page.add_init_script(WATCH)
    agree(page, served, link)
    page.evaluate("window.firstGrid")
    found = []
    for _ in range(N_NEXT):
        # People look at a grid for a while; meanwhile the next one is fetched.
        page.wait_for_timeout(1_000)
        page.keyboard.press("Space")
        waiting = page.evaluate_handle("({moment: window.nextGrid()})")
        page.keyboard.press("Control+Enter")
        found.append(float(waiting.evaluate("(one) => one.moment")))
    page.context.close()
    return found


def agree(page: Page, served: Served, link: str) -> None:
    """Come in and begin."""
    page.goto(link)
    page.wait_for_url(f"{served.address}/")
    page.goto(f"{served.address}/campaigns/1")
    page.get_by_role("button", name=re.compile("I agree")).click()
    page.locator("#grid img").first.wait_for()


def time_bare(browser: Browser, folder: Path) -> list[float]:
    """A page with nothing but 48 of the images, from a server of files."""
    (folder / "bare.html").write_text("".join(f'<img src="{number}.jpg" width="150">' for number in range(N_CELLS)))
    found = []
    with serve_files(folder) as address:
        for _ in range(N_FIRST):
            page = browser.new_context(viewport=SCREEN).new_page()
            page.add_init_script(WATCH)
            page.goto(f"{address}/bare.html")
            found.append(float(page.evaluate("window.firstGrid")))
            page.context.close()
    return found


@contextmanager
def serve_files(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def run() -> Workload:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        served = Served(make_study(Path(name)))
        served.start()
        browser = playwright.chromium.launch(executable_path=find_program(), args=["--no-sandbox"])
        try:
            wait_until_painted(served)
            time_first(browser, served, is_cold=False)
            first = [time_first(browser, served, is_cold=False) for _ in range(N_FIRST)]
            cold = [time_first(browser, served, is_cold=True) for _ in range(N_FIRST)]
            later, bare = time_next(browser, served), time_bare(browser, Path(name) / "images")
        finally:
            browser.close()
            served.end()
    _, n_bytes, n_requests = first[0]
    rows = [
        _describe("ours: first grid can be used", [moment for moment, _, _ in first]),
        _describe("ours: first grid, in the moment a campaign opens", [moment for moment, _, _ in cold]),
        _describe("ours: next grid is shown after the submitting key", later),
        _describe(f"floor: a bare page with {N_CELLS} such images", bare),
    ]
    head = ("what", "times", "median", "worst")
    weight = (
        f"The page with its first grid is {n_bytes / 1e6:.2f} MB in {n_requests} requests; every image is coded anew at one "
        "size and quality."
    )
    return Workload(
        "A grid in Chromium",
        f"{N_CELLS} images of about {IMAGE_BYTES // 1000} kB on loopback; a browser that was never there before, then {N_NEXT} "
        "grids in a row.",
        (format_table(head, rows), weight),
    )


def _describe(what: str, milliseconds: Sequence[float]) -> tuple[str, str, str, str]:
    middle, worst = statistics.median(milliseconds), max(milliseconds)
    return what, f"{len(milliseconds)}", f"{middle:.0f} ms", f"{worst:.0f} ms"


if __name__ == "__main__":
    print(run().to_markdown())
