"""Easy images: they need no CLASSIFY, and count as one object whose main label is the dataset label.

After CONTAINS an image goes to CLASSIFY only if annotators may see something beside its dataset label (Tsipras et al. 2020,
appendix B.2). Those that do not go there are the clear ones, so figures on objects and main labels from CLASSIFY images
alone are about the unclear rest: models then seem worse on images with one object than on images with several, the reverse
of what the paper finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IdArray
from regauge.errors import InputError
from regauge.labels.objects.aggregation import make_object_labels
from regauge.records.candidates import SplitPart
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.objects import ClassifyLabels, ImageObjects
from regauge.records.labels.verdicts import Verdict
from regauge.records.testsets.test_set import TestSet


def find_easy(parts: Mapping[str, SplitPart], test_set: TestSet) -> TestSet:
    """The easy images with their dataset labels, in the order of the parts.

    Args:
        parts: image id → where it went after CONTAINS.
        test_set: the dataset labels.

    Raises:
        InputError: the dataset label of an easy image is not known.
    """
    label_of = dict(zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True))
    easy = [image_id for image_id, part in parts.items() if part is SplitPart.EASY]
    unknown = [image_id for image_id in easy if label_of.get(image_id, NO_CLASS) == NO_CLASS]
    if unknown:
        raise InputError(
            f"{len(unknown):,} of {len(easy):,} easy images, the first being {unknown[0]!r}, have no dataset label in "
            f"{test_set.name}; an easy image counts as one object, its dataset label."
        )
    return TestSet("easy", np.array(easy, np.str_), np.array([label_of[one] for one in easy], np.int32))


def make_truth(labels: ClassifyLabels, easy: TestSet | None) -> Truth:
    """The truth that CLASSIFY answers and easy images make: the name of every object is correct, and nothing else.

    An easy image that people were asked about all the same has what they answered. One that is not easy and has no accepted
    answer is left out.

    Args:
        labels: what the answers say.
        easy: the easy images with their dataset labels; None where nobody knows which are, so that the labels are those of
            follow-up images alone, and say so.
    """
    answered, objects = make_object_labels(labels), _keep_answered(labels)
    if easy is None:
        return Truth(label_sets=(replace(answered, is_follow_up_only=True),), objects=(objects,))
    added = _leave_out(easy, answered.image_ids)
    return Truth(label_sets=(_join_labels(answered, added),), objects=(_join_objects(objects, added),))


def add_easy(objects: ImageObjects, easy: TestSet) -> ImageObjects:
    """The objects with those of easy images; an image whose objects are known keeps them, and one without any is left out.

    Args:
        objects: the objects of images that people were asked about.
        easy: the easy images with their dataset labels.
    """
    answered = _keep_known(objects, objects.n_objects > 0)
    return _join_objects(answered, _leave_out(easy, answered.image_ids))


def _leave_out(easy: TestSet, image_ids: IdArray) -> TestSet:
    """The easy images that are not among some others."""
    is_new = ~np.isin(easy.image_ids, image_ids)
    return TestSet(easy.name, easy.image_ids[is_new], easy.labels[is_new])


def _keep_answered(labels: ClassifyLabels) -> ImageObjects:
    """The objects of the images that have an accepted answer; the others have none."""
    return _keep_known(labels.objects, labels.n_accepted > 0)


def _keep_known(objects: ImageObjects, kept: BoolArray) -> ImageObjects:
    """The objects of some images; the others must have none."""
    return replace(
        objects,
        image_ids=objects.image_ids[kept],
        object_starts=np.concatenate(([0], np.cumsum(objects.n_objects[kept]))),
        main_objects=objects.main_objects[kept],
    )


def _join_labels(answered: LabelSet, easy: TestSet) -> LabelSet:
    n = len(easy)
    return replace(
        answered,
        image_ids=np.concatenate((answered.image_ids, easy.image_ids), dtype=np.str_),
        starts=np.concatenate((answered.starts, answered.starts[-1] + 1 + np.arange(n))),
        classes=np.concatenate((answered.classes, easy.labels)),
        verdicts=np.concatenate((answered.verdicts, np.full(n, Verdict.CORRECT, np.int8))),
        is_problematic=np.concatenate((answered.is_problematic, np.zeros(n, np.bool_))),
        main_labels=np.concatenate((answered.main_labels, easy.labels)),
    )


def _join_objects(answered: ImageObjects, easy: TestSet) -> ImageObjects:
    n = len(easy)
    return ImageObjects(
        name=answered.name,
        image_ids=np.concatenate((answered.image_ids, easy.image_ids), dtype=np.str_),
        object_starts=np.concatenate((answered.object_starts, answered.object_starts[-1] + 1 + np.arange(n))),
        names=np.concatenate((answered.names, easy.labels)),
        label_starts=np.concatenate((answered.label_starts, answered.label_starts[-1] + 1 + np.arange(n))),
        classes=np.concatenate((answered.classes, easy.labels)),
        main_objects=np.concatenate((answered.main_objects, np.zeros(n, np.int32))),
    )
