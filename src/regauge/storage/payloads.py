"""Tasks out of their rows. They never change once stored, so each text needs to be taken apart only once."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import cast

from sqlalchemy import String
from sqlalchemy import cast as cast_column

from regauge.records.campaigns import Payload
from regauge.storage.schema import tasks

MAX_KEPT = 2_048

TASK_TEXT = cast_column(tasks.c.payload, String).label("payload")
"""What a task shows, as the text that is stored."""


@lru_cache(maxsize=MAX_KEPT)
def parse_task(text: str) -> Payload:
    """What a task shows; the same object for the same text, so it must not be changed."""
    return cast("Payload", json.loads(text))
