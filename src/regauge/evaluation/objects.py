"""What the metrics by the objects of images share.

After Tsipras et al. (2020, §4 and appendix C.1): an answer is right when it is the name of an object in the image.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from regauge.arrays import BoolArray, IntArray
from regauge.evaluation.lookups import NO_PAIR, PairLookup, find_target_rows, make_lookup
from regauge.evaluation.outcomes import Judge, Outcome, OutcomeArray
from regauge.evaluation.targets import Target
from regauge.records.evaluation.scores import FOLLOW_UP_ONLY
from regauge.records.labels.objects import ImageObjects


def judge_names(answers: IntArray, *, names: PairLookup, is_counted: BoolArray) -> OutcomeArray:
    """Right where the first answer is the name of an object."""
    is_named = names.find(answers[:, 0]) != NO_PAIR
    outcomes = np.where(is_named, Outcome.RIGHT, Outcome.WRONG)
    return np.where(is_counted & (answers[:, 0] >= 0), outcomes, Outcome.NOT_COUNTED).astype(np.int8)


def find_name_judges(target: Target, *, has_several: bool) -> Iterable[Judge]:
    """A judge per table of objects, on images that have several objects or on those that have one."""
    for objects in target.objects:
        names = make_lookup(target, objects.image_ids, images=objects.object_images, classes=objects.names)
        n_objects = _count_objects(target, objects)
        is_counted = n_objects > 1 if has_several else n_objects == 1
        judge = partial(judge_names, names=names, is_counted=is_counted)
        yield Judge(objects.name, judge, find_remark(target, objects))


def find_remark(target: Target, objects: ImageObjects) -> str | None:
    """What must be said of metrics by objects that only some of the images have, because people were asked about these."""
    is_partial = any(one.is_follow_up_only for one in target.label_sets if one.name == objects.name)
    return FOLLOW_UP_ONLY if is_partial else None


def find_objects(target: Target, objects: ImageObjects) -> PairLookup:
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


def is_known(target: Target, objects: ImageObjects) -> BoolArray:
    """Per row of the target, whether the objects of its image are known."""
    return _count_objects(target, objects) > 0
