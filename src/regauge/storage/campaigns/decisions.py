"""Who was dropped from a campaign, and which answers count after that ↔ rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, insert, select, update

from regauge.records.campaigns.campaign import CampaignEntry, Decision, ResponseStatus
from regauge.storage.campaigns.campaign import count_up_generation, is_work, was_shown
from regauge.storage.database.schema import annotators, assignments, decisions, responses, tasks
from regauge.storage.study import Study

_CHUNK = 500


class _Given(NamedTuple):
    """The answers of somebody to a task: which they are, and what they are good for."""

    task_id: int
    annotator_id: int
    first_id: int
    status: ResponseStatus


def insert_decision(study: Study, campaign: CampaignEntry, *, annotator_id: int, is_dropped: bool, reason: str) -> None:
    """Drop somebody from a campaign, or take them back; their answers are counted anew, and tasks reopen by themselves."""
    row = {
        "campaign_id": campaign.id,
        "annotator_id": annotator_id,
        "is_dropped": is_dropped,
        "reason": reason,
        "who": study.around.who,
        "at": study.around.now(),
    }
    study.connection.execute(insert(decisions), row)
    recount(study, campaign, _list_tasks_of(study, campaign, annotator_id))


def list_decisions(study: Study, campaign: CampaignEntry) -> tuple[Decision, ...]:
    """Every decision about the annotators of a campaign, the oldest first."""
    query = (
        select(annotators.c.name, *(decisions.c[name] for name in ("is_dropped", "reason", "who", "at")))
        .join(annotators, annotators.c.id == decisions.c.annotator_id)
        .where(decisions.c.campaign_id == campaign.id)
        .order_by(decisions.c.id)
    )
    return tuple(Decision(*row) for row in study.connection.execute(query))


def find_dropped(study: Study, campaign: CampaignEntry) -> frozenset[int]:
    """Whose answers to the campaign do not count."""
    last = select(func.max(decisions.c.id)).where(decisions.c.campaign_id == campaign.id)
    query = select(decisions.c.annotator_id).where(
        decisions.c.id.in_(last.group_by(decisions.c.annotator_id)), decisions.c.is_dropped
    )
    return frozenset(study.connection.scalars(query))


def is_dropped(campaign_id: ColumnElement[int], annotator_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether somebody's answers to a campaign do not count: the last decision holds, and there is none for most people."""
    mine = (decisions.c.campaign_id == campaign_id, decisions.c.annotator_id == annotator_id)
    last = select(decisions.c.is_dropped).where(*mine).order_by(decisions.c.id.desc()).limit(1)
    return func.coalesce(last.scalar_subquery(), False)


def recount(study: Study, campaign: CampaignEntry, task_ids: Sequence[int]) -> None:
    """Decide anew which answers to some tasks count.

    Those that count go on doing so unless their annotator is dropped; where they are too few, others follow in the order in
    which they came. The rest are surplus.
    """
    dropped = find_dropped(study, campaign)
    wanted = _find_unusual(study, campaign)
    usual = campaign.plan.n_annotators
    changes = list(
        chain.from_iterable(
            _decide(given, wanted.get(given[0].task_id, usual), dropped) for given in _load_given(study, task_ids)
        )
    )
    if changes:
        change = (
            update(responses)
            .where(responses.c.task_id == bindparam("task"), responses.c.annotator_id == bindparam("one"))
            .values(status=bindparam("new"))
        )
        study.connection.execute(change, changes)
    count_up_generation(study, campaign)


def _decide(given: Sequence[_Given], n_annotators: int, dropped: Collection[int]) -> Iterator[dict[str, Any]]:
    """The changes of status at one task."""
    # Sorting is stable: among equals those who came first are first.
    in_turn = sorted(given, key=lambda one: (one.status is not ResponseStatus.COUNTED, one.first_id))
    n_counted = 0
    for one in in_turn:
        if one.annotator_id in dropped:
            status = ResponseStatus.DROPPED
        elif n_counted < n_annotators:
            status, n_counted = ResponseStatus.COUNTED, n_counted + 1
        else:
            status = ResponseStatus.SURPLUS
        if status is not one.status:
            yield {"task": one.task_id, "one": one.annotator_id, "new": status.value}


def _find_unusual(study: Study, campaign: CampaignEntry) -> dict[int, int]:
    """The tasks that another number of people answer than the campaign plans, with that number."""
    is_unusual = and_(tasks.c.campaign_id == campaign.id, tasks.c.n_wanted.is_not(None))
    found = study.connection.execute(select(tasks.c.id, tasks.c.n_wanted).where(is_unusual))
    return {row.id: row.n_wanted for row in found}


def _load_given(study: Study, task_ids: Sequence[int]) -> Iterator[list[_Given]]:
    """Task by task, whose answers it has."""
    for start in range(0, len(task_ids), _CHUNK):
        chunk = task_ids[start : start + _CHUNK]
        by_task = defaultdict(list)
        for task_id, annotator_id, first_id, status in study.connection.execute(_select_given(chunk)):
            by_task[task_id].append(_Given(task_id, annotator_id, first_id, ResponseStatus(status)))
        yield from by_task.values()


def _select_given(task_ids: Sequence[int]) -> Select[Any]:
    columns = (responses.c.task_id, responses.c.annotator_id)
    # Answers of one person to one task always have the same status.
    found = select(*columns, func.min(responses.c.id), func.max(responses.c.status))
    may_count = and_(was_shown(), responses.c.status != ResponseStatus.UNSEEN.value)
    return found.where(responses.c.task_id.in_(task_ids), may_count).group_by(*columns)


def _list_tasks_of(study: Study, campaign: CampaignEntry, annotator_id: int) -> list[int]:
    query = (
        select(tasks.c.id)
        .join(assignments, assignments.c.task_id == tasks.c.id)
        .where(tasks.c.campaign_id == campaign.id, is_work(), assignments.c.annotator_id == annotator_id)
        .order_by(tasks.c.position)
    )
    return list(study.connection.scalars(query))
