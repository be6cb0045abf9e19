"""Slices of fast images hold the images that people and models are compared on as fast, and score them alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.command_runner import write

from regauge.records.slices.rules import ImageRule, ProblematicImages
from regauge.records.studies import Selection
from regauge.storage.study import Study
from regauge.workflows.evaluation.humans import study_humans
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.slices.creating import SliceRequest, create_slice
from regauge.workflows.slices.reading import open_slice
from regauge.workflows.slices.scoring import score_study_slice
from regauge.workflows.testsets.test_set import add_test_set

IMAGES = [f"p{number}" for number in range(8)]
ABOVE = float(np.nextafter(np.float32(60), np.float32(61)))
# Medians: 20, 60, just above 60 though its rounding is 60, 61, unknown, 30 (one of two), 50 and problematic, nobody answered.
ANN = [10, 60, 60, 61, "", 30, 50, None]
BOB = [30, 60, ABOVE, 61, "", "", 50, None]
FAST = ["p0", "p1", "p5", "p6"]


@pytest.fixture
def timed(study: Study, tmp_path: Path) -> Study:
    """Two people, who answered all images but the last, a model, and labels of which one image is problematic."""
    head = "image_id,class,seconds,kind\n"
    rows = {
        name: [f"{one},{index},{taken},person\n" for one, taken in zip(IMAGES, times, strict=True) if taken is not None]
        for name, times, index in (("ann", ANN, 0), ("bob", BOB, 1))
    }
    verdict = '{{"image_id":"{}","correct":[0],"wrong":[1],"problematic":{}}}\n'
    files = {
        "val.csv": "image_id,label\n" + "".join(f"{one},0\n" for one in IMAGES),
        "panel.jsonl": "".join(verdict.format(one, "true" if one == "p6" else "false") for one in IMAGES),
        "people/ann.csv": head + "".join(rows["ann"]),
        "people/bob.csv": head + "".join(rows["bob"]),
        "model.csv": "image_id,class\n" + "".join(f"{one},{n % 2}\n" for n, one in enumerate(IMAGES)),
    }
    write(tmp_path, files)
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "val.csv")
        add_predictions(begun, PredictionSource([tmp_path / "people", tmp_path / "model.csv"]), allow_missing=True)
        add_labels(begun, tmp_path / "panel.jsonl", name="panel")
    return study


def slice_fast(study: Study, name: str, problematic: ProblematicImages) -> list[str]:
    rule = ImageRule(max_seconds=60.0, problematic=problematic)
    with study.begin() as begun:
        create_slice(begun, SliceRequest(name, rule, labels="panel"))
        found: list[str] = open_slice(begun, name).chosen.image_ids.tolist()
    return found


def test_a_slice_of_fast_images_holds_those_that_people_and_models_are_compared_on(timed: Study):
    chosen = slice_fast(timed, "fast", ProblematicImages.KEEP)
    counted = slice_fast(timed, "counted", ProblematicImages.LEAVE_OUT)
    assert chosen == FAST
    assert counted == [one for one in FAST if one != "p6"]
    with timed.begin() as begun:
        report = study_humans(begun, Selection("val", ("panel",)), n_bootstrap=100, n_draws=100)
        scores = score_study_slice(begun, "fast", is_strict=True)
    n_fast = report.get_table("fast_images").filter(rule="<= 60 s")["n_fast"].item()
    assert n_fast == len(chosen)
    rows = report.get_table("accuracies").filter(pl.col("subset") == "fast images", metric="multilabel_strict")
    table = {row["participant"]: (row["n"], row["n_correct"]) for row in rows.iter_rows(named=True)}
    for one in scores.scores:
        assert (one.correct.n, one.correct.k) == table[one.participant], one.participant
    assert table["ann"] == (len(counted), len(counted))
