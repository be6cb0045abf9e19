"""When an answer can no longer be changed: once others were shown it, for they answered with it before their eyes."""

from __future__ import annotations

from regauge.records.campaigns.campaign import Payload

LOCKED = "locked"
"""Where a task says that its answers stay as they are."""
REFUSAL = "This answer can no longer be changed: others have seen it."


def lock(task: Payload) -> Payload:
    """The task, whose answers stay as they are from now on."""
    return {**task, LOCKED: 1}


def find_lock(task: Payload) -> str:
    """Why answers to a task cannot be changed; empty where they can.

    >>> find_lock({"image": 0}), find_lock(lock({"image": 0}))
    ('', 'This answer can no longer be changed: others have seen it.')
    """
    return REFUSAL if task.get(LOCKED) else ""
