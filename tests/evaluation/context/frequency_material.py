"""Material of context analyses: the released half, and simulated counts of which the truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS, FloatArray
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.targets import line_up
from regauge.formats.labels.splits import SPELLINGS
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_released_set, load_split
from regauge.formats.releases.published import VALIDATION, make_classify_responses, name_validation_image
from regauge.formats.taxonomies import load_taxonomy
from regauge.labels.objects.aggregation import aggregate_responses
from regauge.labels.objects.easy import find_easy, make_truth
from regauge.records.candidates import SplitPart
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import Truth
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.reproduce.tsipras2020_study import study_classify


@cache
def load_released(folder: Path) -> ContextMaterial:
    """The 10,000 images of the study with 67 participants, the half of the CLASSIFY answers and the split."""
    data = DataFolders((folder,))
    released = load_released_set(data, VALIDATION)
    parts = {name_validation_image(image): SPELLINGS[part] for image, part in load_split(data).items()}
    chosen = np.isin(released.test_set.image_ids, list(parts))
    test_set = TestSet("study", released.test_set.image_ids[chosen], released.test_set.labels[chosen])
    study = study_classify(data)
    responses = make_classify_responses(study.images)
    answers = released.answers[:, chosen].astype(np.int32)
    right = answers[:, :, 0] == test_set.labels
    order = np.lexsort((np.array(released.models), -right.sum(axis=1)))
    is_in = (answers == test_set.labels[:, np.newaxis]).any(axis=2)
    return ContextMaterial(
        line_up(Truth(test_set)),
        load_taxonomy("imagenet-1k"),
        tuple(released.models[place] for place in order.tolist()),
        answers[order, :, 0],
        is_in[order],
        np.ones(len(order), np.bool_),
        study.labels,
        responses,
        make_truth(study.labels, find_easy(parts, test_set)).objects[0],
        parts=parts,
    )


Votes = Sequence[tuple[int, int, int, int]]
"""Image, class, annotators who were asked, and those of them who selected it."""
Answers = Mapping[int, Sequence[tuple[Sequence[int], int]]]
"""Image → per annotator the labels that they selected, and the main one."""


def make_material(
    labels: Sequence[int],
    firsts: Mapping[str, Sequence[int]] | None = None,
    *,
    votes: Votes | None = None,
    answers: Answers | None = None,
    easy: Sequence[int] | None = None,
) -> ContextMaterial:
    """Images a, b, c and so on with what is said of them; participants in the order in which they are given."""
    ids = np.array([chr(97 + place) for place in range(len(labels))])
    test_set = TestSet("toy", ids, np.array(labels, np.int32))
    material = ContextMaterial(line_up(Truth(test_set)))
    if firsts:
        columns = np.array(list(firsts.values()), np.int32)
        material = replace(material, participants=tuple(firsts), firsts=columns, in_five=columns == test_set.labels)
    if votes is not None:
        images, classes, shown, selected = np.array(votes, np.int64).reshape(-1, 4).T
        order = np.lexsort((classes, images))
        pairs = (images[order], classes[order], shown[order], selected[order])
        material = replace(material, counts=SelectionCounts(ids, *pairs))
    parts = None
    if easy is not None:
        parts = {
            one: SplitPart.EASY if place in easy else SplitPart.FOLLOW_UP for place, one in enumerate(ids.tolist())
        }
        material = replace(material, parts=parts)
    return material if answers is None else replace(material, **_answer(test_set, answers, parts))


def _answer(test_set: TestSet, answers: Answers, parts: dict[str, SplitPart] | None) -> dict[str, Any]:
    given = [(image, *one) for image, ones in answers.items() for one in ones]
    n_most = max(map(len, answers.values()))
    responses = ClassifyResponses(
        image_ids=test_set.image_ids,
        annotator_ids=np.array([f"p{number}" for number in range(n_most)]),
        response_images=np.array([image for image, _, _ in given], np.int32),
        response_annotators=np.array([number for ones in answers.values() for number in range(len(ones))], np.int32),
        starts=np.cumsum([0, *(len(selected) for _, selected, _ in given)]),
        selected=np.array([label for _, selected, _ in given for label in selected], np.int32),
        main=np.array([main for _, _, main in given], np.int32),
    )
    labels = aggregate_responses(responses, np.ones(len(responses), np.bool_), test_set=test_set, name="toy")
    easy = None if parts is None else find_easy(parts, test_set)
    return {"classify": labels, "responses": responses, "objects": make_truth(labels, easy).objects[0]}


def simulate_counts(
    material: ContextMaterial, truth: FloatArray, *, rng: np.random.Generator, n_shown: int = 9, n_random: int = 2
) -> SelectionCounts:
    """Votes of independent annotators on the dataset label, on what anybody answers, and on labels drawn at random.

    Args:
        material: the images and the answers.
        truth: the probability of a selection by dataset label and class asked for [classes, classes].
        rng: the source of the votes.
        n_shown: annotators per pair.
        n_random: labels drawn at random per image.
    """
    n, n_classes = len(material.labels), material.n_classes
    answers = np.zeros((n, 0), np.int32) if material.firsts is None else material.firsts.T
    classes = np.hstack([material.labels[:, np.newaxis], rng.integers(n_classes, size=(n, n_random)), answers]).astype(
        int
    )
    keys = np.unique((np.arange(n)[:, np.newaxis] * n_classes + classes)[classes != NO_CLASS])
    images, classes = keys // n_classes, keys % n_classes
    selected = rng.binomial(n_shown, truth[material.labels[images], classes])
    shown = np.full(len(keys), n_shown)
    return SelectionCounts(
        material.target.image_ids, images.astype(np.int32), classes.astype(np.int32), shown, selected
    )
