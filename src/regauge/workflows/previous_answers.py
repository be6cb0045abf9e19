"""The answer that somebody gave last, to look at it again or change it."""

from __future__ import annotations

from regauge.records.campaigns import Assignment
from regauge.storage.assignments import find_last_answered
from regauge.storage.study import Study
from regauge.workflows.annotation import get_announced
from regauge.workflows.proofs import find_shown_since


def find_previous(study: Study, campaign_id: int, *, annotator_id: int, came_at: float = 0.0) -> Assignment | None:
    """What the annotator answered last, to look at it again or change it; None before the first answer.

    Whom an id in an address let in is shown only what was answered since they came, in seconds since 1970.
    """
    campaign = get_announced(study, campaign_id)
    since = find_shown_since(study, annotator_id, came_at=came_at)
    return find_last_answered(study, campaign, annotator_id=annotator_id, since=since)
