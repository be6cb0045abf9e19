"""Multi-label accuracy: what people found in the image is accepted, whatever the dataset label is."""

from __future__ import annotations

from functools import partial

from regauge.evaluation.judging import find_multilabel_judges
from regauge.evaluation.outcomes import Metric, Need, RightOrWrong
from regauge.records.labels.verdicts import Verdict

LENIENT = frozenset({Verdict.CORRECT, Verdict.UNCLEAR})
"""Unclear is accepted, as in the released evaluation of Vasudevan et al. (2022)."""
STRICT = frozenset({Verdict.CORRECT})
"""Only what was judged correct is accepted, after Shankar et al. (2020, §3.2)."""

MULTILABEL_LENIENT = Metric(
    name="multilabel_lenient",
    title="Multi-label, lenient",
    meaning="people found the first answer in the image, or could not decide",
    needs=(Need.VERDICT,),
    outcome=RightOrWrong(partial(find_multilabel_judges, accepted=LENIENT)),
    is_finding=True,
)

MULTILABEL_STRICT = Metric(
    name="multilabel_strict",
    title="Multi-label, strict",
    meaning="people found the first answer in the image",
    needs=(Need.VERDICT,),
    outcome=RightOrWrong(partial(find_multilabel_judges, accepted=STRICT)),
)
