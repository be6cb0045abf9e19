"""The records of a study."""

from __future__ import annotations

import pytest

from regauge.errors import InputError
from regauge.records.studies import ImagePlace, LocatedTestSet, TestSetKind, compute_digest
from regauge.records.testsets.test_set import TestSet


def make(ids: list[str], labels: list[int]) -> TestSet:
    return TestSet("name", ids, labels)


@pytest.mark.parametrize(
    "other",
    [
        make(["b", "a"], [0, 1]),
        make(["a", "b"], [1, 0]),
        make(["a"], [0]),
        make(["ab"], [0]),
        make(["a", "c"], [0, 1]),
        make(['a","b'], [0]),
    ],
)
def test_the_digest_tells_rows_apart_by_id_label_and_order(other: TestSet) -> None:
    assert compute_digest(make(["a", "b"], [0, 1])) != compute_digest(other)


def test_every_image_needs_a_place() -> None:
    with pytest.raises(InputError, match="2 images and 1 places"):
        LocatedTestSet(make(["a", "b"], [0, 1]), TestSetKind.TABLE, "/", (ImagePlace(),))
