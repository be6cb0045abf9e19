"""Small material for confusions: eight classes in four groups, with predictions, answers to CLASSIFY and selection counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.targets import line_up
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.labels.objects.easy import find_easy, make_truth
from regauge.records.candidates import SplitPart
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import Truth
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy
from regauge.records.testsets.test_set import TestSet

N_CLASSES = 8


def make_taxonomy(n_classes: int = N_CLASSES, *, n_groups: int = 4, is_joined: bool = True) -> Taxonomy:
    """Classes c0, c1, …, in turn in groups g0, g1, … of like size, all below one root unless they are not to be joined."""
    size = n_classes // n_groups
    classes = tuple(ImageClass(ClassIndex(i), NodeId(f"c{i}"), (f"class {i}",)) for i in range(n_classes))
    parents: dict[NodeId, tuple[NodeId, ...]] = {NodeId(f"c{i}"): (NodeId(f"g{i // size}"),) for i in range(n_classes)}
    parents |= {NodeId(f"g{g}"): (NodeId("root"),) if is_joined else () for g in range(n_groups)}
    rules = tuple(GroupRule(f"g{g}", (NodeId(f"g{g}"),)) for g in range(n_groups))
    return Taxonomy("small", classes, parents=parents, groupings=(Grouping("four", rules),))


def name_images(n: int) -> list[str]:
    return [f"i{row:05d}" for row in range(n)]


def make_responses(mains: Mapping[int, Sequence[int]]) -> ClassifyResponses:
    """By row of an image the main answers of its annotators, who select nothing else."""
    rows = [row for row, answers in mains.items() for _ in answers]
    given = np.array([one for answers in mains.values() for one in answers], np.int32)
    images = {row: place for place, row in enumerate(mains)}
    return ClassifyResponses(
        image_ids=np.array([f"i{row:05d}" for row in mains]),
        annotator_ids=np.array([f"a{number}" for number in range(len(given))]),
        response_images=np.array([images[row] for row in rows], np.int32),
        response_annotators=np.arange(len(given), dtype=np.int32),
        starts=np.arange(len(given) + 1),
        selected=given,
        main=given,
    )


def make_counts(n: int, pairs: Sequence[tuple[int, int, int, int]]) -> SelectionCounts:
    """Row of an image, class, n_shown and n_selected of every pair."""
    columns = np.array(pairs, np.int64).reshape(-1, 4).T
    return SelectionCounts(np.array(name_images(n)), *columns)


def make_material(
    labels: ArrayLike,
    firsts: Mapping[str, Any] | None = None,
    *,
    mains: Mapping[int, Sequence[int]] | None = None,
    counts: Sequence[tuple[int, int, int, int]] | None = None,
    **others: Any,
) -> ContextMaterial:
    """Material of images with these labels; without `parts` it is not known which are easy."""
    ids = np.array(name_images(np.size(labels)))
    test_set = TestSet("small", ids, np.array(labels, np.int32))
    known: dict[str, Any] = {"taxonomy": make_taxonomy(), **others}
    if firsts:
        answers = np.array(list(firsts.values()), np.int32)
        top = (answers == test_set.labels).sum(axis=1)
        order = sorted(range(len(top)), key=lambda place: (-top[place], list(firsts)[place]))
        known |= {"participants": tuple(list(firsts)[place] for place in order), "firsts": answers[order]}
    if mains is not None:
        responses = make_responses(mains)
        labelled = aggregate_responses(responses, np.ones(len(responses), np.bool_), test_set=test_set)
        easy = find_easy(known["parts"], test_set) if "parts" in known else None
        known |= {"responses": responses, "classify": labelled, "objects": make_truth(labelled, easy).objects[0]}
    if counts is not None:
        known["counts"] = make_counts(np.size(labels), counts)
    return ContextMaterial(line_up(Truth(test_set), n_classes=N_CLASSES), **known)


def split_rows(n: int, **rows: Sequence[int]) -> dict[str, SplitPart]:
    """The part of every image by the name of the part; the rest is easy."""
    part_of = {row: SplitPart[name.upper()] for name, chosen in rows.items() for row in chosen}
    return {image: part_of.get(row, SplitPart.EASY) for row, image in enumerate(name_images(n))}
