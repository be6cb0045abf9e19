"""What of people's time is credited to no answer yet ↔ rows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import String, cast

from regauge.records.campaigns import ALL_FREE, FreeTime
from regauge.storage.batches import insert_rows
from regauge.storage.schema import free_times
from regauge.storage.study import Study

FREE_TEXT = cast(free_times.c.bounds, String).label("free")
"""A row as it is stored, to be joined to whatever is asked about somebody."""


def parse_free_time(text: str | None) -> FreeTime:
    """What `FREE_TEXT` says: all time is free before the first answer."""
    # Numbers and commas in brackets: several times as fast as a parser of JSON, and done for every answer.
    return ALL_FREE if text is None else tuple(map(int, text[1:-1].split(",")))


def save_free_times(study: Study, free: Mapping[int, FreeTime]) -> None:
    """Store what is free now."""
    rows = [{"annotator_id": who, "bounds": list(bounds)} for who, bounds in free.items()]
    insert_rows(study, free_times, rows, replace=True)
