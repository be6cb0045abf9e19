"""What of people's time is credited to no answer yet ↔ rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from sqlalchemy import String, bindparam, cast, delete, select

from regauge.records.campaigns import ALL_FREE, FreeTime
from regauge.storage.batches import fetch_rows, insert_rows, pad
from regauge.storage.schema import free_times
from regauge.storage.study import Study

_OF_SOME = free_times.c.annotator_id.in_(bindparam("ids", expanding=True))
_SELECT = select(free_times.c.annotator_id, cast(free_times.c.bounds, String)).where(_OF_SOME)
_DELETE = delete(free_times).where(_OF_SOME)


def load_free_times(study: Study, annotator_ids: Collection[int]) -> dict[int, FreeTime]:
    """Per person what of their time is free: all of it before their first answer."""
    found = {who: tuple(json.loads(bounds)) for who, bounds in fetch_rows(study, _SELECT, {"ids": pad(annotator_ids)})}
    return {who: found.get(who, ALL_FREE) for who in annotator_ids}


def save_free_times(study: Study, free: Mapping[int, FreeTime]) -> None:
    """Store what is free now."""
    if free:
        study.connection.execute(_DELETE, {"ids": pad(list(free))})
        insert_rows(study, free_times, [{"annotator_id": who, "bounds": list(bounds)} for who, bounds in free.items()])
