"""Pictures that panelists give as evidence ↔ rows."""

from __future__ import annotations

import base64
import secrets
from typing import NamedTuple

from sqlalchemy import and_, func, insert, select

from regauge.records.campaigns.campaign import Assignment
from regauge.storage.database.schema import evidence_pictures
from regauge.storage.study import Study


class StoredPicture(NamedTuple):
    """A picture, by whom it was given, and in which campaign."""

    campaign_id: int
    annotator_id: int
    content: bytes


def insert_picture(study: Study, assignment: Assignment, content: bytes) -> str:
    """Store a picture; returns what it is asked for by."""
    row = {
        "token": secrets.token_hex(16),
        "campaign_id": assignment.campaign_id,
        "task_id": assignment.task_id,
        "annotator_id": assignment.annotator_id,
        "content": base64.b64encode(content).decode("ascii"),
        "at": study.around.now(),
    }
    study.connection.execute(insert(evidence_pictures), row)
    return str(row["token"])


def count_pictures(study: Study, assignment: Assignment) -> int:
    """How many pictures somebody has given for a task."""
    mine = and_(
        evidence_pictures.c.annotator_id == assignment.annotator_id, evidence_pictures.c.task_id == assignment.task_id
    )
    return study.connection.scalar(select(func.count()).select_from(evidence_pictures).where(mine)) or 0


def find_picture(study: Study, token: str) -> StoredPicture | None:
    """The picture that is asked for by that, or None."""
    columns = [evidence_pictures.c[name] for name in ("campaign_id", "annotator_id", "content")]
    row = study.connection.execute(select(*columns).where(evidence_pictures.c.token == token)).one_or_none()
    return None if row is None else StoredPicture(row[0], row[1], base64.b64decode(row[2]))
