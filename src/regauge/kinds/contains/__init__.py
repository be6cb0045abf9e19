"""CONTAINS, whole: see `task` for what it asks."""

from __future__ import annotations

from regauge.kinds.contains import answers, figures, making, results, rounds, task
from regauge.kinds.contains.fields import FIELDS
from regauge.kinds.contains.texts import TEXTS
from regauge.kinds.contract import KindOutput, TaskKind
from regauge.records.campaigns.campaign import Kind

KIND: TaskKind = TaskKind(
    name=Kind("contains"),
    package=__name__,
    gives=frozenset({KindOutput.VERDICTS, KindOutput.SELECTION_COUNTS}),
    texts=TEXTS,
    fields=FIELDS,
    task=task,
    making=making,
    answers=answers,
    figures=figures,
    results=results,
    rounds=rounds,
)
