"""How long a reviewer waits for the next image in Chromium, of 100,000 labels, beside a page that only swaps images."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from sqlalchemy import select
from tests.browser.conftest import find_program
from tests.browser.server_process import Served

from benchmarks.bench_pages import draw_images, serve_files
from benchmarks.harness import Workload, format_table
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, Kind, NewAnswer
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.campaigns.assignments import insert_assignments
from regauge.storage.database.schema import tasks
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.labels.versions import store_truth
from regauge.workflows.people.invitations import Invitation, invite_many
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_TASKS = 20_000
N_LABELS = 5
"""Of each image."""
N_DONE = 5_000
"""Tasks that three reviewers have answered, the one in the browser among them."""
N_REVIEWERS = 3
N_CLASSES = 1_000
N_FILES = 400
N_NEXT = 100
SECONDS_TO_LOOK = 0.5
"""Nobody judges five labels in less."""
LIMIT = 100.0
BATCH = 500
SEED = 5
SCREEN: Any = {"width": 1366, "height": 768}

WATCH = """
(() => {
  const shown = () => document.querySelector("#enlarge img");
  const isWhole = (one) => one?.complete && one.naturalWidth > 0;
  const until = (isReached, done) =>
    requestAnimationFrame(() => (isReached() ? requestAnimationFrame(done) : until(isReached, done)));
  window.nextImage = () => new Promise((done) => {
    const before = shown();
    addEventListener("keydown", (event) => {
      const begun = event.timeStamp;
      until(() => shown() !== before && isWhole(shown()), () => done(performance.now() - begun));
    }, {capture: true, once: true});
  });
})();
"""
"""Moments are those of the second frame in which the next image is there: by then the first has been shown."""

BARE = """
<div id="enlarge"></div>
<script>
  const pictures = Array.from({length: %d}, (_, place) => Object.assign(new Image(), {src: `${place}.jpg`}));
  const next = () => document.getElementById("enlarge").replaceChildren(pictures.shift());
  addEventListener("keydown", next);
  next();
