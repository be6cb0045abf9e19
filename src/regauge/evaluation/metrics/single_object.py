"""Accuracy on images of one object (Tsipras et al. 2020, §4)."""

from __future__ import annotations

from collections.abc import Iterable

from regauge.evaluation.objects import find_name_judges
from regauge.evaluation.outcomes import Judge, Metric, Need, RightOrWrong
from regauge.evaluation.targets import Target


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the first answer names the object, on images that have one."""
    return find_name_judges(target, has_several=False)


SINGLE_OBJECT = Metric(
    name="single_object",
    title="Single object",
    meaning="the first answer names the only object in the image",
    needs=(Need.OBJECT,),
    outcome=RightOrWrong(find_judges),
)
