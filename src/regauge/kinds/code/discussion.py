"""CODE: what coders agree or disagree about: whether it is a mistake, and, of those who say so, its category and severity."""

from __future__ import annotations

from collections.abc import Mapping

from regauge.kinds.code.task import CATEGORY, OVERTURNED, SEVERITY
from regauge.records.campaigns.campaign import Payload

VERDICT = "verdict"
MISTAKE, NO_MISTAKE = "a mistake", "no mistake"


def read_votes(task: Payload, answer: Payload) -> Mapping[str, str]:  # noqa: ARG001 - all tasks ask the same
    """What an answer says; whoever overturns a mistake says nothing of its category and severity."""
    if OVERTURNED in answer:
        return {VERDICT: NO_MISTAKE}
    if SEVERITY not in answer:
        return {}
    return {VERDICT: MISTAKE, CATEGORY: answer[CATEGORY], SEVERITY: answer[SEVERITY]}
