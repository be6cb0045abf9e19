"""Accuracy on single- and multi-object images, and top-5 corrections."""

from __future__ import annotations

import numpy as np

from regauge.evaluation.scoring import score_participants
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.objects import ImageObjects
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet

IDS = np.array(["a", "b", "c", "d", "e"])
TEST_SET = TestSet("tiny", IDS, np.array([0, 1, 2, 3, 0], np.int32))
OBJECTS = ImageObjects.from_lists(
    "people",
    # In another order than the test set: images are joined by id.
    ["d", "c", "b", "a"],
    objects=[[[3, 4], [5]], [[2], [6]], [[1]], [[0, 7]]],
)


def measure(classes: list[list[int]], truth: Truth | None = None) -> Scores:
    predictions = Predictions("model", IDS, np.array(classes))
    target = line_up(truth or Truth(TEST_SET, objects=(OBJECTS,)))
    return score_participants([predictions], target, settings=ScoreSettings())


def test_an_answer_is_right_when_it_names_an_object() -> None:
    # a: one object called 0 (7 means it too, but is not its name); b: one object called 1; c and d: two objects each.
    scores = measure([[7], [1], [6], [4], [0]])
    single, multi = scores.get("model", "single_object"), scores.get("model", "multi_object")
    assert (single.n, single.n_correct, single.labels) == (2, 1, "people")
    # c is answered with the name of its second object; d with 4, which is a label of an object but not its name.
    assert (multi.n, multi.n_correct) == (2, 1)


def test_an_image_whose_objects_are_not_known_does_not_count() -> None:
    scores = measure([[0], [1], [2], [3], [0]])
    counted = scores.get("model", "single_object").n + scores.get("model", "multi_object").n
    assert counted == 4


def test_a_problematic_image_does_not_count() -> None:
    label_set = LabelSet.from_lists("people", ["a"], correct=[[0]], is_problematic=[True])
    scores = measure([[0], [1], [2], [3], [0]], Truth(TEST_SET, (label_set,), objects=(OBJECTS,)))
    assert scores.get("model", "single_object").n == 1


def test_a_correction_counts_when_the_first_answer_is_another_object() -> None:
    # Dataset labels are among answers 2 to 5 of a, c and d. In c the first answer (6) is another object: right. In a it is the
    # same object (7), in d it is none (8): wrong. b is right at once and e has no objects: neither takes part.
    scores = measure([[7, 0, 8, 9, 1], [1, 0, 8, 9, 2], [6, 8, 2, 9, 0], [8, 9, 0, 1, 3], [1, 0, 2, 3, 4]])
    found = scores.get("model", "top5_corrections")
    assert (found.n, found.n_correct) == (3, 1)


def test_with_fewer_than_five_answers_there_are_no_corrections() -> None:
    scores = measure([[7, 0], [1, 0], [6, 2], [8, 3], [1, 0]])
    assert "top5_corrections" not in set(scores.to_frame()["metric"])


def test_a_truth_may_hold_nothing_but_objects() -> None:
    scores = measure(
        [[0], [1], [2], [3], [0]], Truth(label_sets=(LabelSet.from_lists("people", IDS),), objects=(OBJECTS,))
    )
    assert set(scores.to_frame()["metric"]) == {"single_object", "multi_object"}
