"""Tasks besides those that a campaign began with: examples, questions of its quiz, hidden repeats, more rounds ↔ rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, insert, select

from regauge.records.campaigns.campaign import CampaignEntry, Payload, TaskRole
from regauge.records.studies import LabelSetEntry
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.schema import campaign_rounds, campaigns, tasks
from regauge.storage.study import Study

N_FIRST_TASKS = "n_first_tasks"
"""Where the settings of a campaign that has got more rounds say how many tasks the first one had."""


def insert_extra_tasks(
    study: Study, campaign: CampaignEntry, *, role: TaskRole, payloads: Sequence[Payload], source_id: int | None = None
) -> tuple[int, ...]:
    """Store tasks after all others of the campaign; returns their numbers."""
    if not payloads:
        return ()
    last = study.connection.scalar(select(func.max(tasks.c.position)).where(tasks.c.campaign_id == campaign.id))
    start = 0 if last is None else last + 1
    rows = [
        {
            "campaign_id": campaign.id,
            "position": position,
            "payload": dict(payload),
            "role": role.value,
            "source_id": source_id,
        }
        for position, payload in enumerate(payloads, start)
    ]
    study.connection.execute(insert(tasks), rows)
    mine = and_(tasks.c.campaign_id == campaign.id, tasks.c.position >= start)
    return tuple(study.connection.scalars(select(tasks.c.id).where(mine).order_by(tasks.c.position)))


def insert_round(study: Study, campaign: CampaignEntry, parameters: Mapping[str, Any]) -> None:
    """Store that a campaign got another round, by which rule."""
    row = {"campaign_id": campaign.id, "at": study.around.now(), "parameters": dict(parameters)}
    study.connection.execute(insert(campaign_rounds), row)


def list_rounds(study: Study, campaign: str, *, until: str) -> list[Mapping[str, Any]]:
    """The rounds that a campaign had got up to a moment, in that order."""
    query = (
        select(campaign_rounds.c.parameters)
        .join(campaigns, campaigns.c.id == campaign_rounds.c.campaign_id)
        .where(campaigns.c.name == campaign, campaign_rounds.c.at <= until)
        .order_by(campaign_rounds.c.id)
    )
    return list(study.connection.scalars(query))


def list_rounds_behind(study: Study, entry: LabelSetEntry) -> list[Mapping[str, Any]]:
    """The rounds that the campaign behind a label set had got when the label set was made, in that order.

    Later ones do not matter to it: its votes are those of before.
    """
    return [] if entry.campaign is None else list_rounds(study, entry.campaign, until=entry.added_at)


def load_extra_tasks(study: Study, campaign: CampaignEntry, role: TaskRole) -> dict[int, Payload]:
    """The tasks of a role by their numbers, in the order in which they were stored."""
    query = select(tasks.c.id, TASK_TEXT).where(is_extra(campaign), tasks.c.role == role.value)
    return {row.id: parse_task(row.payload) for row in study.connection.execute(query.order_by(tasks.c.position))}


def load_tasks_of(study: Study, task_ids: Collection[int]) -> dict[int, Payload]:
    """Some tasks by their numbers."""
    query = select(tasks.c.id, TASK_TEXT).where(tasks.c.id.in_(task_ids))
    return {row.id: parse_task(row.payload) for row in study.connection.execute(query)} if task_ids else {}


def list_positions(study: Study, campaign: CampaignEntry) -> dict[int, int]:
    """Per task of the campaign, its position."""
    query = select(tasks.c.id, tasks.c.position).where(tasks.c.campaign_id == campaign.id)
    return {row.id: row.position for row in study.connection.execute(query)}


def find_repeat(study: Study, campaign: CampaignEntry, source_id: int) -> int | None:
    """The task that asks another once more, or None."""
    is_repeat = and_(tasks.c.role == TaskRole.REPEAT.value, tasks.c.source_id == source_id)
    return study.connection.scalar(select(tasks.c.id).where(is_extra(campaign), is_repeat).limit(1))


def is_extra(campaign: CampaignEntry) -> ColumnElement[bool]:
    """Whether a task is none of those that the campaign is there for.

    Those of its first round come before all others, and there is an index of positions.
    """
    n_first = campaign.plan.settings.get(N_FIRST_TASKS, campaign.n_tasks)
    is_mine = and_(tasks.c.campaign_id == campaign.id, tasks.c.position >= n_first)
    return and_(is_mine, tasks.c.role != TaskRole.WORK.value)
