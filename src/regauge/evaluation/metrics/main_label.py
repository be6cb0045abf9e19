"""Accuracy by the main labels that annotators gave (Tsipras et al. 2020, §5.1)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.evaluation.judging import judge_first
from regauge.evaluation.outcomes import Judge, Metric, Need, RightOrWrong
from regauge.evaluation.targets import Target
from regauge.records.evaluation.scores import FOLLOW_UP_ONLY


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the first answer is the main label of the image."""
    for label_set in target.label_sets:
        if label_set.has_main_labels:
            labels = np.where(label_set.is_problematic, NO_CLASS, label_set.main_labels).astype(np.int32)
            remark = FOLLOW_UP_ONLY if label_set.is_follow_up_only else None
            yield Judge(label_set.name, partial(judge_first, labels=labels), remark)


MAIN_LABEL = Metric(
    name="main_label",
    title="Main label",
    meaning="the first answer is the main object",
    needs=(Need.MAIN_LABEL,),
    outcome=RightOrWrong(find_judges),
)
