"""The whole flow on a reduced embedded world: a study with two test sets, evaluated, compared and drawn."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from regauge.errors import InputError
from regauge.records.labels import Verdict
from regauge.workflows.inputs import load_truth
from regauge.workflows.studies import Circumstances, describe_status, open_study
from regauge.workflows.world_demo import WorldDemo, run_world_demo
from regauge.world.collections import Sizes

SMALL = Sizes(training=800, original=192, pool=512)


def make_circumstances() -> Circumstances:
    return Circumstances(clock=lambda: datetime(2026, 1, 1, tzinfo=UTC), rng=np.random.default_rng(0), who="tester")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> WorldDemo:
    folder = tmp_path_factory.mktemp("world") / "demo"
    return run_world_demo(folder, around=make_circumstances(), sizes=SMALL)


def test_the_study_holds_both_sets_with_truth_and_all_models(demo: WorldDemo) -> None:
    study = open_study(demo.study, around=make_circumstances())
    try:
        with study.read() as begun:
            status = describe_status(begun)
    finally:
        study.close()
    assert [entry.name for entry in status.test_sets] == ["original", "new"]
    assert {entry.name for entry in status.label_sets} == {"original-truth", "new-truth"}
    assert len(status.predictions) == 2 * len(demo.shift.models) >= 24
    assert len(status.evaluations) == 1


def test_figures_tables_and_pictures_are_there(demo: WorldDemo) -> None:
    names = {path.name for path in demo.folder.iterdir()}
    assert {"scores.svg", "scores.html", "shift.svg", "shift.html", "scores.csv", "shift.csv", "images.png"} <= names
    assert len(list((demo.folder / "images" / "original").glob("*.png"))) == 192
    with Image.open(demo.folder / "images.png") as sheet:
        assert sheet.size == (1_280, 768)


def test_the_new_set_has_no_image_whose_label_is_plainly_wrong(demo: WorldDemo) -> None:
    truth = load_truth(demo.folder / "new.jsonl")
    assert not truth.label_sets[0].is_problematic.any()
    assert truth.test_set is not None
    assert Verdict.CORRECT in set(truth.label_sets[0].verdicts.tolist())


def test_models_differ_widely_and_are_compared_on_both_sets(demo: WorldDemo) -> None:
    accuracies = [model.original.value for model in demo.shift.models]
    assert max(accuracies) - min(accuracies) > 0.25
    assert demo.shift.fits[0].n_models == len(accuracies)
    assert "multilabel_strict" in set(demo.scores.to_frame()["metric"])


def test_a_second_run_takes_the_folder_of_the_first(demo: WorldDemo) -> None:
    again = run_world_demo(demo.folder, around=make_circumstances(), sizes=SMALL)
    assert again.scores.to_frame().equals(demo.scores.to_frame())
    assert again.shift.to_frame().equals(demo.shift.to_frame())


def test_somebody_elses_folder_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(InputError, match="was not made by the demo"):
        run_world_demo(tmp_path, around=make_circumstances(), sizes=SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
