"""Material of context analyses: the released half, and simulated counts of which the truth is known."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from regauge.arrays import NO_CLASS, FloatArray
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.targets import line_up
from regauge.formats.labels.splits import SPELLINGS
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import load_released_set, load_split
from regauge.formats.releases.published import VALIDATION, make_classify_responses, name_validation_image
from regauge.formats.taxonomies import load_taxonomy
from regauge.labels.objects.easy import find_easy, make_truth
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import Truth
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
    asked = [material.labels[:, np.newaxis], rng.integers(n_classes, size=(n, n_random))]
    asked += [] if material.firsts is None else [material.firsts.T]
    classes = np.hstack(asked)
    keys = np.unique((np.arange(n)[:, np.newaxis] * n_classes + classes)[classes != NO_CLASS])
    images, classes = keys // n_classes, keys % n_classes
    selected = rng.binomial(n_shown, truth[material.labels[images], classes])
    shown = np.full(len(keys), n_shown)
    return SelectionCounts(
        material.target.image_ids, images.astype(np.int32), classes.astype(np.int32), shown, selected
    )
