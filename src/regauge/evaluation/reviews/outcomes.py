"""What every first answer of a review is worth, as far as verdicts go."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.candidates.review_queue import find_open_items
from regauge.errors import InputError
from regauge.evaluation.judging import make_verdict_judge
from regauge.evaluation.metrics.multilabel import LENIENT, STRICT
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.targets import line_up
from regauge.labels.selection import keep_images
from regauge.records.evaluation.reviews import ReviewField, ReviewMetric
from regauge.records.labels.label_set import Truth
from regauge.records.labels.reviews import ReviewItems


def judge_field(field: ReviewField, metric: ReviewMetric) -> OutcomeArray:
    """Outcomes [participants, images], by the rule of the multi-label metrics: what has no verdict is unjudged.

    Two things differ from a score of the same labels. Images that the label set does not list take part, for a review will get to
    them. And a dataset label that is trusted is right where nobody has judged it.

    Raises:
        InputError: the label set is of other images.
    """
    outcomes = np.full(field.answers.shape, Outcome.UNJUDGED, np.int8)
    if field.label_set is not None:
        kept = keep_images(field.label_set, field.test_set.image_ids.tolist())
        if len(field.label_set) and not len(kept):
            raise InputError(
                f"Label set {field.label_set.name} judges no image of {field.test_set.name}; name one of the same images."
            )
        target = line_up(Truth(field.test_set, (kept,)))
        label_set, is_known = target.label_sets[0], target.is_known[0]
        accepted = STRICT if metric is ReviewMetric.STRICT else LENIENT
        judge = make_verdict_judge(label_set, accepted=accepted, is_counted=is_known & ~label_set.is_problematic)
        for row, answers in enumerate(field.answers):
            outcomes[row, is_known] = judge.judge(answers[:, np.newaxis])[is_known]
    if field.trust_dataset_labels:
        outcomes[(outcomes == Outcome.UNJUDGED) & (field.answers == field.test_set.labels)] = Outcome.RIGHT
    outcomes[field.answers == NO_CLASS] = Outcome.NOT_COUNTED
    return outcomes


def find_field_items(field: ReviewField) -> ReviewItems:
    """What is open of these answers, and of dataset labels unless they are trusted."""
    return find_open_items(
        field.test_set.image_ids,
        field.test_set.labels,
        answers=field.answers,
        label_set=field.label_set,
        trust_dataset_labels=field.trust_dataset_labels,
    )
