"""The 67 models of Recht et al. (2019), scored from their released predictions: every count, and Table 1's intervals."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.scoring import score

SETS = ("val", "matched_frequency", "threshold07")
ORIGINAL = "original labels"
ESTIMATE = re.compile(r"([\d.]+) \[([\d.]+), ([\d.]+)\]")


@pytest.fixture(scope="module")
def scores(published: Path) -> dict[str, Scores]:
    """All models on the three test sets; on the first also under ReaL labels, where its own labels take part."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in ("recht2019_imagenet_top1.npz", "recht2019_imagenet_top2to5.npz"):
        with np.load(published / name, allow_pickle=False) as archive:
            arrays |= {key: archive[key] for key in archive.files}
    return {name: score_set(name, arrays, published) for name in SETS}


def score_set(name: str, arrays: dict[str, NDArray[Any]], published: Path) -> Scores:
    ids, labels = arrays[f"{name}_ids"], arrays[f"{name}_labels"]
    if name == "val":
        ids = np.array([f"ILSVRC2012_val_{number:08d}" for number in ids.tolist()])
    predictions = [
        Predictions(model, ids, np.concatenate([first[:, np.newaxis], rest], axis=1))
        for model, first, rest in zip(
            arrays["models"].tolist(), arrays[f"{name}_top1"], arrays[f"{name}_top2to5"], strict=True
        )
    ]
    test_set = TestSet(name, ids, labels)
    settings = ScoreSettings(n_bootstrap=100)
    if name != "val":
        return score(predictions, test_set, settings=settings)
    # The labels come in reverse order, so that a score by position would be far off.
    original = Predictions(ORIGINAL, ids[::-1], labels[::-1])
    return score([*predictions, original], [test_set, published / "real2020_labels.json"], settings=settings)


@pytest.fixture(scope="module")
def counts(published: Path) -> list[dict[str, str]]:
    with (published / "recht2019_accuracy_counts.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("metric", ["top1", "top5"])
@pytest.mark.parametrize("test_set", SETS)
def test_every_model_is_right_as_often_as_the_release_says(
    scores: dict[str, Scores], counts: list[dict[str, str]], test_set: str, metric: str
) -> None:
    expected = {row["model"]: int(row[f"{test_set}_{metric}"]) for row in counts}
    rows = scores[test_set].to_frame().filter(metric=metric, subset="all")
    found = dict(rows.select("participant", "n_correct").rows())
    found.pop(ORIGINAL, None)
    assert len(expected) == 67
    assert found == expected
    assert set(rows["n"]) == {50_000 if test_set == "val" else 10_000}


def test_every_model_is_right_under_real_labels_as_often_as_counted(
    scores: dict[str, Scores], counts: list[dict[str, str]]
) -> None:
    rows = scores["val"].to_frame().filter(metric="real", subset="all")
    found = {model: (n_correct, n) for model, n_correct, n in rows.select("participant", "n_correct", "n").rows()}
    found.pop(ORIGINAL)
    assert found == {row["model"]: (int(row["real_correct"]), int(row["real_images"])) for row in counts}


@pytest.mark.parametrize(("participant", "percent"), [(ORIGINAL, 90.02), ("resnet50", 82.96)])
def test_real_accuracies_are_the_published_ones(scores: dict[str, Scores], participant: str, percent: float) -> None:
    row = scores["val"].get(participant, "real")
    assert row.value is not None
    assert round(100 * row.value, 2) == percent
    # 3,163 of the 50,000 images have no ReaL label.
    assert row.n == 46_837


def test_the_original_labels_agree_with_themselves(scores: dict[str, Scores]) -> None:
    assert scores["val"].get(ORIGINAL, "top1").n_correct == 50_000


def test_classes_of_equal_size_have_a_balanced_mean_equal_to_the_plain_one(scores: dict[str, Scores]) -> None:
    for one in scores.values():
        for metric in ("top1", "top5"):
            plain = dict(one.to_frame().filter(metric=metric).select("participant", "value").rows())
            balanced = dict(one.to_frame().filter(metric=f"{metric}_balanced").select("participant", "value").rows())
            assert balanced == pytest.approx(plain, abs=1e-12)


def test_table_1_is_reproduced_with_its_intervals(scores: dict[str, Scores], published: Path) -> None:
    figures = json.loads((published / "published_figures.json").read_text(encoding="utf-8"))
    table = [figure for figure in figures if figure["figure"].startswith("Table 1 ImageNet, ")]
    assert len(table) == 8
    for figure in table:
        model = figure["figure"].removeprefix("Table 1 ImageNet, ")
        for decimals, printed in ((2, figure["recomputed"]), (1, figure["published"])):
            found = [scores[name].get(model, "top1") for name in ("val", "matched_frequency")]
            estimates = [
                tuple(f"{100 * (number or 0):.{decimals}f}" for number in (one.value, one.low, one.high))
                for one in found
            ]
            assert estimates == ESTIMATE.findall(printed), model


def test_no_model_is_suspected_of_disorder(scores: dict[str, Scores]) -> None:
    assert {name: one.warnings for name, one in scores.items()} == dict.fromkeys(SETS, ())
