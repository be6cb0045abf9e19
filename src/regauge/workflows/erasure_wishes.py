"""Who asked to be erased and still waits for it."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.records.campaigns import AnnotatorEntry
from regauge.records.studies import Event
from regauge.storage.annotators import find_annotator
from regauge.storage.events import find_events
from regauge.storage.study import Study
from regauge.workflows.erasure import ASKED

__all__ = ["ErasureWish", "list_erasure_wishes"]

MAX_WISHES = 200
"""Wishes that are looked at, the last ones; the log has all of them."""


@dataclass(frozen=True, slots=True)
class ErasureWish:
    """That somebody wants to be erased, whether with their answers, and when they said so last."""

    annotator: AnnotatorEntry
    with_answers: bool
    at: str


def list_erasure_wishes(study: Study) -> tuple[ErasureWish, ...]:
    """What people asked for and nobody has carried out yet, the last word of each, whoever waits longest first."""
    last: dict[str, Event] = {}
    for event in find_events(study, what=ASKED, limit=MAX_WISHES):
        last.setdefault(event.who, event)
    # An erasure takes the name out of the log, too: who was erased is found under the new one.
    found = [(find_annotator(study, name), event) for name, event in reversed(last.items())]
    return tuple(
        ErasureWish(person, bool(event.parameters.get("with_answers")), event.at)
        for person, event in found
        if person is not None and person.erased_at is None
    )
