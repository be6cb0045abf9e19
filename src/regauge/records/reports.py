"""Reports: answers that say that nothing of what a task asks about could be shown. They are the same for every kind."""

from __future__ import annotations

from regauge.records.campaigns import Payload

VERSION = 2
NOT_SHOWN = "not_shown"
NOTHING_SHOWN: Payload = {"version": VERSION, NOT_SHOWN: True}
"""The one canonical form of a report."""


def is_report(answer: Payload) -> bool:
    """Whether an answer says that nothing was shown."""
    return answer.get(NOT_SHOWN) is True
