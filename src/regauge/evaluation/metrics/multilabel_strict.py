"""Multi-label accuracy after Shankar et al. (2020, §3.2): only what was judged correct is accepted."""

from __future__ import annotations

from collections.abc import Iterable

from regauge.evaluation.judging import find_multilabel_judges
from regauge.evaluation.outcomes import Judge, Metric, Need, RightOrWrong
from regauge.evaluation.targets import Target
from regauge.records.labels import Verdict


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the first answer was judged correct."""
    return find_multilabel_judges(target, accepted=frozenset({Verdict.CORRECT}))


MULTILABEL_STRICT = Metric(
    name="multilabel_strict",
    title="Multi-label, strict",
    meaning="people found the first answer in the image",
    needs=(Need.VERDICT,),
    outcome=RightOrWrong(find_judges),
)
