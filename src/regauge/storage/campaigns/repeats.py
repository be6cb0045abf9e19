"""Which tasks somebody can be asked once more."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, select

from regauge.records.campaigns.campaign import CampaignEntry, TaskRole
from regauge.storage.campaigns.campaign import was_shown
from regauge.storage.database.schema import assignments, responses, tasks
from regauge.storage.study import Study


class GivenTasks(NamedTuple):
    """How many tasks somebody was given, and of the last ones whether they were repeats, the latest last."""

    n_tasks: int
    recent: list[bool]


def find_given_tasks(study: Study, campaign: CampaignEntry, *, annotator_id: int, n_recent: int) -> GivenTasks:
    """What somebody was given of a campaign so far."""
    mine = _is_given(campaign, annotator_id)
    given = assignments.join(tasks, tasks.c.id == assignments.c.task_id)
    n_tasks = study.connection.scalar(select(func.count()).select_from(given).where(mine)) or 0
    latest = select(tasks.c.role).select_from(given).where(mine)
    query = latest.order_by(assignments.c.leased_at.desc(), tasks.c.position.desc()).limit(n_recent)
    return GivenTasks(n_tasks, [role == TaskRole.REPEAT for role in study.connection.scalars(query)][::-1])


def list_repeatable(study: Study, campaign: CampaignEntry, *, annotator_id: int, n_apart: int) -> list[int]:
    """Tasks that somebody has answered, with at least so many given after them, and was not asked again."""
    is_answered = (
        select(responses.c.id)
        .where(responses.c.task_id == tasks.c.id, responses.c.annotator_id == annotator_id, was_shown())
        .exists()
    )
    query = (
        select(tasks.c.id, tasks.c.role, tasks.c.source_id, is_answered.label("is_answered"))
        .join(assignments, assignments.c.task_id == tasks.c.id)
        .where(_is_given(campaign, annotator_id))
        .order_by(assignments.c.leased_at, tasks.c.position)
    )
    given = study.connection.execute(query).all()
    repeated = {row.source_id for row in given if row.role == TaskRole.REPEAT}
    early = given[: max(0, len(given) - n_apart)]
    return [row.id for row in early if row.role == TaskRole.WORK and row.is_answered and row.id not in repeated]


def _is_given(campaign: CampaignEntry, annotator_id: int) -> ColumnElement[bool]:
    """Whether an assignment is somebody's and its task the campaign's."""
    # Adding nothing keeps a database from going through all tasks of the campaign, for which there is an index too: what one
    # person was given is always fewer.
    return and_(assignments.c.annotator_id == annotator_id, tasks.c.campaign_id + 0 == campaign.id)
