"""Whose work is approved: everybody's who did their share and was not dropped. Nobody is rejected unless that is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from regauge.records.campaigns.hits import HitAction, HitAssignment, Ruling
from regauge.records.campaigns.visits import VisitState

RULE = "Approved is whoever did their share, or all that there was for them, and was not dropped."


def judge(assignments: Iterable[HitAssignment], *, rejects: bool = False) -> tuple[Ruling, ...]:
    """What the rule says of every assignment.

    Rejections are held against workers for good, so that by default what is not approved is left to people: to look at, or to
    Mechanical Turk, which approves by itself after a while.

    Args:
        assignments: what workers handed in.
        rejects: whether those who did not do their share, or were dropped, are rejected.
    """
    return tuple(_judge(one, HitAction.REJECT if rejects else HitAction.LEAVE) for one in assignments)


def _judge(one: HitAssignment, otherwise: HitAction) -> Ruling:
    if one.status != "Submitted":
        return Ruling(one, HitAction.LEAVE, f"was {one.status.lower()} before")
    if one.state is None:
        return Ruling(one, otherwise, "handed in without a visit here")
    if one.is_dropped:
        return Ruling(one, otherwise, "was dropped from the campaign")
    if one.state is not VisitState.COMPLETED:
        return Ruling(one, otherwise, f"did not do the share ({one.n_done} done)")
    return Ruling(one, HitAction.APPROVE, f"did the share ({one.n_done} done)")
