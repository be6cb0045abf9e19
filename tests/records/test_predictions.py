"""Predictions and logits refuse what is not answers keyed by image id."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.records.predictions import Logits, Predictions


def make(ids: Any, classes: Any, scores: Any = None) -> Predictions:
    return Predictions("model", ids, classes, scores)


def test_answers_are_kept_as_they_came_and_read_only() -> None:
    predictions = make(["b", "a"], [[3, 1], [0, 2]], [[0.9, 0.1], [0.6, 0.4]])
    assert predictions.classes.tolist() == [[3, 1], [0, 2]]
    assert predictions.scores is not None
    np.testing.assert_array_equal(predictions.scores, np.array([[0.9, 0.1], [0.6, 0.4]], np.float32))
    assert predictions.classes.dtype == np.int32
    assert predictions.scores.dtype == np.float32
    assert len(predictions) == 2
    assert repr(predictions) == "<Predictions of model: 2 images, 2 answers each>"
    for column in (predictions.image_ids, predictions.classes, predictions.scores):
        assert not column.flags.writeable


def test_a_column_is_one_answer_per_image() -> None:
    predictions = make(["a", "b"], [3, 1], [0.5, 0.25])
    assert predictions.classes.tolist() == [[3], [1]]
    assert predictions.scores is not None
    assert predictions.scores.tolist() == [[0.5], [0.25]]


def test_the_callers_arrays_are_left_as_they_were() -> None:
    classes, scores = np.array([[3, 1]], np.int32), np.array([[0.5, 0.25]], np.float32)
    make(np.array(["a"]), classes, scores)
    assert classes.flags.writeable
    assert scores.flags.writeable
    assert (classes.tolist(), scores.tolist()) == ([[3, 1]], [[0.5, 0.25]])


def test_the_number_of_answers_is_that_of_the_image_with_fewest() -> None:
    assert make(["a", "b"], [[3, 1, 2], [0, NO_CLASS, NO_CLASS]]).n_answers == 1
    assert make(["a", "b"], [[3, 1, 2], [0, 4, NO_CLASS]]).n_answers == 2
    assert make([], np.empty((0, 5), int)).n_answers == 5


def test_a_score_may_be_missing_where_there_is_no_answer() -> None:
    predictions = make(["a"], [[3, NO_CLASS]], [[0.5, np.nan]])
    assert predictions.n_answers == 1


@pytest.mark.parametrize(
    ("ids", "classes", "message"),
    [
        (
            ["a", "b"],
            [1],
            "model has 2 image ids, so its classes must have the shape [2, k] with k at least 1, not [1, 1].",
        ),
        (
            ["a"],
            np.empty((1, 0), int),
            "model has 1 image ids, so its classes must have the shape [1, k] with k at least 1, not [1, 0].",
        ),
        (
            ["a"],
            [[[1]]],
            "model has 1 image ids, so its classes must have the shape [1, k] with k at least 1, not [1, 1, 1].",
        ),
        (["a", "b"], [[1, 2], [1, -2]], "model gives image 'b' a class below 0; indices start at 0."),
        (["a", "b"], [[1, 2], [-1, 2]], "model gives image 'b' a class below 0; indices start at 0."),
        (["a", "a"], [1, 2], "model lists image 'a' more than once; an image id stands for one image."),
        (["a"], [1.5], "Class indices and counts are whole numbers of at most 32 bits, not 1.5."),
    ],
)
def test_classes_that_are_no_answers_are_refused(ids: Any, classes: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make(ids, classes)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.5], [0.5]], "model has scores of shape [2, 1] for classes of shape [2, 2]; they must be the same."),
        ([[0.5, 0.1], [0.5, np.nan]], "model has a score that is not a number (NaN) for image 'b'."),
    ],
)
def test_scores_that_do_not_belong_to_the_answers_are_refused(scores: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make(["a", "b"], [[1, 2], [1, 2]], scores)


def test_logits_are_kept_as_they_are() -> None:
    values = np.array([[0.5, 2.0, 1.0]], np.float16)
    logits = Logits("model", np.array(["a"]), values)
    assert logits.values is values
    assert not logits.image_ids.flags.writeable
    assert repr(logits) == "<Logits of model: 1 images, 3 classes>"


@pytest.mark.parametrize(("shape", "written"), [((2, 3), "[2, 3]"), ((3,), "[3]")])
def test_logits_without_one_row_per_image_are_refused(shape: tuple[int, ...], written: str) -> None:
    message = f"model has 1 image ids, so its logits must have the shape [1, classes], not {written}."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Logits("model", np.array(["a"]), np.zeros(shape, np.float32))


def test_an_answer_left_out_before_the_last_is_refused() -> None:
    with pytest.raises(InputError, match="leaves out an answer before the last for image 'b'"):
        Predictions("model", np.array(["a", "b"]), np.array([[1, 2, -1], [1, -1, 2]]))


def test_one_class_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="gives one class twice for image 'b'"):
        Predictions("model", np.array(["a", "b"]), np.array([[1, 2, 3], [4, 5, 4]]))
