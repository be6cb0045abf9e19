"""Test sets refuse what is not one label per image."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.records.testsets.test_set import TestSet


def make(ids: Any, labels: Any) -> TestSet:
    return TestSet("tiny", ids, labels)


def test_a_test_set_keeps_ids_and_labels_side_by_side_and_read_only() -> None:
    test_set = make(["b", "a", "c"], [4, 4, 0])
    assert test_set.image_ids.tolist() == ["b", "a", "c"]
    assert test_set.labels.tolist() == [4, 4, 0]
    assert test_set.labels.dtype == np.int32
    assert len(test_set) == 3
    assert repr(test_set) == "<TestSet tiny: 3 images, 2 classes>"
    for column in (test_set.image_ids, test_set.labels):
        assert not column.flags.writeable


def test_the_callers_arrays_are_left_as_they_were() -> None:
    ids, labels = np.array(["a", "b"]), np.array([1, 2], np.int32)
    make(ids, labels)
    assert ids.flags.writeable
    assert labels.flags.writeable
    assert (ids.tolist(), labels.tolist()) == (["a", "b"], [1, 2])


def test_attributes_cannot_be_replaced() -> None:
    with pytest.raises(AttributeError):
        make(["a"], [0]).name = "other"  # type: ignore[misc]


def test_a_test_set_may_be_empty() -> None:
    assert len(make([], [])) == 0
    assert repr(make([], [])) == "<TestSet tiny: 0 images, 0 classes>"


@pytest.mark.parametrize(
    ("ids", "labels", "message"),
    [
        (
            ["a", "b"],
            [0],
            "Test set tiny needs one label per image: it has 2 image ids and labels of shape (1,).",
        ),
        (["a"], [[0]], "Test set tiny needs one label per image: it has 1 image ids and labels of shape (1, 1)."),
        (["a", "b", "c"], [0, -3, -1], "Test set tiny: image 'b' has the label -3; indices start at 0."),
        (["a", "a"], [0, 0], "Test set tiny lists image 'a' more than once; an image id stands for one image."),
        (["a"], [0.5], "Class indices and counts are whole numbers of at most 32 bits, not 0.5."),
    ],
)
def test_what_is_not_one_label_per_image_is_refused(ids: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        make(ids, labels)
