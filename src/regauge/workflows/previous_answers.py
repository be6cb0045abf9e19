"""The answer that somebody gave last, to look at it again or change it."""

from __future__ import annotations

from datetime import UTC, datetime

from regauge.records.campaigns import Assignment, Platform
from regauge.storage.annotators import find_annotator
from regauge.storage.assignments import find_last_answered
from regauge.storage.study import Study, format_moment
from regauge.workflows.annotation import get_announced


def find_previous(study: Study, campaign_id: int, *, annotator_id: int, came_at: float = 0.0) -> Assignment | None:
    """What the annotator answered last, to look at it again or change it; None before the first answer.

    Whom an id in an address let in is shown only what was answered since they came, in seconds since 1970: what is older may be
    somebody else's.
    """
    campaign, annotator = get_announced(study, campaign_id), find_annotator(study, annotator_id)
    is_proven = annotator is not None and annotator.platform is Platform.LINK
    since = "" if is_proven else format_moment(datetime.fromtimestamp(came_at, UTC))
    return find_last_answered(study, campaign, annotator_id=annotator_id, since=since)
