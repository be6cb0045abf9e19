"""Multi-label accuracy as the released evaluation of Vasudevan et al. (2022) has it: unclear is accepted."""

from __future__ import annotations

from collections.abc import Iterable

from regauge.evaluation.judging import find_multilabel_judges
from regauge.evaluation.outcomes import Judge, Metric, Need, RightOrWrong
from regauge.evaluation.targets import Target
from regauge.records.labels import Verdict


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the first answer was judged correct or unclear."""
    return find_multilabel_judges(target, accepted=frozenset({Verdict.CORRECT, Verdict.UNCLEAR}))


MULTILABEL_LENIENT = Metric(
    name="multilabel_lenient",
    title="Multi-label, lenient",
    meaning="people found the first answer in the image, or could not decide",
    needs=(Need.VERDICT,),
    outcome=RightOrWrong(find_judges),
    is_finding=True,
)
