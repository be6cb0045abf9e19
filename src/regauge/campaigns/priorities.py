"""Which tasks come first: those with the higher priority, and of equal ones those that were made first."""

from __future__ import annotations

from collections.abc import Sequence

from regauge.records.campaigns.campaign import Payload

PRIORITY = "priority"
"""Where a task says how urgent it is; 0 unless it says so."""


def get_priority(task: Payload) -> int:
    """How urgent a task is."""
    return int(task.get(PRIORITY, 0))


def order_tasks(tasks: Sequence[Payload]) -> list[Payload]:
    """The tasks as they are to be given out.

    >>> order_tasks([{"image": 0}, {"image": 1, "priority": 2}, {"image": 2}])
    [{'image': 1, 'priority': 2}, {'image': 0}, {'image': 2}]
    """
    # Sorting is stable: equal ones stay in the order in which they were made.
    return sorted(tasks, key=lambda task: -get_priority(task))
