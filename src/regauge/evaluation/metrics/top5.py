"""Top-5; absent for a participant who gives fewer answers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from regauge.arrays import IntArray
from regauge.evaluation.judging import leave_unanswered
from regauge.evaluation.outcomes import DATASET_LABELS, Judge, Metric, Need, OutcomeArray, RightOrWrong
from regauge.evaluation.targets import Target

N_ANSWERS = 5


def judge_five(answers: IntArray, *, labels: IntArray) -> OutcomeArray:
    """Right where one of the first five answers is the label."""
    is_hit = answers[:, 0] == labels
    # Rank by rank: NumPy takes five times as long to look along rows of five.
    for rank in range(1, min(N_ANSWERS, answers.shape[1])):
        is_hit |= answers[:, rank] == labels
    return leave_unanswered(is_hit.astype(np.int8), answers, labels=labels)


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the dataset label is among the first five answers."""
    if target.has_dataset_labels:
        yield Judge(DATASET_LABELS, partial(judge_five, labels=target.dataset_labels))


TOP_5 = Metric(
    name="top5",
    title="Top-5",
    meaning="one of the first five answers is the dataset label",
    needs=(Need.DATASET_LABEL,),
    outcome=RightOrWrong(find_judges),
    n_answers=5,
)
