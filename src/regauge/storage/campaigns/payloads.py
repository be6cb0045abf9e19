"""Tasks out of their rows. They never change once stored, so each text needs to be taken apart only once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple, cast

from sqlalchemy import String, select
from sqlalchemy import cast as cast_column

from regauge.records.campaigns.campaign import CampaignEntry, Payload
from regauge.storage.campaigns.campaign import is_work
from regauge.storage.database.schema import responses, tasks
from regauge.storage.study import Study

MAX_KEPT = 2_048
CHUNK = 20_000
"""Answers that are in memory at a time."""

TASK_TEXT = cast_column(tasks.c.payload, String).label("payload")
"""What a task shows, as the text that is stored."""


@lru_cache(maxsize=MAX_KEPT)
def parse_task(text: str) -> Payload:
    """What a task shows; the same object for the same text, so it must not be changed."""
    return cast("Payload", json.loads(text))


def load_payloads(study: Study, campaign: CampaignEntry) -> dict[int, Payload]:
    """Every task of a campaign by its number, whatever it is there for."""
    query = select(tasks.c.id, tasks.c.payload).where(tasks.c.campaign_id == campaign.id)
    return {row.id: row.payload for row in study.connection.execute(query)}


def load_work(study: Study, campaign: CampaignEntry) -> dict[int, Payload]:
    """The tasks that a campaign is there for, by their positions."""
    query = select(tasks.c.position, tasks.c.payload).where(tasks.c.campaign_id == campaign.id, is_work())
    return {row.position: row.payload for row in study.connection.execute(query)}


class StoredAnswer(NamedTuple):
    """An answer as it is stored: its number, its task, what it says and what it is good for."""

    id: int
    task_id: int
    answer: Any
    status: str


def iterate_answers(study: Study, campaign: CampaignEntry) -> Iterator[StoredAnswer]:
    """Every answer to a campaign, some at a time."""
    mine = responses.c.task_id.in_(select(tasks.c.id).where(tasks.c.campaign_id == campaign.id))
    query = select(*(responses.c[name] for name in StoredAnswer._fields)).where(mine).order_by(responses.c.id)
    for rows in study.connection.execute(query).partitions(CHUNK):
        yield from map(StoredAnswer._make, rows)