</script>
"""
"""All images are there before the first key."""


def make_study(folder: Path) -> tuple[Path, Invitation]:
    """A study whose review is a quarter done, with a label set beside it; and one of its reviewers."""
    draw_images(folder / "images", N_FILES)
    rows = [f"{number},{number % N_CLASSES},{number % N_FILES}.jpg\n" for number in range(N_TASKS)]
    (folder / "images" / "images.csv").write_text("image_id,label,file\n" + "".join(rows), encoding="utf-8")
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(SEED), who="bench")
    study = init_study(folder / "study", taxonomy="imagenet-1k", around=around)
    try:
        with study.begin() as begun:
            add_test_set(begun, folder / "images" / "images.csv", name="images", images=folder / "images")
            campaign = ask(begun)
            invited = invite_many(begun, N_REVIEWERS)
            for one in invited:
                consent(begun, campaign.id, annotator_id=one.annotator.id, version=campaign.plan.texts.version)
        for one in invited:
            answer_first(study, campaign, one)
    finally:
        study.close()
    return study.paths.folder, invited[0]


def ask(study: Study) -> CampaignEntry:
    """A review by image of labels that a label set with one verdict on each image says nothing of."""
    ids = [str(number) for number in range(N_TASKS)]
    known = LabelSet.from_lists("known", ids, correct=[[number % N_CLASSES] for number in range(N_TASKS)])
    store_truth(study, Truth(label_sets=(known,)), name="known", provenance={})
    pairs = [(one, (int(one) + step) % N_CLASSES) for one in ids for step in range(1, N_LABELS + 1)]
    asked = Questions("images", pairs, settings={"labels": "known"}, seed=SEED)
    create_campaign(study, CampaignPlan("review", Kind("review"), N_REVIEWERS), asked)
    return open_campaign(study, "review")


def answer_first(study: Study, campaign: CampaignEntry, who: Invitation) -> None:
    """Let a reviewer answer the first tasks."""
    with study.read() as begun:
        query = select(tasks.c.id, tasks.c.payload).where(tasks.c.campaign_id == campaign.id)
        first = begun.connection.execute(query.order_by(tasks.c.position).limit(N_DONE)).all()
    for start in range(0, N_DONE, BATCH):
        part = first[start : start + BATCH]
        with study.begin() as begun:
            given = insert_assignments(
                begun, [row.id for row in part], annotator_id=who.annotator.id, expires_at=begun.around.now()
            )
            answers = [
                NewAnswer(f"bench-{own}", own, who.annotator.id, _judge(row.payload), 5.0)
                for own, row in zip(given, part, strict=True)
            ]
            submit_answers(begun, answers)


def _judge(task: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"verdicts": {str(index): "wrong" for index in task["classes"]}}


def time_ours(browser: Browser, served: Served, who: Invitation) -> list[float]:
    """Milliseconds from the key that submits an image until the next one is on the screen, image after image."""
    page = browser.new_context(viewport=SCREEN).new_page()
    page.add_init_script(WATCH)
    page.goto(f"{served.address}/join#{who.token}")
    page.wait_for_url(f"{served.address}/")
    page.goto(f"{served.address}/campaigns/1")
    page.locator("#enlarge img").wait_for()
    found = list(time_images(page, N_LABELS))
    page.context.close()
    return found


def time_bare(browser: Browser, folder: Path) -> list[float]:
    """A page with nothing but the image, and the others at hand."""
    (folder / "bare.html").write_text(BARE % (N_NEXT + 1), encoding="utf-8")
    with serve_files(folder) as address:
        page = browser.new_context(viewport=SCREEN).new_page()
        page.add_init_script(WATCH)
        page.goto(f"{address}/bare.html", wait_until="networkidle")
        found = list(time_images(page, 0))
        page.context.close()
    return found


def time_images(page: Page, n_labels: int) -> Iterator[float]:
    for _ in range(N_NEXT):
        page.wait_for_timeout(1_000 * SECONDS_TO_LOOK)
        for _ in range(n_labels):
            page.keyboard.press("w")
        waiting = page.evaluate_handle("({moment: window.nextImage()})")
        page.keyboard.press("Enter")
        yield float(waiting.evaluate("(one) => one.moment"))


def run() -> Workload:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, who = make_study(Path(name))
        served = Served(folder)
        served.start()
        browser = playwright.chromium.launch(executable_path=find_program(), args=["--no-sandbox"])
        try:
            bare, ours = time_bare(browser, Path(name) / "images"), time_ours(browser, served, who)
        finally:
            browser.close()
            served.end()
    floor = find_share(bare, 95)
    rows = [
        describe("ours: next image is shown after the submitting key", ours, floor),
        describe("floor: a page that only swaps images", bare, floor),
    ]
    head = ("what", "times", "median", "95th percentile", "worst", "95th / floor")
    return Workload(
        "Review in Chromium",
        f"{N_TASKS * N_LABELS:,} labels in {N_TASKS:,} tasks, {N_DONE:,} of which {N_REVIEWERS} reviewers have answered; "
        f"verdicts of a label set stand beside every image. A reviewer looks at each image for {SECONDS_TO_LOOK:g} s. The next "
        f"one is to be there within {LIMIT:.0f} ms at the 95th percentile.",
        (format_table(head, rows),),
    )


def find_share(milliseconds: Sequence[float], percent: int) -> float:
    """The time that so many percent do not exceed."""
    return statistics.quantiles(milliseconds, n=100, method="inclusive")[percent - 1]


def describe(what: str, milliseconds: Sequence[float], floor: float) -> tuple[str, ...]:
    middle, late, worst = statistics.median(milliseconds), find_share(milliseconds, 95), max(milliseconds)
    times = (f"{one:.0f} ms" for one in (middle, late, worst))
    return what, f"{len(milliseconds)}", *times, f"{late / floor:.2f}"


if __name__ == "__main__":
    print(run().to_markdown())
