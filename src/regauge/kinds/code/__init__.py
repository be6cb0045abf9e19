"""CODE, whole: see `task` for what it asks."""

from __future__ import annotations

from regauge.kinds.code import answers, discussion, figures, items, making, results, task
from regauge.kinds.code.fields import FIELDS
from regauge.kinds.code.texts import TEXTS
from regauge.kinds.contract import KindOutput, TaskKind
from regauge.records.campaigns.campaign import Kind
from regauge.records.exposure.exposures import ExposureRole

KIND: TaskKind = TaskKind(
    name=Kind("code"),
    package=__name__,
    gives=frozenset({KindOutput.CODED_MISTAKES, KindOutput.VERDICTS}),
    texts=TEXTS,
    fields=FIELDS,
    task=task,
    making=making,
    answers=answers,
    figures=figures,
    results=results,
    items=items,
    discussion=discussion,
    shows_as=ExposureRole.REVIEWER,
)
