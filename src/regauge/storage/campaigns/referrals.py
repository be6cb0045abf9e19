"""Tasks of which something was referred, and those that ask experts ↔ rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select, update

from regauge.records.campaigns.campaign import CampaignEntry, Payload, ResponseStatus, TaskRole
from regauge.storage.campaigns.campaign import count_up_generation, count_wanted, has_answer
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.batches import is_among
from regauge.storage.database.schema import assignments, responses, tasks
from regauge.storage.study import Study

_COUNT = (ResponseStatus.COUNTED.value, ResponseStatus.SURPLUS.value)


def list_said(study: Study, task_id: int) -> list[Payload]:
    """What people said of a task who were not dropped, each in their last words, whoever answered first being first."""
    query = (
        select(responses.c.annotator_id, responses.c.answer)
        .where(responses.c.task_id == task_id, responses.c.status.in_(_COUNT))
        .order_by(responses.c.revision, responses.c.id)
    )
    return list({row.annotator_id: row.answer for row in study.connection.execute(query)}.values())


def count_counted(study: Study, task_id: int) -> int:
    """How many people's answers to a task count."""
    is_counted = (responses.c.task_id == task_id, responses.c.status == ResponseStatus.COUNTED.value)
    return study.connection.scalar(select(func.count(responses.c.annotator_id.distinct())).where(*is_counted)) or 0


def set_wanted(study: Study, campaign: CampaignEntry, *, task_ids: Sequence[int], n: int | None) -> None:
    """Let so many people answer some tasks; as many as the campaign plans where n is None."""
    if task_ids:
        study.connection.execute(update(tasks).where(tasks.c.id.in_(task_ids)).values(n_wanted=n))
        count_up_generation(study, campaign)


def list_given_tasks(study: Study, campaign: CampaignEntry, annotator_id: int) -> list[int]:
    """The tasks of a campaign that somebody was given, those among them that it is there for."""
    query = (
        select(tasks.c.id)
        .join(assignments, assignments.c.task_id == tasks.c.id)
        .where(
            tasks.c.campaign_id == campaign.id,
            tasks.c.role == TaskRole.WORK.value,
            assignments.c.annotator_id == annotator_id,
        )
        .order_by(tasks.c.position)
    )
    return list(study.connection.scalars(query))


def list_given_people(study: Study, task_ids: Collection[int]) -> dict[int, dict[int, bool]]:
    """Per task, who was given it, and whether they have answered it."""
    query = select(
        assignments.c.task_id,
        assignments.c.annotator_id,
        has_answer().label("done"),
    ).where(is_among(study, assignments.c.task_id, task_ids))
    found: dict[int, dict[int, bool]] = {}
    for row in study.connection.execute(query):
        found.setdefault(row.task_id, {})[row.annotator_id] = bool(row.done)
    return found


def load_tasks_from(study: Study, campaign: CampaignEntry, position: int) -> dict[int, Payload]:
    """The tasks that a campaign is there for from a position on, by their numbers."""
    query = (
        select(tasks.c.id, TASK_TEXT)
        .where(tasks.c.campaign_id == campaign.id, tasks.c.role == TaskRole.WORK.value, tasks.c.position >= position)
        .order_by(tasks.c.position)
    )
    return {row.id: parse_task(row.payload) for row in study.connection.execute(query)}


def find_wanted(study: Study, task_id: int) -> int | None:
    """How many people answer a task; None where as many do as the campaign plans."""
    return study.connection.scalar(select(tasks.c.n_wanted).where(tasks.c.id == task_id))


def find_finished(study: Study, campaign: CampaignEntry, position: int) -> set[int]:
    """Which of the tasks from a position on have all the answers that they need."""
    n_counted = func.count(responses.c.annotator_id.distinct())
    query = (
        select(responses.c.task_id)
        .join(tasks, tasks.c.id == responses.c.task_id)
        .where(
            tasks.c.campaign_id == campaign.id,
            tasks.c.position >= position,
            responses.c.status == ResponseStatus.COUNTED.value,
        )
        .group_by(responses.c.task_id)
        .having(n_counted >= func.max(count_wanted(campaign)))
    )
    return set(study.connection.scalars(query))
