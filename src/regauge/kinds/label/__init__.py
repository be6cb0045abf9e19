"""LABEL, whole: see `task` for what it asks."""

from __future__ import annotations

from regauge.kinds.contract import KindOutput, TaskKind
from regauge.kinds.label import answers, figures, making, results, task
from regauge.kinds.label.fields import FIELDS
from regauge.kinds.label.texts import TEXTS
from regauge.records.campaigns.campaign import Kind

KIND: TaskKind = TaskKind(
    name=Kind("label"),
    package=__name__,
    gives=frozenset({KindOutput.PREDICTIONS}),
    texts=TEXTS,
    fields=FIELDS,
    task=task,
    making=making,
    answers=answers,
    figures=figures,
    results=results,
)
