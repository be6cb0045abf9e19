"""What must be known to store answers, and is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from regauge.records.campaigns import FreeTime, Kind, Payload


class Credit(Protocol):
    """How many of the seconds that are claimed are credited, and what is free after that."""

    def __call__(self, free: FreeTime, claimed: float, *, leased_at: int, now: int) -> tuple[float, FreeTime]:
        """See `regauge.campaigns.credit`."""


class Rules(NamedTuple):
    """The rules of the stages that storing answers follows.

    Attributes:
        parse: from the kind, the task and an answer to the answer in its canonical form; raises InputError.
        is_unseen: from the same and a parsed answer to whether it says nothing of what the task asks.
        find_lock: from a task to why answers to it cannot be changed; empty where they can.
        credit: see `Credit`.
    """

    parse: Callable[[Kind, Payload, Payload], Payload]
    is_unseen: Callable[[Kind, Payload, Payload], bool]
    find_lock: Callable[[Payload], str]
    credit: Credit
