"""Coded mistakes refuse nonsense and keep what was entered."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.records.mistakes.coded import (
    CATEGORIES,
    SEVERITIES,
    STANDARD_CATEGORIES,
    STANDARD_NAMES,
    CodedMistakes,
    fold_severities,
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
        "other",
    ]
    assert [str(one) for one in SEVERITIES] == ["major", "minor", "borderline"]
    assert tuple(map(str, CATEGORIES)) == STANDARD_NAMES
    assert all(one.definition for one in STANDARD_CATEGORIES)


def test_borderline_is_kept_and_folded_only_when_asked() -> None:
    mistakes = make(severities=[0, 1, 2])
    assert mistakes.severities.tolist() == [0, 1, 2]
    assert fold_severities(mistakes.severities).tolist() == [0, 1, 1]
    assert mistakes.severities.tolist() == [0, 1, 2]
    assert mistakes.is_major.tolist() == [True, False, False]


def test_some_mistakes_are_chosen_with_their_codes() -> None:
    chosen = make().choose(np.array([2, 0]))
    assert [chosen.image_ids.tolist(), chosen.predictions.tolist()] == [["a", "a"], [4, 3]]
    assert [chosen.categories.tolist(), chosen.severities.tolist()] == [[2, 0], [1, 0]]


def test_a_study_may_have_its_own_list_of_categories() -> None:
    mistakes = make(category_names=("lighting", "pose", "crop", "none"))
    assert mistakes.category_names == ("lighting", "pose", "crop", "none")
    with pytest.raises(InputError, match=r"categories are one of 0 \(lighting\), 1 \(pose\), not 3"):
        make(category_names=("lighting", "pose"))


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ((), "A list of categories has 1 to 32, not 0."),
        (tuple(map(str, range(33))), "not 33."),
        (("pose", "Pose"), "Two categories are called 'Pose'; each needs a name of its own."),
        (("pose", " crop"), "A category needs a name without spaces around it, on one line, not ' crop'."),
        (("",), "not ''."),
        (("a\nb",), "on one line"),
    ],
)
def test_a_list_of_categories_has_names_that_differ(names: tuple[str, ...], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        make(category_names=names)
    assert problem in str(caught.value)


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
        ({"categories": [0, 5, 2]}, "model: categories are one of 0 (fine-grained), 1 (fine-grained-oov), "),
        ({"categories": [0, -1, 2]}, "3 (non-prototypical), 4 (other), not -1."),
        ({"severities": [0, 3, 1]}, "model: severities are one of 0 (major), 1 (minor), 2 (borderline), not 3."),
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
