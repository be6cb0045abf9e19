"""Top-1 (Recht et al. 2019, §3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from regauge.evaluation.judging import judge_first
from regauge.evaluation.outcomes import DATASET_LABELS, Judge, Metric, Need, RightOrWrong
from regauge.evaluation.targets import Target


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the first answer is the dataset label."""
    if target.has_dataset_labels:
        yield Judge(DATASET_LABELS, partial(judge_first, labels=target.dataset_labels))


TOP_1 = Metric(
    name="top1",
    title="Top-1",
    meaning="the first answer is the dataset label",
    needs=(Need.DATASET_LABEL,),
    outcome=RightOrWrong(find_judges),
)
