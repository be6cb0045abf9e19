"""A label set on some of its images."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.testsets.test_set import TestSet


def keep_images(label_set: LabelSet, image_ids: Collection[str]) -> LabelSet:
    """The label set without the images that are not in the collection; order and verdicts stay as they are."""
    known = image_ids if isinstance(image_ids, set | frozenset | dict) else set(image_ids)
    kept = np.fromiter((one in known for one in label_set.image_ids.tolist()), np.bool_, count=len(label_set))
    if kept.all():
        return label_set
    is_kept_verdict = kept[label_set.rows]
    return LabelSet(
        name=label_set.name,
        image_ids=label_set.image_ids[kept],
        starts=np.concatenate(([0], np.cumsum(np.diff(label_set.starts)[kept]))),
        classes=label_set.classes[is_kept_verdict],
        verdicts=label_set.verdicts[is_kept_verdict],
        kind=label_set.kind,
        unlisted=label_set.unlisted,
        is_problematic=label_set.is_problematic[kept],
        main_labels=label_set.main_labels[kept],
        is_follow_up_only=label_set.is_follow_up_only,
    )


def make_label_set(test_set: TestSet) -> LabelSet:
    """Single labels as a label set: the one class of each image is correct, every other wrong; images without one are left out.

    Raises:
        InputError: no image has a label.
    """
    if not test_set.has_labels:
        raise InputError(f"No image of {test_set.name} has a label, so there are no labels to add.")
    is_kept = test_set.is_labelled
    n = int(is_kept.sum())
    return LabelSet(
        name=test_set.name,
        image_ids=test_set.image_ids[is_kept],
        starts=np.arange(n + 1),
        classes=test_set.labels[is_kept],
        verdicts=np.full(n, Verdict.CORRECT, np.int8),
        kind=LabelKind.MULTILABEL,
        unlisted=Unlisted.WRONG,
        is_problematic=np.zeros(n, np.bool_),
        main_labels=np.full(n, NO_CLASS, np.int32),
    )
