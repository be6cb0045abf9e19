"""REVIEW, whole: see `task` for what it asks."""

from __future__ import annotations

from regauge.kinds.contract import KindOutput, TaskKind
from regauge.kinds.review import answers, completeness, figures, items, making, referrals, results, rounds, task
from regauge.kinds.review.fields import FIELDS
from regauge.kinds.review.texts import TEXTS
from regauge.records.campaigns.campaign import Kind
from regauge.records.exposure.exposures import ExposureRole

KIND: TaskKind = TaskKind(
    name=Kind("review"),
    package=__name__,
    gives=frozenset({KindOutput.VERDICTS}),
    texts=TEXTS,
    fields=FIELDS,
    task=task,
    making=making,
    answers=answers,
    figures=figures,
    results=results,
    rounds=rounds,
    referrals=referrals,
    items=items,
    completeness=completeness,
    has_threads=True,
    shows_as=ExposureRole.REVIEWER,
)
