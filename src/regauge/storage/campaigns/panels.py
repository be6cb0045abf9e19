"""Which tasks go to named people alone, and who has answered them ← rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, or_, select

from regauge.records.campaigns.campaign import CampaignEntry, Payload, ResponseStatus
from regauge.storage.campaigns.campaign import is_work
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.schema import responses, tasks
from regauge.storage.study import Study

CHUNK = 5_000
"""Tasks that are asked for at a time."""
PANEL = "panel"
"""Where a task names those who may take it; see `regauge.campaigns.eligibility`."""


def may_name(annotator_id: int) -> ColumnElement[bool]:
    """Whether a task goes to anybody, or may name somebody among those it goes to: their number stands behind the word.

    It leaves out most of what goes to others before it is read; the rest has to be looked at.
    """
    return or_(~TASK_TEXT.contains(f'"{PANEL}"', autoescape=True), TASK_TEXT.like(f'%"{PANEL}"%{annotator_id}%'))


def list_assigned(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> list[int]:
    """The tasks of a campaign that name somebody, by their numbers."""
    query = select(tasks.c.id, TASK_TEXT).where(
        tasks.c.campaign_id == campaign.id, is_work(), TASK_TEXT.like(f'%"{PANEL}"%{annotator_id}%')
    )
    rows = study.connection.execute(query)
    return [row.id for row in rows if annotator_id in parse_task(row.payload).get(PANEL, ())]


def load_work(study: Study, campaign: CampaignEntry, task_ids: Collection[int]) -> dict[int, Payload]:
    """Those of some tasks that a campaign is there for, by their numbers."""
    found: dict[int, Payload] = {}
    numbers = sorted(set(task_ids))
    for start in range(0, len(numbers), CHUNK):
        mine = (tasks.c.campaign_id == campaign.id, is_work(), tasks.c.id.in_(numbers[start : start + CHUNK]))
        rows = study.connection.execute(select(tasks.c.id, TASK_TEXT).where(*mine))
        found |= {row.id: parse_task(row.payload) for row in rows}
    return found


def list_counted(study: Study, task_ids: Sequence[int]) -> dict[int, set[int]]:
    """Per task, whose answers count."""
    found: dict[int, set[int]] = {}
    for start in range(0, len(task_ids), CHUNK):
        part = responses.c.task_id.in_(task_ids[start : start + CHUNK])
        query = select(responses.c.task_id, responses.c.annotator_id)
        for row in study.connection.execute(query.where(part, responses.c.status == ResponseStatus.COUNTED.value)):
            found.setdefault(row.task_id, set()).add(row.annotator_id)
    return found


def list_wanted(study: Study, task_ids: Sequence[int]) -> dict[int, int]:
    """Per task that another number of people answer than its campaign plans, how many."""
    found: dict[int, int] = {}
    for start in range(0, len(task_ids), CHUNK):
        part = tasks.c.id.in_(task_ids[start : start + CHUNK])
        query = select(tasks.c.id, tasks.c.n_wanted).where(part, tasks.c.n_wanted.is_not(None))
        found |= {row.id: row.n_wanted for row in study.connection.execute(query)}
    return found
