"""Batches of HITs that were begun and made ↔ rows: what was ordered is money, and must not depend on the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import insert, select, update

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.storage.database.schema import hit_batches
from regauge.storage.study import Study


class HitBatch(NamedTuple):
    """HITs that were ordered together: by which plan, which they are, and when all of them were made, if they are."""

    token: str
    plan: Mapping[str, Any]
    hits: Sequence[str]
    made_at: str | None


def insert_batch(
    study: Study, campaign: CampaignEntry, token: str, *, plan: Mapping[str, Any], is_production: bool
) -> None:
    """Store that a batch is begun."""
    row = {
        "token": token,
        "campaign_id": campaign.id,
        "is_production": is_production,
        "plan": dict(plan),
        "hits": [],
        "begun_at": study.around.now(),
    }
    study.connection.execute(insert(hit_batches), row)


def finish_batch(study: Study, token: str, hits: Sequence[str]) -> None:
    """Store the HITs of a batch, all of which are made."""
    values = {"hits": list(hits), "made_at": study.around.now()}
    study.connection.execute(update(hit_batches).where(hit_batches.c.token == token).values(values))


def list_batches(study: Study, campaign: CampaignEntry, *, is_production: bool) -> list[HitBatch]:
    """The batches of a campaign, in the order in which they were begun."""
    columns = [hit_batches.c[name] for name in HitBatch._fields]
    mine = (hit_batches.c.campaign_id == campaign.id, hit_batches.c.is_production == is_production)
    query = select(*columns).where(*mine).order_by(hit_batches.c.id)
    return [HitBatch(*row) for row in study.connection.execute(query)]
