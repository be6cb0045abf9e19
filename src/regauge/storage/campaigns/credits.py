"""What of people's time is credited to no answer yet ↔ rows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import String, cast, select

from regauge.errors import InputError
from regauge.records.campaigns.campaign import ALL_FREE, FreeTime
from regauge.storage.database.batches import insert_rows
from regauge.storage.database.schema import free_times
from regauge.storage.study import Study

FREE_TEXT = cast(free_times.c.bounds, String).label("free")
"""A row as it is stored, to be joined to whatever is asked about somebody."""


def parse_free_time(text: str | None) -> FreeTime:
    """What `FREE_TEXT` says: all time is free before the first answer."""
    # Numbers and commas in brackets: several times as fast as a parser of JSON, and done for every answer.
    return ALL_FREE if text is None else tuple(map(int, text[1:-1].split(",")))


def check_free_times(study: Study) -> None:
    """Make sure that every row is one that answers can be credited by: ends of stretches in order, the last of which is open.

    Raises:
        InputError: a row is not of that form.
    """
    for who, bounds in study.connection.execute(select(free_times.c.annotator_id, free_times.c.bounds)):
        is_whole = isinstance(bounds, list) and len(bounds) % 2 == 1 and all(type(one) is int for one in bounds)
        if not is_whole or bounds != sorted(bounds):
            raise InputError(f"what is free of the time of annotator {who} is not understood.")


def save_free_times(study: Study, free: Mapping[int, FreeTime]) -> None:
    """Store what is free now."""
    rows = [{"annotator_id": who, "bounds": list(bounds)} for who, bounds in free.items()]
    insert_rows(study, free_times, rows, replace=True)
