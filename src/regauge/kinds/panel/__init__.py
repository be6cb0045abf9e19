"""PANEL, whole: see `task` for what it asks."""

from __future__ import annotations

from regauge.kinds.contract import KindOutput, TaskKind
from regauge.kinds.panel import answers, discussion, figures, making, results, task
from regauge.kinds.panel.fields import FIELDS
from regauge.kinds.panel.texts import TEXTS
from regauge.records.campaigns.campaign import Kind
from regauge.records.exposure.exposures import ExposureRole

KIND: TaskKind = TaskKind(
    name=Kind("panel"),
    package=__name__,
    gives=frozenset({KindOutput.VERDICTS}),
    texts=TEXTS,
    fields=FIELDS,
    task=task,
    making=making,
    answers=answers,
    figures=figures,
    results=results,
    discussion=discussion,
    shows_as=ExposureRole.REVIEWER,
)
