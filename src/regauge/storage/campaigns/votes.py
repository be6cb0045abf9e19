"""Answers that others may be shown, without who gave them ↔ rows."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import select

from regauge.records.campaigns.campaign import CampaignEntry, Payload, ResponseStatus
from regauge.storage.database.schema import responses, tasks
from regauge.storage.study import Study


def list_votes(study: Study, campaign: CampaignEntry, *, positions: Sequence[int], but: int) -> tuple[Payload, ...]:
    """The answers that count to tasks at some positions, in their last revision and in an order that tells nobody's.

    Args:
        study: the study.
        campaign: which campaign.
        positions: of the tasks; where there are none, no table is looked at.
        but: whose own answers are left out.
    """
    if not positions:
        return ()
    query = (
        select(responses.c.task_id, responses.c.annotator_id, responses.c.answer)
        .join(tasks, tasks.c.id == responses.c.task_id)
        .where(
            tasks.c.campaign_id == campaign.id,
            tasks.c.position.in_(positions),
            responses.c.status == ResponseStatus.COUNTED.value,
            responses.c.annotator_id != but,
        )
        .order_by(responses.c.revision, responses.c.id)
    )
    last = {(row.task_id, row.annotator_id): row.answer for row in study.connection.execute(query)}
    return tuple(sorted(last.values(), key=lambda answer: json.dumps(answer, sort_keys=True)))
