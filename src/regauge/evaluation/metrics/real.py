"""Accuracy by reassessed labels (Beyer et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from regauge.evaluation.judging import make_verdict_judge
from regauge.evaluation.outcomes import Judge, Metric, Need, RightOrWrong
from regauge.evaluation.targets import Target
from regauge.records.labels.label_set import LabelKind
from regauge.records.labels.verdicts import Verdict

ACCEPTED = frozenset({Verdict.CORRECT, Verdict.UNCLEAR})


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the first answer is in the image's reassessed list; an image with an empty list is left out."""
    for label_set in target.label_sets:
        if label_set.kind is LabelKind.REAL:
            is_counted = (np.diff(label_set.starts) > 0) & ~label_set.is_problematic
            yield make_verdict_judge(label_set, accepted=ACCEPTED, is_counted=is_counted)


REAL = Metric(
    name="real",
    title="ReaL",
    meaning="the first answer is one of the reassessed labels",
    needs=(Need.VERDICT,),
    outcome=RightOrWrong(find_judges),
    is_finding=True,
)
