"""Accuracy by the names of objects, on images of one object and on images of several (Tsipras et al. 2020, §4)."""

from __future__ import annotations

from functools import partial

from regauge.evaluation.objects import find_name_judges
from regauge.evaluation.outcomes import Metric, Need, RightOrWrong

SINGLE_OBJECT = Metric(
    name="single_object",
    title="Single object",
    meaning="the first answer names the only object in the image",
    needs=(Need.OBJECT,),
    outcome=RightOrWrong(partial(find_name_judges, has_several=False)),
)

MULTI_OBJECT = Metric(
    name="multi_object",
    title="Multi-object",
    meaning="the first answer names one of the several objects in the image",
    needs=(Need.OBJECT,),
    outcome=RightOrWrong(partial(find_name_judges, has_several=True)),
)
