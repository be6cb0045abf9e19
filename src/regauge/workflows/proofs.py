"""From when on somebody's work is shown to whoever is here as them: an id in an address does not prove who they are."""

from __future__ import annotations

from datetime import UTC, datetime

from regauge.records.campaigns import Platform
from regauge.storage.annotators import find_annotator
from regauge.storage.study import Study, format_moment


def find_shown_since(study: Study, annotator_id: int, *, came_at: float) -> str:
    """The moment from which on: empty, for all of it, where a personal link proves who they are; guests have nothing to hide.

    Whom an id in an address let in is shown only what was done since they came, in seconds since 1970: what is older may be
    somebody else's.
    """
    annotator = find_annotator(study, annotator_id)
    is_proven = annotator is None or annotator.platform is Platform.LINK
    return "" if is_proven else format_moment(datetime.fromtimestamp(came_at, UTC))
