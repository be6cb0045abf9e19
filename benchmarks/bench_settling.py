"""What a review of 67 models on 50,000 images asks and settles: bounds of all pairs, the queue, and its tasks in the database."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tests.conftest import find_shared

from benchmarks.harness import Role, Variant, Workload, compare, format_seconds, format_table
from regauge.evaluation.reviews.bounds import find_pair_bounds
from regauge.evaluation.reviews.queues import list_open_queue
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.evaluation.reviews import ReviewField, ReviewMetric
from regauge.records.labels.label_set import LabelSet, Unlisted
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

ANSWERS, REAL = "recht2019_imagenet_top1.npz", "real2020_labels.json"
BOUNDS_LIMIT, QUEUE_LIMIT, TASKS_LIMIT = 2.0, 1.0, 15.0
SEED = 67


class _GivenUpError(Exception):
    """A transaction that is to leave nothing behind."""


def load_field(folder: Path) -> ReviewField:
    """First answers of the 67 models of Recht et al. (2019), with the labels of Beyer et al. (2020) as verdicts so far.

    What their lists do not name counts as unjudged, so that much is open, and images without a label as problematic.
    """
    with np.load(folder / ANSWERS, allow_pickle=False) as released:
        numbers, labels, answers = (released[f"val_{what}"] for what in ("ids", "labels", "top1"))
        models = tuple(released["models"].tolist())
    ids = np.array([f"ILSVRC2012_val_{number:08d}" for number in numbers.tolist()])
    real = json.loads((folder / REAL).read_text(encoding="utf-8"))
    lists = [real[number - 1] for number in numbers.tolist()]
    verdicts = LabelSet.from_lists(
        "real", ids, correct=lists, unlisted=Unlisted.UNJUDGED, is_problematic=[not one for one in lists]
    )
    return ReviewField(TestSet("val", ids, labels.astype(np.int32)), models, answers.astype(np.int32), verdicts)


def compare_bounds(field: ReviewField) -> str:
    n = len(field.participants)
    flags = field.answers == field.test_set.labels
    variants = [
        Variant(
            "find_pair_bounds",
            partial(find_pair_bounds, field, ReviewMetric.STRICT),
            Role.OURS,
            gives="both ends and open items of every pair",
        ),
        Variant(
            "one comparison of every two rows", partial(compare_rows, field.answers), Role.FLOOR, gives="one count"
        ),
        Variant("one product of right answers", partial(multiply, flags), Role.FLOOR, gives="one count"),
    ]
    return compare(
        f"Bounds of {n * (n - 1) // 2:,} pairs, {n} models × {len(field.test_set):,} images",
        variants,
        clock=time.process_time,
    )


def compare_rows(answers: NDArray[np.int32]) -> int:
    """The least that tells where two answer alike."""
    return sum(int(np.count_nonzero(answers[row + 1 :] == answers[row])) for row in range(len(answers) - 1))


def multiply(flags: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The least that counts what two have in common."""
    numbers = flags.astype(np.float32)
    product: NDArray[np.float32] = numbers @ numbers.T
    return product


def compare_queues(field: ReviewField) -> str:
    everything = replace(field, label_set=None)
    keys = np.arange(len(field.test_set), dtype=np.int64) * 1_000 + field.answers
    variants = [
        Variant("list_open_queue, nothing judged", partial(list_open_queue, everything), Role.OURS, gives="the queue"),
        Variant("the same beside verdicts", partial(list_open_queue, field), Role.OURS, gives="what is open"),
        Variant("NumPy sort", partial(np.sort, keys, axis=None), Role.FLOOR, gives="answers in order"),
    ]
    return compare(
        f"The queue of {len(field.participants)} models × {len(field.test_set):,} images",
        variants,
        clock=time.process_time,
    )


def time_tasks(folder: Path, field: ReviewField) -> str:
    """Seconds to make and store the tasks of the whole queue, image by image and in grids, beside the bare rows."""
    Image.new("RGB", (8, 8)).save(folder / "image.png")
    rows = zip(field.test_set.image_ids.tolist(), field.test_set.labels.tolist(), strict=True)
    table = "image_id,label,file\n" + "".join(f"{image_id},{label},image.png\n" for image_id, label in rows)
    (folder / "images.csv").write_text(table, encoding="utf-8")
    around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(SEED), who="bench")
    study = init_study(folder / "study", taxonomy="imagenet-1k", around=around)
    try:
        with study.begin() as begun:
            add_test_set(begun, folder / "images.csv", name="val", images=folder)
        pairs = list_open_queue(replace(field, label_set=None)).pairs
        found = {by: time_campaign(study, pairs, by) for by in ("image", "class-pair")}
    finally:
        study.close()
    floor = time_rows(folder / "bare.db", pairs)
    own = [(f"ours: create_campaign, by {by}", f"{n:,}", seconds) for by, (n, seconds) in found.items()]
    lines = [*own, ("floor: the tasks by image as rows of a new SQLite file", f"{found['image'][0]:,}", floor)]
    head = ("what", "tasks", "time", "/ floor")
    heading = f"**Tasks of {len(pairs):,} items, stored** (once each, processor time)"
    return f"{heading}\n\n" + format_table(
        head, [(what, n, format_seconds(seconds), f"{seconds / floor:.3g}") for what, n, seconds in lines]
    )


def time_campaign(study: Study, pairs: list[tuple[str, int]], by: str) -> tuple[int, float]:
    """Tasks, and the processor time until they are in the database; then they are taken back."""
    n_tasks, begun_at, seconds = 0, time.process_time(), 0.0
    with suppress(_GivenUpError), study.begin() as begun:
        plan = CampaignPlan("review", Kind("review"), 3)
        n_tasks = create_campaign(begun, plan, Questions("val", pairs, settings={"by": by}, seed=SEED)).n_tasks
        seconds = time.process_time() - begun_at
        raise _GivenUpError
    return n_tasks, seconds


def time_rows(path: Path, pairs: list[tuple[str, int]]) -> float:
    """The least that stores tasks: group the pairs by image and write each group as JSON."""
    begun = time.process_time()
    classes: dict[str, list[int]] = {}
    for image_id, index in pairs:
        classes.setdefault(image_id, []).append(index)
    rows = [(place, json.dumps({"images": [place], "classes": own})) for place, own in enumerate(classes.values())]
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table tasks (position integer, payload text)")
        connection.executemany("insert into tasks values (?, ?)", rows)
    connection.close()
    return time.process_time() - begun


def run() -> Workload:
    folder = find_shared() / "published"
    title = "What a review asks and settles"
    if not (folder / ANSWERS).is_file() or not (folder / REAL).is_file():
        return Workload(title, "Not measured: the released answers and labels are not at hand.", ())
    field = load_field(folder)
    with tempfile.TemporaryDirectory() as name:
        sections = (compare_bounds(field), compare_queues(field), time_tasks(Path(name), field))
    return Workload(
        title,
        "First answers of Recht et al. (2019), and the lists of Beyer et al. (2020) as verdicts so far. Bounds are to be there "
        f"within {BOUNDS_LIMIT:g} s, the queue within {QUEUE_LIMIT:g} s, and the tasks within {TASKS_LIMIT:g} s.",
        sections,
    )


if __name__ == "__main__":
    print(run().to_markdown())
