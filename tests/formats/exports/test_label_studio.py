"""Tasks and configuration for Label Studio."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.formats.hostile_classes import HOSTILE

from regauge import NO_CLASS, TestSet, load_taxonomy
from regauge.errors import InputError
from regauge.formats.exports.label_studio import FirstAnswers, format_config, make_addresses, name_choice, shape_tasks
from regauge.records.studies import ImagePlace

ONE = TestSet("t", ["a"], [0])


def test_every_class_is_a_choice_under_a_name_of_its_own_whatever_it_is_called() -> None:
    root = ET.fromstring(format_config(HOSTILE))  # noqa: S314 - it is ours
    lists = {one.get("name"): [choice.get("value") for choice in one] for one in root.iter("Choices")}
    assert tuple(lists) == ("correct", "unclear", "problematic")
    expected = [name_choice(one) for one in HOSTILE.classes]
    assert lists["correct"] == lists["unclear"] == expected
    assert len(set(expected)) == len(HOSTILE)


def test_a_class_whose_name_is_its_id_is_named_once() -> None:
    assert name_choice(load_taxonomy("cifar-10").classes[0]) == "0 n02691156 airplane"


@pytest.mark.parametrize(("score", "kept"), [(0.25, True), (1.0, True), (7.5, False), (-3.0, False), (np.nan, False)])
def test_a_score_is_kept_where_it_is_a_probability(score: float, kept: bool) -> None:
    answers = FirstAnswers("m", np.array([1], np.int32), np.array([score], np.float32))
    tasks = list(shape_tasks(ONE, ["x"], answers=[answers], label_set=None, taxonomy=load_taxonomy("cifar-10")))
    assert ("score" in tasks[0]["predictions"][0]) is kept
    assert "annotations" not in tasks[0]


def test_an_image_without_an_answer_has_no_prediction() -> None:
    answers = FirstAnswers("m", np.array([NO_CLASS], np.int32), None)
    tasks = list(shape_tasks(ONE, ["x"], answers=[answers], label_set=None, taxonomy=load_taxonomy("cifar-10")))
    assert tasks[0]["predictions"] == []


def test_addresses_are_quoted_and_local_unless_told_otherwise() -> None:
    place = [ImagePlace("n 1/ü?&#.jpg")]
    assert make_addresses(ONE, place, prefix=None) == ["/data/local-files/?d=n%201/%C3%BC%3F%26%23.jpg"]
    assert make_addresses(ONE, place, prefix="s3://b/") == ["s3://b/n%201/%C3%BC%3F%26%23.jpg"]


@pytest.mark.parametrize(
    ("place", "reason"), [(ImagePlace(), "is not at hand"), (ImagePlace("s.tar", 0, 3), "lies in a shard")]
)
def test_an_image_without_a_file_has_no_address(place: ImagePlace, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        make_addresses(ONE, [place], prefix="https://x.org/")
