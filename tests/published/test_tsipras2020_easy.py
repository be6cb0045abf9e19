"""Accuracy on images with one object and with several, by what users call, on the released half of the answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regauge import score
from regauge.formats.releases.published import VALIDATION, load_released_set
from regauge.records.evaluation.scores import FOLLOW_UP_ONLY, Scores
from regauge.records.labels.classify import ClassifySettings
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.labels.aggregate_classify import aggregate_classify, save_labels

MODEL = "resnet50"
N_EASY, N_FOLLOW_UP, N_HALF = 2_923, 6_761, 3_380


@pytest.fixture(scope="module")
def answered(published: Path) -> tuple[TestSet, Predictions]:
    """The dataset labels and a model's answers, with images called by their number as in the released files."""
    released = load_released_set(published, VALIDATION)
    numbers = np.array([str(int(one[-8:])) for one in released.test_set.image_ids.tolist()])
    predictions = released.get_predictions(MODEL)
    assert predictions.image_ids.tolist() == released.test_set.image_ids.tolist()
    test_set = TestSet("validation", numbers, released.test_set.labels)
    return test_set, Predictions(MODEL, numbers, predictions.classes)


def score_labels(answered: tuple[TestSet, Predictions], published: Path, folder: Path, split: str) -> Scores:
    test_set, predictions = answered
    answers = published / "tsipras2020_classify_half.jsonl"
    result = aggregate_classify(answers, test_set, settings=ClassifySettings(split=split))
    save_labels(result, folder / "objects.jsonl")
    return score([predictions], folder / "objects.jsonl")


def test_without_easy_images_the_finding_is_reversed_and_the_metric_is_named_so(
    answered: tuple[TestSet, Predictions], published: Path, tmp_path: Path
) -> None:
    found = score_labels(answered, published, tmp_path, "")
    single, several = (found.get(MODEL, metric) for metric in ("single_object", "multi_object"))
    assert (single.remark, several.remark) == (FOLLOW_UP_ONLY, FOLLOW_UP_ONLY)
    assert (round(100 * (single.value or 0), 1), round(100 * (several.value or 0), 1)) == (63.6, 78.7)


def test_easy_images_close_most_of_the_gap(
    answered: tuple[TestSet, Predictions], published: Path, tmp_path: Path
) -> None:
    half = score_labels(answered, published, tmp_path, "").get(MODEL, "single_object")
    found = score_labels(answered, published, tmp_path, str(published / "tsipras2020_split.csv"))
    single, several = (found.get(MODEL, metric) for metric in ("single_object", "multi_object"))
    assert (single.remark, several.remark) == (None, None)
    assert single.n - half.n == N_EASY
    assert (round(100 * (single.value or 0), 1), round(100 * (several.value or 0), 1)) == (76.5, 78.7)
    # Half of the follow-up images stand beside all easy ones: with each of them counted for two, as in the whole study.
    weight = N_FOLLOW_UP / N_HALF
    n_easy_right = (single.n_correct or 0) - (half.n_correct or 0)
    whole = (weight * (half.n_correct or 0) + n_easy_right) / (weight * half.n + N_EASY)
    assert round(100 * whole, 1) == 72.6
