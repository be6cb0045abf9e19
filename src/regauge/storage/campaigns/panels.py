"""Which tasks go to named people alone, and who has answered them ↔ rows."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import JSON, ColumnElement, ScalarSelect, cast, func, literal, or_, select, update
from sqlalchemy.dialects.postgresql import JSONB

from regauge.records.campaigns.campaign import CampaignEntry, Payload, ResponseStatus
from regauge.storage.campaigns.campaign import is_work
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.batches import is_among
from regauge.storage.database.campaign_tables import task_panel
from regauge.storage.database.schema import responses, tasks
from regauge.storage.study import Study

PANEL = "panel"
"""Where a task names those who may take it; see `regauge.campaigns.eligibility`."""
_NUMBERS = re.compile("[0-9]+")


def find_own_panels(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> list[str]:
    """What tasks of a campaign that name somebody say of whom they name, as text: each of these once.

    From one to the next the index is asked for whatever comes after it: many tasks name the same people.
    """

    def find_next(last: ColumnElement[str]) -> ScalarSelect[str]:
        mine = select(task_panel).where(tasks.c.campaign_id == campaign.id, is_work(), task_panel > last)
        return mine.order_by(task_panel).limit(1).scalar_subquery()

    found = select(find_next(literal("")).label("panel")).cte("panels", recursive=True)
    found = found.union_all(select(find_next(found.c.panel)).where(found.c.panel.is_not(None)))
    panels = study.connection.scalars(select(found.c.panel).where(found.c.panel.is_not(None)))
    return [panel for panel in panels if str(annotator_id) in _NUMBERS.findall(panel)]


def list_assigned(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> list[int]:
    """The tasks of a campaign that name somebody, by their numbers."""
    panels = find_own_panels(study, campaign, annotator_id=annotator_id)
    query = select(tasks.c.id).where(tasks.c.campaign_id == campaign.id, is_work(), task_panel.in_(panels))
    return list(study.connection.scalars(query.order_by(tasks.c.position)))


def load_for_some(
    study: Study, campaign: CampaignEntry, *, positions: Sequence[int], conditions: Sequence[str]
) -> dict[int, Payload]:
    """Of the tasks at some positions that a campaign is there for, those that name one of some conditions, by their positions."""
    if not positions:
        return {}
    is_for_some = or_(*(tasks.c.payload[name].as_string().is_not(None) for name in conditions))
    query = select(tasks.c.position, TASK_TEXT).where(
        tasks.c.campaign_id == campaign.id, is_work(), is_among(study, tasks.c.position, positions), is_for_some
    )
    return {row.position: parse_task(row.payload) for row in study.connection.execute(query)}


def count_work(study: Study, campaign: CampaignEntry, task_ids: Collection[int]) -> int:
    """How many of some tasks a campaign is there for."""
    query = select(func.count()).select_from(tasks)
    return study.connection.scalar(query.where(*_find_work(study, campaign, task_ids))) or 0


def set_panel(study: Study, campaign: CampaignEntry, *, task_ids: Collection[int], people: Sequence[int]) -> None:
    """Let tasks that a campaign is there for go to some people alone, by their numbers; to anybody where there are none.

    The database changes the tasks itself: there may be very many, and all who want to write wait meanwhile.
    """
    change = update(tasks).values(payload=_write_panel(study, people))
    study.connection.execute(change.where(*_find_work(study, campaign, task_ids)))


def _find_work(study: Study, campaign: CampaignEntry, task_ids: Collection[int]) -> tuple[ColumnElement[bool], ...]:
    return tasks.c.campaign_id == campaign.id, is_work(), is_among(study, tasks.c.id, task_ids, may_be_most=True)


def _write_panel(study: Study, people: Sequence[int]) -> ColumnElement[Any]:
    """What a task shows, with these people as those who may take it, and no others."""
    if study.engine.dialect.name == "sqlite":
        place, named = f"$.{PANEL}", func.json(json.dumps(list(people)))
        return func.json_set(tasks.c.payload, place, named) if people else func.json_remove(tasks.c.payload, place)
    others = cast(tasks.c.payload, JSONB).op("-")(PANEL)
    return cast(others.op("||")(cast({PANEL: list(people)}, JSONB)) if people else others, JSON)


def list_counted(study: Study, task_ids: Collection[int]) -> dict[int, set[int]]:
    """Per task, whose answers count."""
    found: dict[int, set[int]] = {}
    is_counted = (
        is_among(study, responses.c.task_id, task_ids, may_be_most=True),
        responses.c.status == ResponseStatus.COUNTED.value,
    )
    for row in study.connection.execute(select(responses.c.task_id, responses.c.annotator_id).where(*is_counted)):
        found.setdefault(row.task_id, set()).add(row.annotator_id)
    return found


def list_wanted(study: Study, task_ids: Collection[int]) -> dict[int, int]:
    """Per task that another number of people answer than its campaign plans, how many."""
    query = select(tasks.c.id, tasks.c.n_wanted).where(
        tasks.c.n_wanted.is_not(None), is_among(study, tasks.c.id, task_ids, may_be_most=True)
    )
    return {row.id: row.n_wanted for row in study.connection.execute(query)}
