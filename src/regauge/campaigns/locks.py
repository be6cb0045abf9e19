"""When an answer can no longer be changed: once others were shown it, or whoever gave it was told whether it is right."""

from __future__ import annotations

from regauge.records.campaigns.campaign import Payload

LOCKED = "locked"
"""Where a task says that its answers stay as they are."""
TOLD = "told"
"""The value of that where people are told after each answer whether it is right."""
REFUSAL = "This answer can no longer be changed: others have seen it."
TOLD_REFUSAL = "This answer can no longer be changed: you were told whether it is right."


def lock(task: Payload) -> Payload:
    """The task, whose answers stay as they are from now on."""
    return {**task, LOCKED: 1}


def find_lock(task: Payload) -> str:
    """Why answers to a task cannot be changed; empty where they can.

    >>> find_lock({"image": 0}), find_lock(lock({"image": 0}))
    ('', 'This answer can no longer be changed: others have seen it.')
    """
    if task.get(LOCKED) == TOLD:
        return TOLD_REFUSAL
    return REFUSAL if task.get(LOCKED) else ""
