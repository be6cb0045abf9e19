"""Who did what to a study, when and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from regauge.records.responses.quality import ListPage
from regauge.records.studies import Event
from regauge.storage.events import count_events, find_events, list_event_kinds
from regauge.storage.study import Study


@dataclass(frozen=True, slots=True)
class EventList:
    """A part of what happened, the newest first.

    Attributes:
        rows: that part.
        n: how many the filters leave.
        whats: the kinds of events there are.
        people: who did anything.
    """

    rows: tuple[Event, ...]
    n: int
    whats: tuple[str, ...]
    people: tuple[str, ...]


def list_log(study: Study, page: ListPage, *, what: str | None = None, who: str | None = None) -> EventList:
    """A page of what happened, of a kind or by somebody if asked, the newest first."""
    whats, people = list_event_kinds(study)
    rows = find_events(study, what=what, who=who, offset=page.offset, limit=page.limit)
    return EventList(rows, count_events(study, what=what, who=who), whats, people)


def act_for(study: Study, who: str, *, why: str = "") -> Study:
    """The study in somebody's hands: whatever is noted down from here on names them, and the reason they gave."""
    return replace(study, around=replace(study.around, who=who, why=why))
