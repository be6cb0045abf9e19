"""What people hand on to those who know more."""

from __future__ import annotations

from typing import NamedTuple

MAX_EXPERTISE = 60
"""Characters of what somebody is an expert of."""


class Referral(NamedTuple):
    """An item of a task that was referred: to which expertise, and the number of the task that asks experts about it."""

    words: str
    task_id: int


class ReferralCount(NamedTuple):
    """What a campaign has referred to one expertise.

    Attributes:
        words: the expertise.
        n_waiting: items that wait for an expert.
        n_judged: items that an expert has judged.
        n_experts: people who may be asked.
    """

    words: str
    n_waiting: int
    n_judged: int
    n_experts: int
