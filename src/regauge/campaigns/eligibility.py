"""Who may take a task: what a task asks of people stands in the task itself, in words that are the same for all kinds.

Whether somebody has seen an image in another campaign (exposure) is a matter of the terms of the campaign, not of a task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from regauge.records.campaigns.campaign import Payload

AFTER = "after"
"""Where a task names the positions of tasks that showed one of its pairs before: who had one of those does not get it."""
ONLY_AFTER = "only_after"
"""Where a task names the positions of tasks of which somebody must have answered one to get it: it may show others' answers."""
EXPERTISE = "expertise"
"""Where a task names what whoever gets it is an expert of, one of these at least; the first is what was asked for."""
PANEL = "panel"
"""Where a task or the settings of a campaign name those who may take it, by their numbers: a panel, or who knows a class."""
NOT_FOR = "not_for"
"""Where a task names those who may not take it, by their numbers: it asks about what they answered themselves."""


@dataclass(frozen=True, slots=True)
class Taker:
    """Somebody who wants a task.

    Attributes:
        annotator_id: their number.
        given: the positions of tasks of the campaign that they were given.
        answered: of those that they have answered.
        expertises: what they are an expert of.
    """

    annotator_id: int
    given: set[int] | frozenset[int] = frozenset()
    answered: set[int] | frozenset[int] = frozenset()
    expertises: frozenset[str] = frozenset()


def has_conditions(task: Payload) -> bool:
    """Whether a task is not for everybody."""
    return any(name in task for name in (AFTER, ONLY_AFTER, EXPERTISE, PANEL, NOT_FOR))


def may_take(task: Payload, taker: Taker) -> bool:
    """Whether somebody may be given a task.

    >>> may_take({"after": [0, 3]}, Taker(7, {0, 2}))
    False
    >>> [may_take({"only_after": [0, 3]}, Taker(7, {0, 2}, answered)) for answered in ({0}, {2})]
    [True, False]
    >>> may_take({"panel": [7, 8]}, Taker(7)), may_take({"panel": [8]}, Taker(7)), may_take({}, Taker(7))
    (True, False, True)
    >>> may_take({"not_for": [7]}, Taker(7)), may_take({"not_for": [7]}, Taker(8))
    (False, True)
    >>> may_take({"expertise": ["dog", "animal"]}, Taker(7, expertises=frozenset({"animal"})))
    True
    """
    if not taker.given.isdisjoint(task.get(AFTER, ())):
        return False
    if ONLY_AFTER in task and taker.answered.isdisjoint(task[ONLY_AFTER]):
        return False
    if EXPERTISE in task and taker.expertises.isdisjoint(task[EXPERTISE]):
        return False
    return taker.annotator_id not in task.get(NOT_FOR, ()) and is_on_panel(task, taker.annotator_id)


def is_on_panel(settings: Mapping[str, object], annotator_id: int) -> bool:
    """Whether a task, or a campaign by its settings, is open to somebody: to everybody where it names no panel."""
    panel = settings.get(PANEL)
    return not isinstance(panel, list | tuple) or annotator_id in panel
