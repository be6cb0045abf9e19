"""Predictions and verdicts → the first answers that a review judges."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.studies import TestSetEntry
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.predictions import get_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_test_set


def load_review_field(study: Study, entry: TestSetEntry, *, labels: str | None = None) -> ReviewField:
    """The first answers of everybody on a test set, with the verdicts of a label set.

    Raises:
        InputError: there is no such label set, or nobody has predictions.
    """
    images, predictions = load_test_set(study, entry), get_predictions(study, entry)
    answers = np.full((len(predictions), len(images)), NO_CLASS, np.int32)
    for row, one in enumerate(predictions):
        loaded = load_predictions(study, one, test_set=images, digest=entry.digest)
        # Answers come in the order of the test set; those that are missing are left out.
        is_answered = np.isin(images.image_ids, loaded.image_ids) if len(loaded) < len(images) else np.s_[:]
        answers[row, is_answered] = loaded.classes[:, 0]
    label_set = None if labels is None else load_label_set(study, get_label_set(study, labels))
    return ReviewField(images, tuple(one.participant for one in predictions), answers, label_set)
