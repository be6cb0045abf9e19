"""Accuracy on images of several objects (Tsipras et al. 2020, §4)."""

from __future__ import annotations

from collections.abc import Iterable

from regauge.evaluation.objects import find_name_judges
from regauge.evaluation.outcomes import Judge, Metric, Need, RightOrWrong
from regauge.evaluation.targets import Target


def find_judges(target: Target) -> Iterable[Judge]:
    """Right where the first answer names one of the objects, on images that have several."""
    return find_name_judges(target, has_several=True)


MULTI_OBJECT = Metric(
    name="multi_object",
    title="Multi-object",
    meaning="the first answer names one of the several objects in the image",
    needs=(Need.OBJECT,),
    outcome=RightOrWrong(find_judges),
)
