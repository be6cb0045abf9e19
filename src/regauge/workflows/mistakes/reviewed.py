"""What a study knows of a reviewed participant: its answers, the coded mistakes, and the label sets that led to these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regauge.errors import InputError
from regauge.evaluation.targets import line_up
from regauge.labels.selection import keep_images
from regauge.mistakes.finding import AppliedLabels, apply_labels
from regauge.records.labels.label_set import Truth
from regauge.records.mistakes.coding import CodingEntry, MistakeCoding
from regauge.records.predictions import Predictions
from regauge.records.studies import SUPERSEDED, LabelSetEntry, TestSetEntry
from regauge.storage.labels.label_set import find_versions, get_label_set, load_label_set
from regauge.storage.predictions import list_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_test_set


@dataclass(frozen=True, slots=True, eq=False)
class ReviewedAnswers:
    """A participant's answers, and label sets over the same images, the earliest first.

    Attributes:
        predictions: the answers; where the study has none, the coded ones alone.
        applied: the label sets.
        is_coded_alone: whether only coded answers are known.
    """

    predictions: Predictions
    applied: tuple[AppliedLabels, ...]
    is_coded_alone: bool


def list_versions(study: Study, entry: CodingEntry) -> tuple[LabelSetEntry, ...]:
    """All versions of the label set of a coding up to its own, without those that an erasure made void."""
    base, _, number = entry.labels.rpartition("@")
    versions = [one for one in find_versions(study, base) if one.version <= int(number)]
    return tuple(one for one in versions if SUPERSEDED not in one.provenance or one.full_name == entry.labels)


def open_reviewed(
    study: Study, test_set: TestSetEntry, *, labels: Sequence[str], whose: MistakeCoding | str, is_strict: bool = False
) -> ReviewedAnswers:
    """The answers of a participant, or of that of a coding, under these label sets.

    Raises:
        InputError: there is no such label set, none of its images is in the test set, or a participant who is named has no
            answers.
    """
    images = load_test_set(study, test_set)
    known = set(images.image_ids.tolist())
    label_sets = []
    for name in dict.fromkeys(labels):
        entry = get_label_set(study, name)
        kept = keep_images(load_label_set(study, entry), known)
        if not len(kept):
            raise InputError(f"Label set {entry.full_name} covers no image of the test set.")
        label_sets.append(kept)
    target = line_up(Truth(images, tuple(label_sets)), n_classes=len(study.taxonomy))
    applied = tuple(apply_labels(target, place, is_strict=is_strict) for place in range(len(label_sets)))
    name = whose if isinstance(whose, str) else whose.participant
    mine = next((one for one in list_predictions(study, test_set) if one.participant == name), None)
    if mine is None and not isinstance(whose, str):
        return ReviewedAnswers(_stand_in(whose), applied, is_coded_alone=True)
    if mine is None:
        raise InputError(f"{name} has no predictions on {test_set.name}.")
    answers = load_predictions(study, mine, test_set=images, digest=test_set.digest)
    return ReviewedAnswers(answers, applied, is_coded_alone=False)


def _stand_in(coding: MistakeCoding) -> Predictions:
    """The answers that a coding is about: one for each image."""
    image_ids = np.concatenate([coding.coded.image_ids, coding.overturned.image_ids])
    classes = np.concatenate([coding.coded.predictions, coding.overturned.predictions])
    _, first = np.unique(image_ids, return_index=True)
    rows = np.sort(first)
    return Predictions(coding.participant, image_ids[rows], classes[rows])
