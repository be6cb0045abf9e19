"""Which tasks come first: those with the higher priority, and of equal ones those that were made first.

A campaign may instead give everybody an order of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from regauge.arrays import IntArray, freeze
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


@lru_cache(maxsize=256)
def order_positions(seed: int, annotator_id: int, *, n: int) -> IntArray:
    """The positions of n tasks in the order in which somebody gets them, decided by the seed and who they are alone.

    >>> order_positions(7, 1, n=4).tolist() == order_positions(7, 1, n=4).tolist()
    True
    """
    return freeze(np.random.default_rng([seed, annotator_id]).permutation(n).astype(np.int32), np.int32)
