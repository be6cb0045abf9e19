"""Five images under two versions of a label set, and two models that answered them."""

from __future__ import annotations

import numpy as np

from regauge.evaluation.targets import Target, line_up
from regauge.records.labels.label_set import LabelSet, Truth, Unlisted
from regauge.records.predictions import Predictions
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy
from regauge.records.testsets.test_set import TestSet

IDS = ["a", "b", "c", "d", "e"]
IMAGES = TestSet("five", IDS, [0, 1, 2, 3, 0])
BEFORE = LabelSet.from_lists(
    "labels@1",
    IDS,
    correct=[[0], [1], [2], [3], [0]],
    unclear=[[], [2], [], [], []],
    wrong=[[1], [3], [], [0], [1]],
    is_problematic=[False] * 4 + [True],
)
AFTER = LabelSet.from_lists(
    "labels@2",
    IDS,
    correct=[[0], [1, 3], [2], [3], [0]],
    unclear=[[], [2], [0], [], []],
    wrong=[[1], [], [], [0], [1]],
    is_problematic=[False] * 3 + [True, True],
)
FIRST = Predictions("first", IDS, [1, 3, 0, 0, 1], scores=[0.9, 0.8, 0.7, 0.6, 0.5])
"""Mistaken on a, b and d, where somebody said so before, and on c, where nobody had looked; e is problematic."""
SECOND = Predictions("second", IDS, [0, 2, 0, 1, 1])
"""Mistaken on c as the first is and on d otherwise; on b its answer is unclear."""

# Tabby and siamese are cats, pug is a dog, all of them animals; the island stands alone.
PARENTS = {"tabby": ("cat",), "siamese": ("cat",), "pug": ("dog",), "cat": ("animal",), "dog": ("animal",)}
PETS = Taxonomy(
    "pets",
    tuple(
        ImageClass(ClassIndex(place), NodeId(name), (name,))
        for place, name in enumerate(["tabby", "siamese", "pug", "island"])
    ),
    parents={NodeId(child): tuple(map(NodeId, above)) for child, above in PARENTS.items()},
)
FLAT = Taxonomy("flat", PETS.classes)


def aim(*label_sets: LabelSet, images: TestSet | None = IMAGES) -> Target:
    """The five images with these label sets."""
    return line_up(Truth(images, label_sets), n_classes=4)


def list_correct(name: str = "real") -> LabelSet:
    """Lists that are complete: what they leave out is wrong."""
    return LabelSet.from_lists(name, IDS, correct=[[0], [1], [2], [3], [0]], unlisted=Unlisted.WRONG)


def answer(name: str, classes: list[int], image_ids: list[str] | None = None) -> Predictions:
    """First answers alone."""
    return Predictions(name, np.array(IDS if image_ids is None else image_ids, np.str_), np.array(classes, np.int32))
