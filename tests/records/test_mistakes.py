"""Coded mistakes refuse nonsense, and the numbers about them answer for themselves."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.records.mistakes import (
    CATEGORIES,
    SEVERITIES,
    ClassPair,
    CodedMistakes,
    MistakesSettings,
    SharedMistakes,
)


def make(**columns: Any) -> CodedMistakes:
    whole: dict[str, Any] = {
        "image_ids": ["a", "b", "a"],
        "predictions": [3, 3, 4],
        "categories": [0, 3, 2],
        "severities": [0, 1, 1],
    }
    return CodedMistakes("model", **(whole | columns))


def test_categories_and_severities_are_these_in_this_order() -> None:
    assert [str(one) for one in CATEGORIES] == [
        "fine-grained",
        "fine-grained-oov",
        "spurious-correlation",
        "non-prototypical",
    ]
    assert [str(one) for one in SEVERITIES] == ["major", "minor"]


def test_columns_are_typed_and_read_only() -> None:
    mistakes = make()
    columns = (mistakes.predictions, mistakes.categories, mistakes.severities)
    assert [column.dtype.str for column in columns] == ["<i4", "|i1", "|i1"]
    with pytest.raises(ValueError, match="read-only"):
        mistakes.categories[0] = 1
    with pytest.raises(FrozenInstanceError):
        mistakes.name = "other"  # type: ignore[misc]


def test_the_arrays_of_the_caller_stay_writable() -> None:
    categories = np.array([0, 3, 2], np.int8)
    make(categories=categories)
    categories[0] = 1
    assert categories.tolist() == [1, 3, 2]


def test_an_image_may_have_several_predictions_and_counts_once() -> None:
    assert (len(make()), make().n_images) == (3, 2)
    assert repr(make()) == "<CodedMistakes model: 3 mistakes on 2 images, 1 major>"


def test_no_mistakes_are_mistakes_too() -> None:
    empty = make(image_ids=[], predictions=[], categories=[], severities=[])
    assert (len(empty), empty.n_images) == (0, 0)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"predictions": [3, 3]}, "model has 3 mistakes, but predictions has the shape [2]."),
        ({"categories": [[0, 3, 2]]}, "but categories has the shape [1, 3]."),
        ({"severities": [0]}, "but severities has the shape [1]."),
        ({"image_ids": [["a", "b", "c"]]}, "The image ids of model must be one column, not of shape (1, 3)."),
        ({"image_ids": ["a", "", "b"]}, "model has an empty image id at position 1."),
        ({"predictions": [3, -1, 4]}, "model: image 'b' has the prediction -1; indices start at 0."),
        ({"predictions": [3, 1.5, 4]}, "whole numbers of at most 32 bits, not 1.5."),
        ({"categories": [0, 4, 2]}, "model: categories are one of 0 (fine-grained), 1 (fine-grained-oov), "),
        ({"categories": [0, -1, 2]}, "3 (non-prototypical), not -1."),
        ({"severities": [0, 2, 1]}, "model: severities are one of 0 (major), 1 (minor), not 2."),
        (
            {"predictions": [3, 3, 3]},
            "model lists prediction 3 for image 'a' twice; a prediction for an image is coded",
        ),
    ],
)
def test_nonsense_is_refused(columns: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        make(**columns)
    assert problem in str(caught.value)


@pytest.mark.parametrize(("first", "second"), [(3, 3), (4, 3), (-1, 3)])
def test_a_pair_is_two_classes_in_index_order(first: int, second: int) -> None:
    assert ClassPair(3, 4, n=2).n == 2
    with pytest.raises(InputError, match="the smaller index first"):
        ClassPair(first, second, n=1)


def test_shared_images_agree_or_differ() -> None:
    assert SharedMistakes(3, 2, n_only_first=7, n_only_second=8).n_shared == 5


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"level": 1.0}, "A confidence level lies strictly between 0 and 1"),
        ({"seed": -1}, "A seed is a whole number from 0 up, not -1."),
        ({"n_permutations": 99}, "A permutation test takes 100 to 1,000,000 permutations, not 99."),
        ({"n_permutations": 1_000_001}, "not 1,000,001."),
    ],
)
def test_settings_refuse_what_no_test_can_use(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        MistakesSettings(**options)
    assert problem in str(caught.value)
