"""Slices by a rule: each condition against images worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.slices.small_slices import IMAGES, code

from regauge.errors import InputError
from regauge.records.labels.label_set import LabelKind, LabelSet
from regauge.records.mistakes.coded import Severity
from regauge.records.slices.rules import CountRange, ImageRule, ProblematicImages, describe_rule, read_rule
from regauge.records.testsets.test_set import TestSet
from regauge.slices.conditions import RuleMaterial, choose_by_rule

# m6 is not known to the labels, and m5 is problematic.
LABELS = LabelSet.from_lists(
    "panel@1",
    IMAGES[:5],
    correct=[[0], [0, 1], [0, 1, 2], [], [0, 1]],
    unclear=[[], [5], [], [0], []],
    wrong=[[7], [], [], [], []],
    is_problematic=[False, False, False, False, True],
)
CODING = code(
    "R", [("m1", 7, Severity.MAJOR), ("m2", 8, Severity.MINOR), ("m3", 8, Severity.MAJOR)], categories={"m3": 2}
)
MATERIAL = RuleMaterial(
    TestSet("val", IMAGES, [0, 1, 2, 3, 4, 5]),
    LABELS,
    codings=(CODING,),
    groups={("kind", "pets"): np.array([1, 3], np.int32), ("kind", "cars"): np.array([2], np.int32)},
    seconds=np.array([3, 9, np.nan, 10, 1, 1], np.float32),
    listed=frozenset(["m1", "m4", "zz"]),
)


def count(text: str) -> CountRange:
    return CountRange.read(text)


@pytest.mark.parametrize(
    ("conditions", "chosen"),
    [
        ({"n_correct": count("2..")}, ["m2", "m3"]),
        ({"n_correct": count("..1")}, ["m1", "m4"]),
        ({"n_correct": count("2")}, ["m2"]),
        ({"n_unclear": count("1")}, ["m2", "m4"]),
        ({"n_wrong": count("1..")}, ["m1"]),
        ({"problematic": ProblematicImages.ONLY}, ["m5"]),
        ({"n_correct": count("2.."), "problematic": ProblematicImages.KEEP}, ["m2", "m3", "m5"]),
        ({"groups": (("kind", "pets"),)}, ["m2", "m4"]),
        ({"groups": (("kind", "pets"), ("kind", "cars"))}, ["m2", "m3", "m4"]),
        ({"severities": ("major",)}, ["m1", "m3"]),
        ({"severities": ("major",), "categories": ("spurious-correlation",)}, ["m3"]),
        ({"max_seconds": 9.0}, ["m1", "m2"]),
        ({"images": "list.txt"}, ["m1", "m4"]),
        ({"images": "list.txt", "n_correct": count("1..")}, ["m1"]),
    ],
)
def test_images_that_meet_all_conditions_are_chosen(conditions: dict[str, Any], chosen: list[str]):
    rule = ImageRule(**conditions)
    assert choose_by_rule(rule, MATERIAL).tolist() == chosen
    assert read_rule(describe_rule(rule)) == rule, "what is stored is the rule again"


def test_a_rule_that_no_image_meets_says_where_they_went():
    with pytest.raises(InputError, match=r"5 images with labels, 4 with no problem, 0 with 9 correct"):
        choose_by_rule(ImageRule(n_correct=count("9")), MATERIAL)


@pytest.mark.parametrize("text", ["", "a", "3..1", "-1", "1...2", "1" * 30])
def test_a_range_that_is_none_is_refused(text: str):
    with pytest.raises(InputError, match="range of counts"):
        CountRange.read(text)


@pytest.mark.parametrize("text", ["2", "2..", "..3", "1..3", "0", "0..", "..", "..0"])
def test_a_range_is_written_as_it_was_read(text: str):
    assert CountRange.read(str(CountRange.read(text))) == CountRange.read(text)


def test_rules_without_a_condition_and_with_impossible_seconds_are_refused():
    for allowed in (None, count("0.."), count("..")):
        with pytest.raises(InputError, match="at least one condition"):
            ImageRule(n_correct=allowed)
    for seconds in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(InputError, match="Seconds are more than 0"):
            ImageRule(max_seconds=seconds)
    with pytest.raises(InputError, match="not what it must be"):
        read_rule({"groups": [1]})


def test_an_image_without_any_reassessed_label_is_chosen_by_no_rule():
    ids = MATERIAL.test_set.image_ids.tolist()
    real = LabelSet.from_lists("real", ids, correct=[[1], *([[]] * (len(ids) - 1))], kind=LabelKind.REAL)
    rule = ImageRule(n_correct=count("..1"))
    assert choose_by_rule(rule, replace(MATERIAL, label_set=real)).tolist() == ids[:1]


def test_ranges_are_told_in_words():
    told = [count(text).words for text in ("2", "2..", "..3", "1..3")]
    assert told == ["2", "2 or more", "3 or fewer", "1 to 3"]


def test_an_image_without_seconds_is_never_fast():
    assert "m3" not in choose_by_rule(ImageRule(max_seconds=1000.0), MATERIAL).tolist()


def test_codes_of_another_mistake_of_the_image_do_not_count():
    # m1 has a major and a minor mistake of different categories: no mistake is both minor and fine-grained.
    both = code("R", [("m1", 7, Severity.MAJOR), ("m2", 8, Severity.MINOR)], categories={"m2": 2})
    rule = ImageRule(categories=("fine-grained",), severities=("minor",))
    with pytest.raises(InputError, match="No image"):
        choose_by_rule(rule, replace(MATERIAL, codings=(both,)))


def test_categories_that_nobody_coded_by_and_codes_without_codings_are_refused():
    with pytest.raises(InputError, match=r"has the category 'odd'; they have: fine-grained, "):
        choose_by_rule(ImageRule(categories=("odd",)), MATERIAL)
    with pytest.raises(InputError, match="name the codings"):
        choose_by_rule(ImageRule(severities=("major",)), replace(MATERIAL, codings=()))
