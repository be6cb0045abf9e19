"""CLASSIFY, whole: see `task` for what it asks."""

from __future__ import annotations

from regauge.kinds.classify import answers, figures, making, results, task
from regauge.kinds.classify.fields import FIELDS
from regauge.kinds.classify.texts import TEXTS
from regauge.kinds.contract import KindOutput, TaskKind
from regauge.records.campaigns.campaign import Kind

KIND: TaskKind = TaskKind(
    name=Kind("classify"),
    package=__name__,
    gives=frozenset({KindOutput.VERDICTS, KindOutput.OBJECTS}),
    texts=TEXTS,
    fields=FIELDS,
    task=task,
    making=making,
    answers=answers,
    figures=figures,
    results=results,
)
