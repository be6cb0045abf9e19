"""Files that the tasks of a campaign were made by ↔ rows: what was frozen stays with the campaign, in bundles too."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from sqlalchemy import insert, select

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.storage.database.schema import campaign_documents
from regauge.storage.study import Study


def digest_document(text: str) -> str:
    """What tells a text from others: its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()


def insert_documents(study: Study, campaign: CampaignEntry, documents: Mapping[str, str]) -> None:
    """Store the texts of files by their names."""
    rows = [{"campaign_id": campaign.id, "name": name, "content": content} for name, content in documents.items()]
    if rows:
        study.connection.execute(insert(campaign_documents), rows)


def find_document(study: Study, campaign: CampaignEntry, name: str) -> str | None:
    """The text of a file of the campaign; None where it has none of that name."""
    table = campaign_documents
    query = select(table.c.content).where(table.c.campaign_id == campaign.id, table.c.name == name)
    return study.connection.execute(query).scalar_one_or_none()
