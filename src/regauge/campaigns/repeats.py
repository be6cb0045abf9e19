"""When somebody is asked once more what they have answered before."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

MIN_APART = 5
"""So many other tasks lie between a task and its repeat at least."""

WINDOW = 6
"""Within so many tasks a repeat is made up for."""


def count_due(n_tasks: int, *, share: float, key: str) -> int:
    """How many of the first n tasks of somebody are repeats.

    After the first ones, which have nothing to repeat, there is one repeat in every stretch of 1 / share tasks, at a place that
    the key decides: the share is kept closely, and nobody can work out when the next one comes.

    >>> [count_due(n, share=0.1, key="a") for n in (6, 16, 26, 106)]
    [0, 1, 2, 10]
    """
    stretches = share * max(0, n_tasks - MIN_APART - 1)
    n_whole = int(stretches + 1e-9)
    return n_whole + (stretches - n_whole > hash_to_share(f"{key}:{n_whole}"))


def is_due(n_tasks: int, recent: Sequence[bool], *, share: float, key: str) -> bool:
    """Whether the next task of somebody is to be a repeat.

    A repeat that could not be had at its place comes within the next few tasks, or not at all: else a share that is raised in the
    middle of a campaign would bring repeats one after the other.

    Args:
        n_tasks: how many they were given.
        recent: of the last ones, whether they were repeats, the latest last.
        share: repeats per task.
        key: decides the places.
    """
    until = n_tasks + 1
    due = count_due(until, share=share, key=key) - count_due(max(0, until - WINDOW), share=share, key=key)
    return sum(recent[1 - WINDOW :]) < due


def hash_to_share(key: str) -> float:
    """A number from 0 to 1 that the key decides."""
    # A checksum such as CRC would give people whose numbers differ by one bit nearly the same places.
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=6).digest(), "big") / 2**48
