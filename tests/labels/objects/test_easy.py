"""Easy images count as one object, and labels without them say so."""

from __future__ import annotations

import numpy as np
import pytest
from tests.labels.objects.classify_answers import Answer, make_responses

from regauge.errors import InputError
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.targets import line_up
from regauge.labels.merging import merge_labels
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.labels.objects.easy import find_easy, make_truth
from regauge.labels.selection import keep_images
from regauge.records.candidates import SplitPart
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.objects import ClassifyLabels
from regauge.records.testsets.test_set import TestSet

ANSWERS: list[Answer] = [("i", "a", [5, 7], 5), ("i", "b", [5, 7], 7), ("j", "a", [3], 3), ("j", "b", [3], 3)]
TEST_SET = TestSet("t", np.array(["i", "j", "k", "l"]), np.array([5, 3, 9, 1]))
PARTS = {"i": SplitPart.FOLLOW_UP, "j": SplitPart.EASY, "k": SplitPart.EASY, "l": SplitPart.MISLABELED}


def aggregate() -> ClassifyLabels:
    responses = make_responses(ANSWERS)
    return aggregate_responses(responses, np.ones(len(responses), np.bool_), test_set=TEST_SET)


def find_remarks(truth: Truth) -> dict[str, str | None]:
    target = line_up(Truth(TEST_SET, truth.label_sets, objects=truth.objects))
    return {measure.metric: measure.remark for measure in find_measures(target)}


def test_an_easy_image_is_one_object_called_by_its_dataset_label() -> None:
    truth = make_truth(aggregate(), find_easy(PARTS, TEST_SET))
    (label_set,), (objects,) = truth.label_sets, truth.objects
    # j is easy, but people were asked about it: what they said holds.
    assert label_set.image_ids.tolist() == objects.image_ids.tolist() == ["i", "j", "k"]
    assert label_set.main_labels.tolist() == [5, 3, 9]
    assert objects.n_objects.tolist() == [2, 1, 1]
    assert (objects.get_objects(2), objects.get_names(2), int(objects.main_objects[2])) == ([[9]], [9], 0)
    assert label_set.classes[label_set.rows == 2].tolist() == [9]
    assert not label_set.is_follow_up_only


def test_metrics_without_easy_images_are_named_so_and_others_are_not() -> None:
    named = find_remarks(make_truth(aggregate(), None))
    objects = ("main_label", "single_object", "multi_object", "top5_corrections")
    assert {metric: remark for metric, remark in named.items() if remark} == dict.fromkeys(
        objects, "follow-up images only"
    )
    assert named["top1"] is named["multilabel_strict"] is None
    assert not any(find_remarks(make_truth(aggregate(), find_easy(PARTS, TEST_SET))).values())


def test_a_split_without_easy_images_is_known_to_have_none() -> None:
    truth = make_truth(aggregate(), find_easy(dict.fromkeys("ij", SplitPart.FOLLOW_UP), TEST_SET))
    assert len(truth.label_sets[0]) == 2
    assert not truth.label_sets[0].is_follow_up_only


def test_the_dataset_label_of_an_easy_image_must_be_known() -> None:
    with pytest.raises(InputError, match="1 of 3 easy images, the first being 'z', have no dataset label in t"):
        find_easy({**PARTS, "z": SplitPart.EASY}, TEST_SET)


def test_the_name_goes_along_with_the_labels() -> None:
    alone = make_truth(aggregate(), None).label_sets[0]
    assert keep_images(alone, ["i"]).is_follow_up_only
    verdicts = LabelSet.from_lists("v", ["i"], correct=[[1]])
    assert merge_labels([verdicts, alone], name="m").is_follow_up_only
    whole = LabelSet.from_lists("w", ["i"], correct=[[1]], main_labels=[1])
    assert not merge_labels([whole, alone], name="m").is_follow_up_only
