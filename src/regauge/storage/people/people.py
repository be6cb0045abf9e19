"""Everybody who works on a study, page by page, and what a decision about somebody would change ↔ rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, select

from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, ResponseStatus
from regauge.storage.campaigns.campaign import is_work
from regauge.storage.database.schema import annotators, assignments, consents, responses, tasks
from regauge.storage.people.annotators import ENTRY_COLUMNS, make_entry
from regauge.storage.study import Study


def find_people(study: Study, *, name: str = "", offset: int = 0, limit: int = 50) -> tuple[AnnotatorEntry, ...]:
    """A part of those whose name has that in it, the newest first."""
    query = select(*ENTRY_COLUMNS).where(*_match(name)).order_by(annotators.c.id.desc()).offset(offset).limit(limit)
    return tuple(make_entry(row) for row in study.connection.execute(query))


def count_people(study: Study, *, name: str = "") -> int:
    """How many of them there are."""
    return study.connection.scalar(select(func.count()).select_from(annotators).where(*_match(name))) or 0


def find_agreed(study: Study, annotator_ids: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Per person, the campaigns whose text they agreed to: only those can have answers of theirs."""
    columns = (consents.c.annotator_id, consents.c.campaign_id)
    query = select(*columns).where(consents.c.annotator_id.in_(annotator_ids)).distinct().order_by(*columns)
    found = defaultdict(list)
    for annotator_id, campaign_id in study.connection.execute(query):
        found[annotator_id].append(campaign_id)
    return {annotator_id: tuple(numbers) for annotator_id, numbers in found.items()}


def count_drop(study: Study, campaign: CampaignEntry, annotator_id: int) -> tuple[int, int]:
    """How many answers of somebody would no longer count, and how many of those tasks would then lack one.

    A task that has a surplus answer of somebody who is not dropped has it counted instead.
    """
    mine, other = responses.alias("mine"), responses.alias("other")
    has_surplus = (
        select(other.c.id)
        .where(other.c.task_id == mine.c.task_id, other.c.status == ResponseStatus.SURPLUS.value)
        .exists()
    )
    counted = (
        select(mine.c.task_id, has_surplus.label("is_kept"))
        # From what they were given, which has an index by annotator; answers have one by task.
        .select_from(assignments)
        .join(mine, (mine.c.task_id == assignments.c.task_id) & (mine.c.annotator_id == assignments.c.annotator_id))
        .join(tasks, tasks.c.id == assignments.c.task_id)
        .where(
            assignments.c.annotator_id == annotator_id,
            tasks.c.campaign_id == campaign.id,
            is_work(),
            mine.c.status == ResponseStatus.COUNTED.value,
        )
        .distinct()
        .subquery()
    )
    n, n_open = study.connection.execute(
        select(func.count(), func.count().filter(~counted.c.is_kept)).select_from(counted)
    ).one()
    return n, n_open


def _match(name: str) -> list[ColumnElement[bool]]:
    return [annotators.c.name.icontains(name, autoescape=True)] if name else []
