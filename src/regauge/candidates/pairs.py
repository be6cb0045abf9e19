"""Selection counts lined up with dataset labels: what the rules for candidates and the split look at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IdArray, IntArray, divide
from regauge.errors import InputError
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.testsets.test_set import TestSet


class CandidatePairs(NamedTuple):
    """Pairs by image and class, the dataset label of every image among them.

    Attributes:
        image_ids: the images that have counts.
        dataset_labels: the dataset label of each.
        images: per pair, the position of its image.
        classes: per pair, its class.
        n_shown: annotators whose accepted response showed it; 0 where nobody was asked.
        n_selected: those of them who selected it.
        is_dataset: whether it is the pair of the dataset label.
        dataset_rows: per image, the pair of its dataset label.
    """

    image_ids: IdArray
    dataset_labels: IntArray
    images: CountArray
    classes: IntArray
    n_shown: CountArray
    n_selected: CountArray
    is_dataset: BoolArray
    dataset_rows: CountArray

    @property
    def frequencies(self) -> FloatArray:
        """n_selected / n_shown; NaN where nobody was asked.

        Two different fractions whose denominators are below 2²⁶ are different as floats too, and equal ones are equal, since
        division rounds correctly. So these may be compared and sorted as if they were exact.
        """
        return divide(self.n_selected, self.n_shown)


def line_up_pairs(counts: SelectionCounts, test_set: TestSet) -> CandidatePairs:
    """The counts with the dataset label of every image, which has a count of nothing where nobody was asked about it.

    Raises:
        InputError: an image has no dataset label, or a pair is listed twice.
    """
    labels = _find_labels(counts, test_set)
    is_listed = np.zeros(len(labels), np.bool_)
    is_listed[counts.images[counts.classes == labels[counts.images]]] = True
    added = np.flatnonzero(~is_listed)
    nothing = np.zeros(len(added), np.int64)
    images = np.concatenate([counts.images, added]).astype(np.int64)
    classes = np.concatenate([counts.classes, labels[added]])
    order = np.lexsort((classes, images))
    images, classes = images[order], classes[order]
    _check_once(counts, images, classes)
    is_dataset = classes == labels[images]
    return CandidatePairs(
        image_ids=counts.image_ids,
        dataset_labels=labels,
        images=images,
        classes=classes,
        n_shown=np.concatenate([counts.n_shown, nothing])[order],
        n_selected=np.concatenate([counts.n_selected, nothing])[order],
        is_dataset=is_dataset,
        dataset_rows=np.flatnonzero(is_dataset),
    )


def describe_unasked(counts: SelectionCounts, test_set: TestSet) -> tuple[str, ...]:
    """A note on the images of the test set that have no counts."""
    n_unasked = len(test_set) - len(counts.image_ids)
    if n_unasked <= 0:
        return ()
    return (f"{n_unasked:,} of {len(test_set):,} images of {test_set.name} have no counts and are left out.",)


def _find_labels(counts: SelectionCounts, test_set: TestSet) -> IntArray:
    label_of = dict(zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True))
    for image_id in counts.image_ids.tolist():
        if label_of.get(image_id, NO_CLASS) == NO_CLASS:
            raise InputError(
                f"Image {image_id!r} has selection counts but no dataset label in {test_set.name}, and every rule compares with "
                "the dataset label; add it to the truth, or write the ids the same way in both files."
            )
    return np.array([label_of[image_id] for image_id in counts.image_ids.tolist()], np.int32)


def _check_once(counts: SelectionCounts, images: CountArray, classes: IntArray) -> None:
    twice = np.flatnonzero((np.diff(images) == 0) & (np.diff(classes) == 0))
    if twice.size:
        at = int(twice[0])
        raise InputError(
            f"The counts list class {classes[at]} of image {str(counts.image_ids[images[at]])!r} twice; a pair has one count."
        )
