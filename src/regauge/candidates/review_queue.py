"""The queue of a review: which classes of which images somebody has to judge."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IdArray, IntArray
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelSet, Unlisted
from regauge.records.labels.reviews import ReviewItems

_NOWHERE = -1


def find_open_items(
    image_ids: IdArray,
    labels: IntArray,
    *,
    answers: IntArray,
    label_set: LabelSet | None = None,
    trust_dataset_labels: bool = False,
) -> ReviewItems:
    """Every class of an image that a participant answers first, or that is its dataset label, and that has no verdict.

    One class of one image is one item, however many participants answer it (Shankar et al. 2020). An image that a label set calls
    problematic counts for nobody, and a class that complete lists leave out is wrong by their own word: neither is asked about.

    Args:
        image_ids: the images.
        labels: the dataset label of each; `NO_CLASS` where there is none.
        answers: first answers [participants, images]; `NO_CLASS` where a participant has none.
        label_set: verdicts that are there already, on images of the same ids in any order.
        trust_dataset_labels: take dataset labels as correct rather than ask about them.

    Raises:
        InputError: the columns do not fit the images, or the label set judges none of them.
    """
    _check_shapes(image_ids, labels, answers)
    stride = 1 + max(int(labels.max(initial=0)), int(answers.max(initial=0)))
    places = np.arange(len(image_ids), dtype=np.int64) * stride
    given = (places + answers)[answers != NO_CLASS]
    named = (places + labels)[labels != NO_CLASS]
    keys, n_participants = np.unique(given, return_counts=True)
    if trust_dataset_labels:
        is_asked = ~np.isin(keys, named, assume_unique=True)
        keys, n_participants = keys[is_asked], n_participants[is_asked]
    else:
        keys, n_participants = _add_unanswered(keys, n_participants, named)
    images, classes = np.divmod(keys, stride)
    is_open = _find_open(keys, images, image_ids=image_ids, label_set=label_set, stride=stride)
    images, classes = images[is_open].astype(np.int32), classes[is_open].astype(np.int32)
    return ReviewItems(
        image_ids=image_ids,
        images=images,
        classes=classes,
        n_participants=n_participants[is_open].astype(np.int32),
        is_dataset_label=labels[images] == classes,
    )


def find_label_rows(image_ids: IdArray, label_set: LabelSet) -> CountArray:
    """Per image of the label set, its position among the images; −1 where it is none of them.

    Raises:
        InputError: they share no image.
    """
    if np.array_equal(image_ids, label_set.image_ids):
        return np.arange(len(image_ids), dtype=np.int64)
    row_by_id = {image_id: row for row, image_id in enumerate(image_ids.tolist())}
    rows = np.array([row_by_id.get(one, _NOWHERE) for one in label_set.image_ids.tolist()], np.int64)
    if len(rows) and not (rows >= 0).any():
        raise InputError(
            f"Label set {label_set.name} judges none of these images: its first id is {str(label_set.image_ids[0])!r}; "
            "name a label set of the same images."
        )
    return rows


def _check_shapes(image_ids: IdArray, labels: IntArray, answers: IntArray) -> None:
    n = len(image_ids)
    if labels.shape != (n,) or answers.ndim != 2 or answers.shape[1] != n:
        raise InputError(
            f"{n:,} images need {n:,} dataset labels and answers [participants, {n}], not {list(labels.shape)} and "
            f"{list(answers.shape)}."
        )
    if min(labels.min(initial=NO_CLASS), answers.min(initial=NO_CLASS)) < NO_CLASS:
        raise InputError(f"Class indices start at 0, and {NO_CLASS} stands for none.")


def _add_unanswered(keys: CountArray, counts: CountArray, named: CountArray) -> tuple[CountArray, CountArray]:
    """The answers with the dataset labels that nobody answers, in ascending order."""
    lacking = np.setdiff1d(named, keys, assume_unique=True)
    together = np.concatenate([keys, lacking])
    order = np.argsort(together, kind="stable")
    return together[order], np.concatenate([counts, np.zeros(len(lacking), np.int64)])[order]


def _find_open(
    keys: CountArray, images: CountArray, *, image_ids: IdArray, label_set: LabelSet | None, stride: int
) -> BoolArray:
    """Which keys have no verdict, on images that count."""
    if label_set is None:
        return np.ones(len(keys), np.bool_)
    rows = find_label_rows(image_ids, label_set)
    is_here = rows >= 0
    is_closed = np.zeros(len(image_ids), np.bool_)
    is_closed[rows[is_here]] = label_set.is_problematic[is_here] | (label_set.unlisted is Unlisted.WRONG)
    judged_rows = rows[label_set.rows]
    is_key = (judged_rows >= 0) & (label_set.classes < stride)
    judged = judged_rows[is_key] * stride + label_set.classes[is_key]
    is_open: BoolArray = ~np.isin(keys, judged) & ~is_closed[images]
    return is_open
