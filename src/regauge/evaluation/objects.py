"""Metrics that need the objects of images: accuracy with one object and with several, and top-5 corrections.

After Tsipras et al. (2020, §4 and appendix C.1): an answer is right when it is the name of an object in the image.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from regauge.evaluation.lookups import NO_PAIR, PairLookup, find_target_rows, make_lookup
from regauge.evaluation.outcomes import Measure, Outcome, OutcomeArray
from regauge.evaluation.targets import Target
from regauge.records.arrays import BoolArray, IntArray
from regauge.records.objects import ImageObjects
from regauge.records.scores import FOLLOW_UP_ONLY


def single_object(target: Target) -> Iterable[Measure]:
    """The first answer names the object, on images that have one."""
    return _name_measures(target, "single_object", has_several=False)


def multi_object(target: Target) -> Iterable[Measure]:
    """The first answer names one of the objects, on images that have several."""
    return _name_measures(target, "multi_object", has_several=True)


def top_5_corrections(target: Target) -> Iterable[Measure]:
    """Of images whose dataset label is among answers 2 to 5: the first answer is another object that is present.

    Where it is, top-5 accuracy forgives what was no mistake; where it is not, top-5 accuracy forgives a mistake.
    """
    if not target.has_dataset_labels:
        return
    for objects in target.objects:
        lookup = _find_objects(target, objects)
        yield Measure(
            "top5_corrections",
            objects.name,
            5,
            partial(
                judge_corrections, labels=target.dataset_labels, lookup=lookup, is_known=_is_known(target, objects)
            ),
            _find_remark(target, objects),
        )


def judge_names(answers: IntArray, *, names: PairLookup, is_counted: BoolArray) -> OutcomeArray:
    """Right where the first answer is the name of an object."""
    is_named = names.find(answers[:, 0]) != NO_PAIR
    outcomes = np.where(is_named, Outcome.RIGHT, Outcome.WRONG)
    return np.where(is_counted & (answers[:, 0] >= 0), outcomes, Outcome.NOT_COUNTED).astype(np.int8)


def judge_corrections(answers: IntArray, *, labels: IntArray, lookup: PairLookup, is_known: BoolArray) -> OutcomeArray:
    """Right where the first answer and the dataset label mean different objects of the image."""
    is_corrected = (answers[:, 1:5] == labels[:, np.newaxis]).any(axis=1) & (labels >= 0)
    answered, filed = lookup.find(answers[:, 0]), lookup.find(labels)
    are_two = (answered != NO_PAIR) & (filed != NO_PAIR) & (answered != filed)
    outcomes = np.where(are_two, Outcome.RIGHT, Outcome.WRONG)
    return np.where(is_corrected & is_known, outcomes, Outcome.NOT_COUNTED).astype(np.int8)


def _name_measures(target: Target, metric: str, *, has_several: bool) -> Iterable[Measure]:
    for objects in target.objects:
        names = make_lookup(target, objects.image_ids, images=objects.object_images, classes=objects.names)
        n_objects = _count_objects(target, objects)
        is_counted = n_objects > 1 if has_several else n_objects == 1
        judge = partial(judge_names, names=names, is_counted=is_counted)
        yield Measure(metric, objects.name, 1, judge, _find_remark(target, objects))


def _find_remark(target: Target, objects: ImageObjects) -> str | None:
    is_partial = any(one.is_follow_up_only for one in target.label_sets if one.name == objects.name)
    return FOLLOW_UP_ONLY if is_partial else None


def _find_objects(target: Target, objects: ImageObjects) -> PairLookup:
    """From a label of an image to the object that it means, whatever the object is called."""
    of_label = objects.label_objects
    lookup = make_lookup(target, objects.image_ids, images=objects.object_images[of_label], classes=objects.classes)
    return PairLookup(lookup.keys, of_label[lookup.places], lookup.stride)


def _count_objects(target: Target, objects: ImageObjects) -> IntArray:
    """Per row of the target, how many objects its image has; 0 where that is not known."""
    n_objects = np.zeros(len(target.image_ids), np.int32)
    rows = find_target_rows(target, objects.image_ids)
    n_objects[rows[rows != NO_PAIR]] = objects.n_objects[rows != NO_PAIR]
    for label_set in target.label_sets:
        if label_set.name == objects.name:
            n_objects[label_set.is_problematic] = 0
    return n_objects


def _is_known(target: Target, objects: ImageObjects) -> BoolArray:
    return _count_objects(target, objects) > 0
