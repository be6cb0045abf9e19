"""Campaigns that are planned or open ← rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from regauge.records.campaigns.campaign import CampaignState
from regauge.storage.database.schema import campaigns
from regauge.storage.study import Study


def list_planned(study: Study) -> Mapping[int, Mapping[str, Any]]:
    """The settings of all campaigns that are planned or open, by their numbers; nothing is counted, for it is asked often."""
    query = select(campaigns.c.id, campaigns.c.settings).where(campaigns.c.state != CampaignState.CLOSED.value)
    return {row[0]: row[1] for row in study.connection.execute(query.order_by(campaigns.c.id))}
