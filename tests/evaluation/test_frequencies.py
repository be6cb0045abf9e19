"""The mean selection frequency of predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from regauge.evaluation.scoring import score_participants
from regauge.evaluation.subsets import Subset
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.frequencies import AnnotatorSpread, SelectionCounts
from regauge.records.labels.label_set import Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.stats.frequency_means import limit_mean_frequency

IDS = np.array(["a", "b", "c", "d"])
TEST_SET = TestSet("tiny", IDS, np.array([0, 0, 1, 1], np.int32))
COUNTS = SelectionCounts(
    np.array(["c", "b", "a"]),
    images=np.array([0, 0, 1, 1, 2], np.int32),
    classes=np.array([1, 2, 0, 1, 0], np.int32),
    n_shown=np.array([10, 10, 10, 0, 9]),
    n_selected=np.array([8, 5, 10, 0, 9]),
    name="people",
)


def measure(answers: list[int], subsets: tuple[Subset, ...] = ()) -> Scores:
    target = line_up(Truth(TEST_SET, frequencies=(COUNTS,)))
    predictions = Predictions("model", IDS, np.array(answers))
    return score_participants([predictions], target, subsets=subsets, settings=ScoreSettings())


def test_the_mean_is_over_predictions_that_people_were_asked_about() -> None:
    # a: 9 of 9; b is predicted as 1, which nobody was shown; c: 5 of 10; d was not asked about at all.
    found = measure([0, 1, 2, 0]).get("model", "selection_frequency")
    assert (found.n, found.n_unjudged, found.n_correct, found.labels) == (2, 1, None, "people")
    assert found.value == pytest.approx((1.0 + 0.5) / 2)
    # If nobody, or everybody, had selected what b is predicted as: (1 + 0.5 + 0) / 3 and (1 + 0.5 + 1) / 3.
    assert found.lower_bound == pytest.approx(0.5)
    assert found.upper_bound == pytest.approx(2.5 / 3)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 0.75 <= found.high
    # Nobody knows who gave which vote, and the limits say so.
    assert found.method == "score, over images, for these annotators"


def test_where_the_spread_of_annotators_is_known_the_limits_hold_for_others_too() -> None:
    counts = replace(COUNTS, spread=AnnotatorSpread(10, 9.5, 1.0))
    target = line_up(Truth(TEST_SET, frequencies=(counts,)))
    predictions = [Predictions("model", IDS, np.array([0, 1, 2, 0]))]
    wide = score_participants(predictions, target, settings=ScoreSettings()).get("model", "selection_frequency")
    narrow = measure([0, 1, 2, 0]).get("model", "selection_frequency")
    assert wide.method == "score, over images and annotators"
    expected = limit_mean_frequency([9, 5], [9, 10], spread=counts.spread)
    assert (wide.low, wide.high) == (float(expected.low), float(expected.high))
    assert wide.value == narrow.value


def test_a_single_image_has_a_mean_without_limits() -> None:
    found = measure([0, 5, 5, 5]).get("model", "selection_frequency")
    assert (found.n, found.value, found.low, found.high, found.method) == (1, 1.0, None, None, None)


def test_predictions_that_nobody_was_asked_about_have_no_mean() -> None:
    found = measure([5, 5, 5, 5]).get("model", "selection_frequency")
    assert (found.n, found.n_unjudged, found.value, found.low, found.method) == (0, 3, None, None, None)
    assert (found.lower_bound, found.upper_bound) == (0, 1)


def test_subsets_have_means_of_their_own() -> None:
    scores = measure(
        [0, 0, 1, 1], (Subset("second", classes=np.array([1], np.int32)), Subset("none", rows=np.array([], np.int64)))
    )
    assert scores.get("model", "selection_frequency", subset="second").value == pytest.approx(0.8)
    assert scores.get("model", "selection_frequency", subset="none").n == 0
