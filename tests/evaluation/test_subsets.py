"""Subsets: which images they hold, and how codes are counted in them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import NO_CLASS
from regauge.evaluation.subsets import EVERY_IMAGE, N_CODES, Subset, by_class, count_codes, find_image_subsets
from regauge.evaluation.targets import Target, line_up
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.testsets.test_set import TestSet


def make_target(labels: list[int]) -> Target:
    """Images 0, 1, … with these labels; those without one are known from a label set alone."""
    ids = [str(row) for row in range(len(labels))]
    labelled = [image_id for image_id, label in zip(ids, labels, strict=True) if label != NO_CLASS]
    test_set = TestSet("t", np.array(labelled, np.str_), np.array([labels[int(i)] for i in labelled], np.int32))
    return line_up(Truth(test_set, (LabelSet.from_lists("x", np.array(ids)),)))


def as_classes(*classes: int) -> Subset:
    return Subset("classes", classes=np.array(classes, np.int32))


@given(
    rows=st.lists(st.tuples(st.integers(NO_CLASS, 4), st.integers(0, N_CODES - 1)), min_size=1, max_size=30),
    classes=st.lists(st.integers(0, 8), max_size=6),
    chosen=st.lists(st.integers(0, 40), max_size=20),
)
def test_codes_are_counted_by_class_in_every_kind_of_subset(
    rows: list[tuple[int, int]], classes: list[int], chosen: list[int]
) -> None:
    target = make_target([label for label, _ in rows])
    # The target lists labelled images first, so codes are looked up by id.
    ids = target.image_ids.tolist()
    codes = np.array([rows[int(image_id)][1] for image_id in ids], np.int8)
    (listed,) = find_image_subsets({"listed": [str(number) for number in chosen]}, target)
    counts = count_codes(codes, target, subsets=[EVERY_IMAGE, as_classes(*classes), listed])
    parts = [
        rows,
        [row for row in rows if row[0] in classes],
        [row for number, row in enumerate(rows) if number in chosen],
    ]
    for counted, part in zip(counts, parts, strict=True):
        by_code = Counter(code for _, code in part)
        assert counted.sum(axis=0).tolist() == [by_code[code] for code in range(N_CODES)]
    for counted, part in zip((counts[0], counts[2]), (parts[0], parts[2]), strict=True):
        by_pair = Counter(part)
        per_class = by_class(counted, EVERY_IMAGE)
        assert {(label, code): int(n) for (label, code), n in np.ndenumerate(per_class) if n} == {
            pair: n for pair, n in by_pair.items() if pair[0] != NO_CLASS
        }


def test_counts_of_a_class_subset_hold_no_image_without_label() -> None:
    target = make_target([0, 1, NO_CLASS])
    subset = as_classes(1, 0)
    (counted,) = count_codes(np.zeros(3, np.int8), target, subsets=[subset])
    assert by_class(counted, subset).sum() == 2


def test_a_class_or_an_image_listed_twice_counts_once() -> None:
    target = make_target([0, 0, 1])
    (listed,) = find_image_subsets({"x": ["2", "0", "2"]}, target)
    counts = count_codes(np.zeros(3, np.int8), target, subsets=[as_classes(0, 0), listed])
    assert [int(one.sum()) for one in counts] == [2, 2]
    assert as_classes(0, 0).is_one_class


def test_only_a_subset_of_one_class_is_one() -> None:
    assert as_classes(3).is_one_class
    assert not as_classes(3, 4).is_one_class
    assert not as_classes().is_one_class
    assert not EVERY_IMAGE.is_one_class
    assert not Subset("rows", rows=np.array([0])).is_one_class


def test_images_that_the_target_does_not_know_are_passed_over() -> None:
    target = make_target([0, 1])
    subsets = find_image_subsets({"some": ["1", "unknown"], "none": ["unknown"]}, target)
    assert [subset.name for subset in subsets] == ["some", "none"]
    assert [subset.rows.tolist() for subset in subsets if subset.rows is not None] == [[1], []]
