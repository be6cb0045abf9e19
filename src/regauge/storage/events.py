"""What happened to a study, in order; only ever added to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, insert, select

import regauge
from regauge.records.studies import COMMAND, Event
from regauge.storage.schema import events
from regauge.storage.study import Study


def add_event(study: Study, what: str, parameters: Mapping[str, Any]) -> None:
    """Note down what was done, by whom, when and with which parameters."""
    row = {
        "what": what,
        "who": study.around.who,
        "at": study.around.now(),
        "parameters": {**parameters, **({COMMAND: study.around.command} if study.around.command else {})},
        "code_version": regauge.__version__,
    }
    study.connection.execute(insert(events), row)


def list_events(study: Study) -> tuple[Event, ...]:
    """Everything that happened, the oldest first."""
    columns = (events.c.what, events.c.who, events.c.at, events.c.parameters, events.c.code_version)
    return tuple(Event(*row) for row in study.connection.execute(select(*columns).order_by(events.c.id)))


def find_last_event(study: Study, *whats: str) -> int:
    """The number of the last event of these kinds, which grows with time; 0 where there is none."""
    query = select(func.max(events.c.id)).where(events.c.what.in_(whats))
    return study.connection.scalar(query) or 0
