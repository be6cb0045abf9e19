"""What is beside the dataset label in the images of a class: other objects, by their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, CountArray
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.lookups import NO_PAIR, find_target_rows


class CoOccurring(NamedTuple):
    """What is most often beside the dataset label, class by class.

    Attributes:
        classes: the name of that object; `NO_CLASS` where nothing is.
        n_beside: on how many images it is.
        n_known: images whose objects are known.
    """

    classes: CountArray
    n_beside: CountArray
    n_known: CountArray


def find_co_occurring(material: ContextMaterial, classes: CountArray) -> CoOccurring:
    """The other object that most images of each class hold; of equal ones the lower index.

    An object is another one when it does not hold the dataset label.
    """
    objects = material.objects
    nothing = np.zeros(len(classes), np.int64)
    if objects is None:
        return CoOccurring(np.full(len(classes), NO_CLASS, np.int64), nothing, nothing)
    rows = find_target_rows(material.target, objects.image_ids)
    labels = np.where(rows != NO_PAIR, material.labels[rows], NO_CLASS)
    known = labels[(labels != NO_CLASS) & (objects.n_objects > 0)]
    n_known = np.bincount(known, minlength=material.n_classes)
    image_of = objects.object_images
    own = np.zeros(len(objects.names), np.bool_)
    holds = objects.classes == labels[image_of[objects.label_objects]]
    own[objects.label_objects[holds]] = True
    other = np.flatnonzero(~own & (labels[image_of] != NO_CLASS))
    # Two objects of one name in an image are one image.
    stride = max(material.n_classes, int(objects.names.max(initial=0)) + 1)
    images_and_names = np.unique(image_of[other] * stride + objects.names[other])
    pairs = labels[images_and_names // stride].astype(np.int64) * stride + images_and_names % stride
    keys, counts = np.unique(pairs, return_counts=True)
    usual, n_usual = np.full(material.n_classes, NO_CLASS, np.int64), np.zeros(material.n_classes, np.int64)
    rising = np.lexsort((-keys, counts))
    usual[keys[rising] // stride], n_usual[keys[rising] // stride] = keys[rising] % stride, counts[rising]
    return CoOccurring(usual[classes], n_usual[classes], n_known[classes])
