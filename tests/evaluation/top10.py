"""Top-10; absent for a participant who gives fewer answers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from regauge.arrays import IntArray
from regauge.evaluation.outcomes import DATASET_LABELS, Judge, Metric, Need, Outcome, OutcomeArray, RightOrWrong
from regauge.evaluation.targets import Target


def judge_ten(answers: IntArray, *, labels: IntArray) -> OutcomeArray:
    """Right where one of the first ten answers is the label; not counted without a label or an answer."""
    is_right = (answers[:, :10] == labels[:, np.newaxis]).any(axis=1)
    is_counted = (labels >= 0) & (answers[:, 0] >= 0)
    return np.where(is_counted, is_right, Outcome.NOT_COUNTED).astype(np.int8)


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the dataset label is among the first ten answers."""
    if target.has_dataset_labels:
        yield Judge(DATASET_LABELS, partial(judge_ten, labels=target.dataset_labels))


TOP_10 = Metric(
    name="top10",
    title="Top-10",
    meaning="one of the first ten answers is the dataset label",
    needs=(Need.DATASET_LABEL,),
    outcome=RightOrWrong(find_judges),
    n_answers=10,
)
