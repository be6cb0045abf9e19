"""Which labels an object is made of and called by, which object is the main one, and which holds the dataset label."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IdArray, IntArray
from regauge.labels.objects.tallies import Tallies
from regauge.records.labels.objects import NO_OBJECT, ImageObjects


def name_objects(tallies: Tallies, image_ids: IdArray, *, name: str) -> ImageObjects:
    """The objects of every image, each called by its most selected label, equal ones by index; the main object marked.

    The labels of an image come with the most selected first, and objects are numbered by their first label. So the first
    label of an object is its name, and the object that holds the most selected label is number 0.
    """
    images = _find_images(tallies)
    placed = np.flatnonzero(tallies.label_objects != NO_OBJECT)
    order = placed[np.lexsort((placed, tallies.label_objects[placed], images[placed]))]
    owner = _find_object_starts(tallies)[images[order]] + tallies.label_objects[order]
    label_starts = np.searchsorted(owner, np.arange(int(tallies.n_objects.sum()) + 1))
    return ImageObjects(
        name=name,
        image_ids=image_ids,
        object_starts=_find_object_starts(tallies),
        names=tallies.classes[order[label_starts[:-1]]],
        label_starts=label_starts,
        classes=tallies.classes[order],
        main_objects=find_main_objects(tallies),
    )


def find_main_objects(tallies: Tallies) -> IntArray:
    """Per image the number of the object whose labels were named as main most often; `NO_OBJECT` without such a vote.

    Of objects with equally many votes the one that holds the image's main label is the main one; where that is not
    among them, the one with the lower number.
    """
    images, starts = _find_images(tallies), _find_object_starts(tallies)
    placed = tallies.label_objects != NO_OBJECT
    owner = starts[images[placed]] + tallies.label_objects[placed]
    n_objects = int(tallies.n_objects.sum())
    votes = np.bincount(owner, tallies.n_main[placed], minlength=n_objects).astype(np.int64)
    holds_main = np.zeros(n_objects, np.bool_)
    holds_main[owner[tallies.classes[placed] == tallies.main_labels[images[placed]]]] = True
    object_images = np.repeat(np.arange(len(tallies.n_objects)), tallies.n_objects)
    order = np.lexsort((np.arange(n_objects), ~holds_main, -votes, object_images))
    has_objects = tallies.n_objects > 0
    best = order[starts[:-1][has_objects]]
    main = np.full(len(tallies.n_objects), NO_OBJECT, np.int32)
    main[has_objects] = np.where(votes[best] > 0, best - starts[:-1][has_objects], NO_OBJECT)
    return main


def find_dataset_objects(tallies: Tallies, dataset_labels: IntArray) -> IntArray:
    """Per image the number of the object that holds the dataset label; `NO_OBJECT` where none does."""
    images = _find_images(tallies)
    holds = (tallies.classes == dataset_labels[images]) & (dataset_labels[images] != NO_CLASS)
    found = np.full(len(dataset_labels), NO_OBJECT, np.int32)
    found[images[holds]] = tallies.label_objects[holds]
    return found


def _find_images(tallies: Tallies) -> CountArray:
    """The position of the image that each label belongs to."""
    return np.repeat(np.arange(len(tallies.n_objects), dtype=np.int64), np.diff(tallies.starts))


def _find_object_starts(tallies: Tallies) -> CountArray:
    return np.concatenate(([0], np.cumsum(tallies.n_objects)))
