"""The 67 released models in the tables of people and models: what all of them miss, all pairs, subsets and consistency."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.evaluation.humans.answers import pick

from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.labels.label_set import LabelSet
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.humans import humans
from regauge.workflows.inputs import TestSetAnswers, load_truth


@pytest.fixture(scope="module")
def arrays(published: Path) -> dict[str, NDArray[Any]]:
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


def make_side(name: str, arrays: dict[str, NDArray[Any]]) -> tuple[list[Predictions], TestSet]:
    ids = arrays[f"{name}_ids"]
    if name == "val":
        ids = np.array([f"ILSVRC2012_val_{number:08d}" for number in ids.tolist()])
    models = zip(arrays["models"].tolist(), arrays[f"{name}_top1"], strict=True)
    return [Predictions(model, ids, classes) for model, classes in models], TestSet(name, ids, arrays[f"{name}_labels"])


@pytest.fixture(scope="module")
def report(arrays: dict[str, NDArray[Any]]) -> HumanReport:
    sides = [TestSetAnswers(*make_side(name, arrays)) for name in ("val", "matched_frequency")]
    return humans(sides[0], sides[1], taxonomy="imagenet-1k", n_bootstrap=100)


def test_2384_images_are_missed_by_all_models_and_1556_of_them_are_objects(report: HumanReport):
    found = {
        group: pick(report, "missed", test_set="val", who="models", group=group) for group in ("all", "objects", "dogs")
    }
    assert {group: (row["n"], row["n_missed"]) for group, row in found.items()} == {
        "all": (50_000, 2_384),
        "objects": (29_500, 1_556),
        "dogs": (5_900, 229),
    }
    # Models err together: of 67 that err independently none would be expected.
    assert all(row["expected_high"] < 1e-20 for row in found.values())
    assert report.get_table("missed_images").filter(test_set="val").height == 2_384


def test_992_remain_under_real_labels_and_641_of_them_are_objects(arrays: dict[str, NDArray[Any]], published: Path):
    models, test_set = make_side("val", arrays)
    truth = load_truth([published / "real2020_labels.json"], taxonomy="imagenet-1k")
    both: list[TestSet | LabelSet] = [test_set, *truth.label_sets]
    found = humans(TestSetAnswers(models, both), taxonomy="imagenet-1k", metric="real", n_bootstrap=100)
    counts = {
        group: (row["n"], row["n_missed"])
        for group in ("all", "objects")
        for row in [pick(found, "missed", who="models", group=group)]
    }
    assert counts["all"][1] == 992
    assert counts["objects"][1] == 641
    assert counts["all"][0] == 50_000 - 3_163


def test_the_subsets_have_their_numbers_of_classes_and_images(report: HumanReport):
    frame = report.get_table("accuracies").filter(participant="resnet50", test_set="val")
    assert {row["subset"]: (row["n_classes"], row["n"]) for row in frame.to_dicts()} == {
        "all": (None, 50_000),
        "without dogs": (882, 44_100),
        "objects": (590, 29_500),
        "organisms": (410, 20_500),
        "dogs": (118, 5_900),
        "other animals": (292, 14_600),
    }


def test_objects_are_harder_for_models_than_as_many_classes_at_random(report: HumanReport):
    for test_set in ("val", "matched_frequency"):
        row = pick(report, "accuracies", participant="models", test_set=test_set, subset="objects")
        assert row["change"] < 0
        assert row["p_subsampling"] == 1 / 1_001


def test_all_pairs_are_one_family(report: HumanReport):
    frame = report.get_table("pairs")
    assert frame.height == 2 * 67 * 66 // 2
    assert (frame["p_holm"] >= frame["p_mcnemar"]).all()
    first = frame.filter(test_set="val", first="pnasnet_large_tf", second="pnasnet5large").to_dicts()[0]
    assert (first["n_only_first"], first["n_only_second"]) == (1_201, 1_140)


def test_models_err_alike(report: HumanReport):
    for test_set in ("val", "matched_frequency"):
        row = pick(report, "mean_consistency", test_set=test_set, first_kind="model")
        assert row["n_pairs"] == 2_211
        assert 0.55 < row["kappa_low"] < row["kappa_high"] < 0.62
