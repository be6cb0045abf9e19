"""The labels of every image from the answers of a CLASSIFY campaign."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IdArray, IntArray
from regauge.estimates import DEFAULT_LEVEL
from regauge.labels.objects.naming import find_dataset_objects, name_objects
from regauge.labels.objects.tallies import tally_responses
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.objects import ClassifyLabels
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.testsets.test_set import TestSet
from regauge.stats.intervals import clopper_pearson


def aggregate_responses(
    responses: ClassifyResponses,
    is_accepted: BoolArray,
    *,
    test_set: TestSet | None = None,
    name: str = "classify",
    level: float = DEFAULT_LEVEL,
) -> ClassifyLabels:
    """Main label, objects and confidence of every image (Tsipras et al. 2020, section 3.2 and appendix B.2).

    Confidence is the share of all annotators who were shown the image, accepted or not, that gave its number of objects.
    An image of whose answers none is accepted has no main label, no objects and no confidence.

    Args:
        responses: the answers of all annotators.
        is_accepted: which of them count.
        test_set: the dataset labels, to find the objects that hold them.
        name: what outputs call the objects.
        level: nominal coverage of the intervals.
    """
    n = len(responses.image_ids)
    tallies = tally_responses(responses, is_accepted)
    dataset_labels = find_dataset_labels(responses.image_ids, test_set)
    n_shown = np.bincount(responses.response_images, minlength=n)
    limits = clopper_pearson(tallies.n_agreeing, n_shown, level=level)
    n_accepted = np.bincount(responses.response_images[is_accepted], minlength=n)
    nobody = n_accepted == 0
    return ClassifyLabels(
        objects=name_objects(tallies, responses.image_ids, name=name),
        main_labels=tallies.main_labels,
        n_agreeing=tallies.n_agreeing,
        n_accepted=n_accepted,
        n_shown=n_shown,
        starts=tallies.starts,
        classes=tallies.classes,
        n_selected=tallies.n_selected,
        n_main=tallies.n_main,
        label_objects=tallies.label_objects,
        cut_weights=tallies.cut_weights,
        n_best_cuts=tallies.n_best_cuts,
        dataset_labels=dataset_labels,
        dataset_objects=find_dataset_objects(tallies, dataset_labels),
        confidence_low=np.where(nobody, np.nan, limits.low),
        confidence_high=np.where(nobody, np.nan, limits.high),
        level=level,
    )


def make_object_labels(labels: ClassifyLabels) -> LabelSet:
    """A label set that accepts the name of every object and nothing else, with main labels (Tsipras et al. 2020, section 4.1).

    An image without an accepted answer has no verdicts; it is left out.
    """
    objects = labels.objects
    kept = labels.n_accepted > 0
    names = objects.names
    return LabelSet(
        name=objects.name,
        image_ids=objects.image_ids[kept],
        starts=np.concatenate(([0], np.cumsum(objects.n_objects[kept]))),
        classes=names,
        verdicts=np.full(len(names), Verdict.CORRECT, np.int8),
        kind=LabelKind.MULTILABEL,
        unlisted=Unlisted.WRONG,
        is_problematic=np.zeros(int(kept.sum()), np.bool_),
        main_labels=labels.main_labels[kept],
    )


def find_dataset_labels(image_ids: IdArray, test_set: TestSet | None) -> IntArray:
    """The dataset label of every image; `NO_CLASS` where the test set does not know it."""
    if test_set is None:
        return np.full(len(image_ids), NO_CLASS, np.int32)
    label_of = dict(zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True))
    return np.array([label_of.get(image_id, NO_CLASS) for image_id in image_ids.tolist()], np.int32)
