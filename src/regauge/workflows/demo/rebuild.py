"""The demo rebuilds its test set: people see a pool and the original in the same grids, and three strategies draw from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from regauge.arrays import CountArray
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.cells import write_csv
from regauge.records.labels.contains import ContainsSettings
from regauge.records.responses.answers import GridShape
from regauge.records.responses.screening import ScreeningRules
from regauge.records.testsets.pool import DrawSources
from regauge.records.testsets.sampling import Draw, SamplingPlan, Strategy
from regauge.records.testsets.test_set import TestSet
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.demo.crowd import N_CELLS, N_NEGATIVE, N_POSITIVE, CrowdSize, DemoCollections, let_work
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.pools.duplicates import PairRequest, exclude_near_duplicates
from regauge.workflows.pools.pool import BatchRequest, add_batch, prepare_batch
from regauge.workflows.testsets.draws import draw_test_set
from regauge.world.collections import Collection, World

POOL, POOL_FILE, PAIRS_FILE = "pool", "pool.csv", "near-duplicates.csv"
FREQUENCIES = "simulated-frequencies"
"""The campaign and its label set; every page of a task shows the name."""
STRATEGIES: Mapping[str, Strategy] = {
    "new": Strategy.MATCHED_FREQUENCY,
    "new-threshold": Strategy.THRESHOLD,
    "new-top": Strategy.TOP_IMAGES,
}
"""The test sets that are drawn, in the order of Recht et al. (2019, §3.2)."""
HIRING = CrowdSize(quota=14, n_hired=18)
"""More than a candidate needs: some of them do not look, and screening drops their answers."""
MIN_ANNOTATIONS, MIN_ORIGINAL, MIN_POSITIVE = 10, 20, 3


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCollection:
    """A test set that was drawn, with the pictures that it consists of, in its order."""

    draw: Draw
    collection: Collection

    @property
    def name(self) -> str:
        """What the study calls it."""
        return self.collection.name


def write_pool(world: World, folder: Path, *, files: list[str]) -> None:
    """The pool as one gathers it: by which query each image was found, and when, not what is in it; and reviewed pairs."""
    pool = world.pool
    columns = {
        "image_id": pool.image_ids.tolist(),
        "file": files,
        "class": [world.taxonomy.classes[label].id for label in pool.labels.tolist()],
        "query": pool.queries.tolist(),
        "taken_on": pool.taken_on,
        "uploaded_on": pool.uploaded_on,
    }
    write_csv(pl.DataFrame(columns), folder / POOL_FILE)
    pairs = zip(pool.image_ids.tolist(), pool.source_ids.tolist(), strict=True)
    known = {*pool.image_ids.tolist(), *world.original.image_ids.tolist()}
    same = [(copy, source, "same") for copy, source in pairs if source in known]
    if same:
        write_csv(pl.DataFrame(same, schema=["image_a", "image_b", "verdict"], orient="row"), folder / PAIRS_FILE)


def add_pool(study: Study, folder: Path) -> None:
    """Add the candidates; exact duplicates are found at once, near-duplicates are known from a review."""
    add_batch(study, prepare_batch(study, folder / POOL_FILE, request=BatchRequest(name=POOL)))
    if (folder / PAIRS_FILE).exists():
        exclude_near_duplicates(study, [folder / PAIRS_FILE], request=PairRequest())


def ask_about_pool(study: Study, scene: DemoCollections, *, original: str) -> None:
    """Let simulated people say of every candidate, and of many original images, whether it shows its class.

    The other original images are the controls.
    """
    candidates, known = (load_test_set(study, get_test_set(study, name)) for name in (POOL, original))
    asked = _choose_asked(known)
    smallest = int(np.bincount(np.delete(known.labels, asked), minlength=len(study.taxonomy)).min())
    shape = GridShape(N_CELLS, min(N_POSITIVE, smallest), min(N_NEGATIVE, smallest))
    pairs = [
        *zip(candidates.image_ids.tolist(), candidates.labels.tolist(), strict=True),
        *zip(known.image_ids[asked].tolist(), known.labels[asked].tolist(), strict=True),
    ]
    plan = CampaignPlan(FREQUENCIES, Kind("contains"), HIRING.quota, settings={"simulated": True})
    create_contains(study, plan, ContainsQuestions(POOL, pairs, original, shape, also=(original,), seed=0))
    let_work(study, open_campaign(study, FREQUENCIES), scene, hiring=HIRING)
    # One or two controls, of which one may be mislabelled, tell nothing about anybody.
    rules = ScreeningRules() if shape.n_positive >= MIN_POSITIVE else None
    build_labels(study, FREQUENCIES, name=FREQUENCIES, settings=ContainsSettings(rules))


def _choose_asked(known: TestSet) -> CountArray:
    """All images of every class but those that a grid needs as controls; of few images at most half."""
    rows = [np.flatnonzero(known.labels == index) for index in np.unique(known.labels)]
    return np.concatenate([mine[min(N_POSITIVE, len(mine) // 2) :] for mine in rows])


def draw_tests(study: Study, pool: Collection, *, original: str) -> tuple[DrawnCollection, ...]:
    """Draw a test set as large as the original by each strategy; a class that lacks candidates gets fewer images."""
    known = load_test_set(study, get_test_set(study, original))
    per_class = len(known) // len(study.taxonomy)
    n_histogram = int(np.bincount(known.labels[_choose_asked(known)]).min())
    sources = DrawSources((POOL,), original, (FREQUENCIES,))
    row_of = {image_id: row for row, image_id in enumerate(pool.image_ids.tolist())}
    drawn = []
    for name, strategy in STRATEGIES.items():
        plan = SamplingPlan(
            strategy,
            per_class,
            min_annotations=MIN_ANNOTATIONS,
            min_original=max(1, min(MIN_ORIGINAL, n_histogram // 2)),
        )
        found = draw_test_set(study, plan, name=name, sources=sources, allow_short=True).draw
        rows = np.array([row_of[one] for one in found.image_ids.tolist()], np.int64)
        drawn.append(DrawnCollection(found, pool.choose(rows, name=name)))
    return tuple(drawn)
