"""Six images that people classified, and two participants, small enough to count by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from tests.labels.objects.classify_answers import Answer, make_responses

from regauge.evaluation.context.contract import ContextFindings, ContextMaterial
from regauge.evaluation.context.material import KnownOfImages, line_up_context
from regauge.evaluation.context.registry import ANALYSES
from regauge.evaluation.targets import line_up
from regauge.records.candidates import SplitPart
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import Truth
from regauge.records.predictions import Predictions
from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy
from regauge.records.testsets.test_set import TestSet

IDS = ["a", "b", "c", "d", "e", "f"]
LABELS = [0, 1, 2, 0, 1, 2]
FAST = ContextSettings(n_bootstrap=200)

ANSWERS: list[Answer] = [
    # Two objects, 0 and 1; two of three say that there are two, and the main one is 0, the dataset label's.
    *(("a", "x", [0, 1], 0), ("a", "y", [0, 1], 1), ("a", "z", [0], 0)),
    # Two objects; the main one is 2, and the dataset label is 1.
    *(("b", "x", [1, 2], 2), ("b", "y", [1, 2], 2), ("b", "z", [1, 2], 1)),
    # One object, the dataset label's.
    *(("c", "x", [2], 2), ("c", "y", [2], 2), ("c", "z", [2], 2)),
    # One object, which nobody calls 0.
    *(("d", "x", [3], 3), ("d", "y", [3], 3), ("d", "z", [3], 3)),
]
PARTS = {
    **dict.fromkeys("abcd", SplitPart.FOLLOW_UP),
    "e": SplitPart.EASY,
    "f": SplitPart.MISLABELED,
}
GOOD = {"a": [0, 1, 2, 3, 4], "b": [1, 2, 0, 3, 4], "c": [2, 1, 0, 3, 4], "d": [0, 3, 1, 2, 4], "e": [1, 2, 0, 3, 4]}
OTHER = {"a": [1, 0, 2, 3, 4], "b": [2, 1, 0, 3, 4], "c": [3, 2, 0, 1, 4], "d": [3, 0, 1, 2, 4], "e": [1, 2, 0, 3, 4]}


def make_taxonomy(*, has_groups: bool = True) -> Taxonomy:
    """Five classes: two animals, three things."""
    names = ("cat", "dog", "mat", "cup", "pot")
    kinds = [NodeId("animal")] * 2 + [NodeId("thing")] * 3
    classes = tuple(ImageClass(ClassIndex(row), NodeId(f"n{row}"), (name,)) for row, name in enumerate(names))
    parents = {one.id: (kind,) for one, kind in zip(classes, kinds, strict=True)}
    groups = (GroupRule("animals", within=(kinds[0],)), GroupRule("things", within=(kinds[-1],)))
    grouping = (Grouping("superclass", groups),) if has_groups else ()
    tops: dict[NodeId, tuple[NodeId, ...]] = {kinds[0]: (), kinds[-1]: ()}
    return Taxonomy("tiny", classes, parents={**parents, **tops}, groupings=grouping)


def predict(name: str, answers: Mapping[str, Sequence[int]], last: Sequence[int] = (2, 1, 0, 3, 4)) -> Predictions:
    whole = {**answers, "f": list(last)}
    return Predictions(name, np.array(list(whole)), np.array(list(whole.values())))


def make_counts() -> SelectionCounts:
    """Selection counts: of f nobody selected the dataset label 2, and most 4; of d nobody was asked about the label."""
    rows = [
        *((0, 0, 9, 9), (0, 1, 9, 6)),
        *((1, 1, 8, 8),),
        *((2, 2, 9, 9),),
        *((3, 0, 0, 0), (3, 3, 9, 9)),
        *((5, 2, 9, 0), (5, 3, 9, 2), (5, 4, 9, 7)),
    ]
    return SelectionCounts(np.array(IDS), *np.array(rows).T)


def make_material(
    *predictions: Predictions,
    known: KnownOfImages | None = None,
    taxonomy: Taxonomy | None = None,
    truth: Truth | None = None,
    settings: ContextSettings = FAST,
) -> ContextMaterial:
    """The six images, or others, with answers to CLASSIFY and the split unless something else is known of them."""
    target = line_up(truth or Truth(TestSet("tiny", np.array(IDS), np.array(LABELS))))
    given = KnownOfImages(responses=make_responses(ANSWERS), parts=PARTS) if known is None else known
    return line_up_context(target, predictions, taxonomy=taxonomy, known=given, settings=settings)


def analyse(name: str, material: ContextMaterial, **settings: object) -> ContextFindings:
    return ANALYSES[name].analyse(material, replace(FAST, **settings))  # type: ignore[arg-type]


def both() -> tuple[Predictions, Predictions]:
    return predict("good", GOOD), predict("other", OTHER, [0, 1, 3, 4, 2])


def run(name: str, *predictions: Predictions, **given: object) -> ContextFindings:
    """An analysis of the six images with both participants, unless others are named."""
    return analyse(name, make_material(*(predictions or both()), **given))  # type: ignore[arg-type]
