"""Label sets: lists become columns and back, and contradictions are refused."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.testsets.test_set import TestSet


def make(**changes: Any) -> LabelSet:
    """A label set of two images: the first lists classes 3 (correct) and 5 (wrong), the second class 3 (unclear)."""
    columns: dict[str, Any] = {
        "name": "tiny",
        "image_ids": ["a", "b"],
        "starts": [0, 2, 3],
        "classes": [3, 5, 3],
        "verdicts": [2, 0, 1],
        "kind": LabelKind.MULTILABEL,
        "unlisted": Unlisted.UNJUDGED,
        "is_problematic": [False, True],
        "main_labels": [3, NO_CLASS],
    }
    return LabelSet(**(columns | changes))


def read_back(label_set: LabelSet) -> list[dict[int, Verdict]]:
    """The verdict of every listed class, image by image."""
    ends = label_set.starts.tolist()
    spans = pairwise(ends)
    return [
        {int(label_set.classes[place]): Verdict(label_set.verdicts[place]) for place in range(start, end)}
        for start, end in spans
    ]


def test_lists_become_the_verdicts_of_their_images() -> None:
    label_set = LabelSet.from_lists(
        "tiny", ["a", "b", "c"], correct=[[3], [], [1, 0]], unclear=[[4, 2], [], []], wrong=[[], [], [7]]
    )
    assert read_back(label_set) == [
        {3: Verdict.CORRECT, 4: Verdict.UNCLEAR, 2: Verdict.UNCLEAR},
        {},
        {1: Verdict.CORRECT, 0: Verdict.CORRECT, 7: Verdict.WRONG},
    ]
    assert label_set.rows.tolist() == [0, 0, 0, 2, 2, 2]
    assert label_set.starts.tolist() == [0, 3, 3, 6]


@given(st.lists(st.dictionaries(st.integers(0, 9), st.sampled_from(Verdict)), max_size=6))
def test_verdicts_survive_the_way_through_lists(images: list[dict[int, Verdict]]) -> None:
    lists = {
        verdict: [[index for index, said in image.items() if said is verdict] for image in images]
        for verdict in Verdict
    }
    label_set = LabelSet.from_lists(
        "any",
        [f"image {row}" for row in range(len(images))],
        correct=lists[Verdict.CORRECT],
        unclear=lists[Verdict.UNCLEAR],
        wrong=lists[Verdict.WRONG],
    )
    assert read_back(label_set) == images
    assert label_set.has_verdicts == any(images)


def test_unless_said_a_class_that_is_not_listed_is_wrong_where_no_rejections_are_recorded() -> None:
    assert LabelSet.from_lists("x", ["a"], correct=[[1]]).unlisted is Unlisted.WRONG
    assert LabelSet.from_lists("x", ["a"], correct=[[1]], wrong=[[]]).unlisted is Unlisted.UNJUDGED
    assert LabelSet.from_lists("x", ["a"], wrong=[[1]], unlisted=Unlisted.WRONG).unlisted is Unlisted.WRONG
    assert LabelSet.from_lists("x", ["a"], correct=[[1]], unlisted=Unlisted.UNJUDGED).unlisted is Unlisted.UNJUDGED


def test_unless_said_no_image_is_problematic_and_no_main_label_is_known() -> None:
    label_set = LabelSet.from_lists("x", ["a", "b"])
    assert label_set.is_problematic.tolist() == [False, False]
    assert label_set.main_labels.tolist() == [NO_CLASS, NO_CLASS]
    assert (label_set.has_verdicts, label_set.has_main_labels, label_set.kind) == (False, False, LabelKind.MULTILABEL)


def test_main_labels_and_problematic_images_are_kept() -> None:
    label_set = LabelSet.from_lists("x", ["a", "b"], is_problematic=[False, True], main_labels=[NO_CLASS, 4])
    assert label_set.is_problematic.tolist() == [False, True]
    assert label_set.main_labels.tolist() == [NO_CLASS, 4]
    assert label_set.has_main_labels


def test_every_column_is_read_only_and_the_callers_stay_writeable() -> None:
    verdicts = np.array([2, 0, 1], np.int8)
    label_set = make(verdicts=verdicts)
    for column in ("image_ids", "starts", "classes", "verdicts", "is_problematic", "main_labels"):
        assert not getattr(label_set, column).flags.writeable
    assert verdicts.flags.writeable


def test_lists_given_by_the_caller_are_not_changed() -> None:
    correct: list[list[int]] = [[3, 1], []]
    LabelSet.from_lists("x", ["a", "b"], correct=correct)
    assert correct == [[3, 1], []]


def test_a_label_set_says_how_much_it_holds() -> None:
    assert repr(make()) == "<LabelSet tiny: 2 images, 3 verdicts, 1 problematic>"
    assert len(make()) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"image_ids": ["a", "a"]},
            "Label set tiny lists image 'a' more than once; an image id stands for one image.",
        ),
        ({"is_problematic": [False]}, "Label set tiny has 2 images, but is_problematic has the shape [1]."),
        ({"main_labels": [[1], [2]]}, "Label set tiny has 2 images, but main_labels has the shape [2, 1]."),
        ({"starts": [0, 3]}, "Label set tiny: starts must hold 3 places, from 0 to the number of verdicts."),
        ({"starts": [1, 2, 3]}, "Label set tiny: starts must hold 3 places, from 0 to the number of verdicts."),
        ({"starts": [0, 2, 2]}, "Label set tiny: starts must hold 3 places, from 0 to the number of verdicts."),
        (
            {"verdicts": [2, 0]},
            "Label set tiny: verdicts and classes must be columns of one length in image order.",
        ),
        (
            {"starts": [0, 4, 3]},
            "Label set tiny: verdicts and classes must be columns of one length in image order.",
        ),
        (
            {"classes": [[3], [5], [3]], "verdicts": [[2], [0], [1]]},
            "Label set tiny: verdicts and classes must be columns of one length in image order.",
        ),
        ({"verdicts": [2, 3, 1]}, "Label set tiny: a verdict is one of 0 (wrong), 1 (unclear), 2 (correct), not 3."),
        (
            {"verdicts": [2, -1, 1]},
            "Label set tiny: a verdict is one of 0 (wrong), 1 (unclear), 2 (correct), not -1.",
        ),
        (
            {"main_labels": [3, -2]},
            "Label set tiny: image 'b' has the main label -2; indices start at 0, and -1 stands for none.",
        ),
        ({"classes": [3, 5, -1]}, "Label set tiny: image 'b' has the class -1; indices start at 0."),
        (
            {"classes": [3, 3, 3]},
            "Label set tiny: image 'a' lists class 3 twice; a class has one verdict per image.",
        ),
    ],
)
def test_columns_that_contradict_each_other_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make(**changes)


def test_one_class_in_two_lists_of_an_image_is_refused() -> None:
    with pytest.raises(InputError, match="image 'b' lists class 7 twice; a class has one verdict per image"):
        LabelSet.from_lists("x", ["a", "b"], correct=[[7], [7]], wrong=[[], [7]])


@pytest.mark.parametrize("lists", [[], [[1]], [[1], [2], [3]]])
def test_a_number_of_lists_other_than_that_of_the_images_is_refused(lists: list[list[int]]) -> None:
    message = f"Label set x has 2 images, but {len(lists)} lists of unclear classes."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        LabelSet.from_lists("x", ["a", "b"], unclear=lists)


def test_a_truth_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match=r"^A truth needs dataset labels or at least one label set\.$"):
        Truth()


def test_a_truth_is_called_after_its_test_set_else_after_its_first_label_set() -> None:
    first, second = LabelSet.from_lists("first", ["a"]), LabelSet.from_lists("second", ["a"])
    assert Truth(label_sets=(first, second)).name == "first"
    assert Truth(TestSet("images", np.array(["a"]), np.array([0])), (first,)).name == "images"
