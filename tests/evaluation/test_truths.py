"""Several truths become one, unless they contradict each other."""

from __future__ import annotations

import re

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.evaluation.truths import combine_truths
from regauge.records.labels import LabelSet, Truth
from regauge.records.testsets import TestSet


def make_test_set(name: str, labels: dict[str, int]) -> TestSet:
    return TestSet(name, np.array(list(labels)), np.array(list(labels.values()), np.int32))


def test_dataset_labels_are_joined_by_image_and_label_sets_stay_apart() -> None:
    first, second = LabelSet.from_lists("first", ["a"]), LabelSet.from_lists("second", ["b"])
    combined = combine_truths(
        [
            Truth(make_test_set("one", {"a": 3, "b": 4}), (first,), notes=("one was read.",)),
            Truth(make_test_set("two", {"b": 4, "c": 5})),
            Truth(label_sets=(second,), notes=("two was read.",)),
        ]
    )
    assert combined.test_set is not None
    pairs = zip(combined.test_set.image_ids.tolist(), combined.test_set.labels.tolist(), strict=True)
    assert dict(pairs) == {"a": 3, "b": 4, "c": 5}
    assert combined.test_set.name == "one"
    assert combined.label_sets == (first, second)
    assert combined.notes == ("one was read.", "two was read.")


def test_a_single_test_set_is_passed_on_as_it_is() -> None:
    test_set = make_test_set("one", {"a": 3})
    assert combine_truths([Truth(test_set)]).test_set is test_set


def test_without_dataset_labels_there_is_no_test_set() -> None:
    assert combine_truths([Truth(label_sets=(LabelSet.from_lists("x", ["a"]),))]).test_set is None


def test_different_dataset_labels_of_one_image_are_refused() -> None:
    message = "The truths disagree: image 'b' has the dataset label 4 in one and 5 in two."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        combine_truths([Truth(make_test_set("one", {"a": 3, "b": 4})), Truth(make_test_set("two", {"b": 5}))])


def test_two_label_sets_of_one_name_are_refused() -> None:
    truth = Truth(label_sets=(LabelSet.from_lists("review", ["a"]),))
    with pytest.raises(InputError, match=r"^Two label sets are called 'review'; rename one of the files\.$"):
        combine_truths([truth, truth])
