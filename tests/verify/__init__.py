"""A whole kind of task outside the package: what docs/contributing.md tells, and the proof that nothing in `src/` knows of it."""

from __future__ import annotations

from tests.verify import answers, figures, making, results, rounds, task
from tests.verify.fields import FIELDS
from tests.verify.texts import TEXTS

from regauge.kinds.contract import KindOutput, TaskKind
from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import Kind

KIND = TaskKind(
    name=Kind("verify"),
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
)
WITH_VERIFY = {**KINDS, KIND.name: KIND}
"""The registry of a program that has it."""
