"""What happened to a study, in order; only ever added to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, func, insert, select

import regauge
from regauge.records.studies import COMMAND, REASON, Event
from regauge.storage.database.schema import events
from regauge.storage.study import Study


def add_event(study: Study, what: str, parameters: Mapping[str, Any]) -> None:
    """Note down what was done, by whom, when, with which parameters, and why if somebody said so."""
    around = study.around
    row = {
        "what": what,
        "who": around.who,
        "at": around.now(),
        "parameters": {
            **({REASON: around.why} if around.why else {}),
            **parameters,
            **({COMMAND: around.command} if around.command else {}),
        },
        "code_version": regauge.__version__,
    }
    study.connection.execute(insert(events), row)


def list_events(study: Study) -> tuple[Event, ...]:
    """Everything that happened, the oldest first."""
    columns = (events.c.what, events.c.who, events.c.at, events.c.parameters, events.c.code_version)
    return tuple(Event(*row) for row in study.connection.execute(select(*columns).order_by(events.c.id)))


def find_events(
    study: Study, *, what: str | None = None, who: str | None = None, offset: int = 0, limit: int = 50
) -> tuple[Event, ...]:
    """A part of what happened, of a kind or by somebody if asked, the newest first."""
    columns = (events.c.what, events.c.who, events.c.at, events.c.parameters, events.c.code_version)
    query = select(*columns).where(*_match(what, who)).order_by(events.c.id.desc()).offset(offset).limit(limit)
    return tuple(Event(*row) for row in study.connection.execute(query))


def count_events(study: Study, *, what: str | None = None, who: str | None = None) -> int:
    """How many of them there are."""
    return study.connection.scalar(select(func.count()).select_from(events).where(*_match(what, who))) or 0


def list_event_kinds(study: Study) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What was done at all, and who did anything."""
    whats, people = (
        tuple(study.connection.scalars(select(column).distinct().order_by(column)))
        for column in (events.c.what, events.c.who)
    )
    return whats, people


def find_last_event(study: Study, *whats: str) -> int:
    """The number of the last event of these kinds, which grows with time; 0 where there is none."""
    query = select(func.max(events.c.id)).where(events.c.what.in_(whats))
    return study.connection.scalar(query) or 0


def _match(what: str | None, who: str | None) -> list[ColumnElement[bool]]:
    wanted = ((events.c.what, what), (events.c.who, who))
    return [column == value for column, value in wanted if value is not None]
