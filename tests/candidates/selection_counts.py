"""Selection counts in tests, from one dictionary per image."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.testsets.test_set import TestSet

Counts = Mapping[str, Mapping[int, tuple[int, int]]]
"""Per image and class: n_selected of n_shown."""


def make_counts(counts: Counts) -> SelectionCounts:
    rows = [
        (image, index, n_shown, n_selected)
        for image, of_image in enumerate(counts.values())
        for index, (n_selected, n_shown) in of_image.items()
    ]
    return SelectionCounts(np.array(list(counts)), *np.array(rows, np.int64).reshape(-1, 4).T)


def make_labels(**labels: int) -> TestSet:
    return TestSet("t", np.array(list(labels)), np.array(list(labels.values())))
