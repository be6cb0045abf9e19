"""What top-5 accuracy forgives (Tsipras et al. 2020, appendix C.1).

Of images whose dataset label is among answers 2 to 5: the first answer is another object that is present. Where it is,
top-5 accuracy forgives what was not a mistake; where it is not, top-5 accuracy forgives a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from regauge.arrays import BoolArray, IntArray
from regauge.evaluation.lookups import NO_PAIR, PairLookup
from regauge.evaluation.objects import find_objects, find_remark, is_known
from regauge.evaluation.outcomes import Judge, Metric, Need, Outcome, OutcomeArray, RightOrWrong
from regauge.evaluation.targets import Target


def judge_corrections(answers: IntArray, *, labels: IntArray, lookup: PairLookup, is_known: BoolArray) -> OutcomeArray:
    """Right where the first answer and the dataset label mean different objects of the image."""
    is_corrected = (answers[:, 1:5] == labels[:, np.newaxis]).any(axis=1) & (labels >= 0)
    answered, filed = lookup.find(answers[:, 0]), lookup.find(labels)
    are_two = (answered != NO_PAIR) & (filed != NO_PAIR) & (answered != filed)
    outcomes = np.where(are_two, Outcome.RIGHT, Outcome.WRONG)
    return np.where(is_corrected & is_known, outcomes, Outcome.NOT_COUNTED).astype(np.int8)


def find_judges(target: Target) -> Iterable[Judge]:
    """A judge per table of objects, where there are dataset labels too."""
    if not target.has_dataset_labels:
        return
    for objects in target.objects:
        judge = partial(
            judge_corrections,
            labels=target.dataset_labels,
            lookup=find_objects(target, objects),
            is_known=is_known(target, objects),
        )
        yield Judge(objects.name, judge, find_remark(target, objects))


TOP_5_CORRECTIONS = Metric(
    name="top5_corrections",
    title="Top-5 corrections",
    meaning="where only answers 2 to 5 hold the dataset label, the first is another object in the image",
    needs=(Need.DATASET_LABEL, Need.OBJECT),
    outcome=RightOrWrong(find_judges),
    n_answers=5,
)
