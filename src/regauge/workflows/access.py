"""Who gets in, and for how long: new links, and the end of somebody's sessions."""

from __future__ import annotations

from datetime import datetime

from regauge.errors import InputError
from regauge.records.campaigns import AnnotatorEntry, Platform, Role
from regauge.storage.annotators import find_annotator, list_annotators, load_session_starts, set_sessions_from
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.workflows.annotation import MANAGER, Invitation, renew_link
from regauge.workflows.decisions import get_annotator

__all__ = ["end_sessions", "find_session_starts", "list_annotators", "renew_access"]


def renew_access(study: Study, annotator: str | int) -> Invitation:
    """A new personal link for somebody; the old one ends, and so do their sessions. The manager is made if there is none.

    Raises:
        InputError: there is no such person, they were erased, or they come from a platform and have no link.
    """
    if annotator == MANAGER and find_annotator(study, MANAGER) is None:
        return renew_link(study, MANAGER, role=Role.MANAGER)
    person = get_annotator(study, annotator)
    if person.erased_at is not None:
        raise InputError(f"{person.name} was erased and cannot come back; invite them under a new name.")
    if person.platform is not Platform.LINK:
        raise InputError(f"{person.name} comes from {person.platform} and has no personal link; end their sessions.")
    made = renew_link(study, person.name, role=person.role)
    add_event(study, "link renew", {"annotator": person.name})
    return made


def end_sessions(study: Study, annotator: str | int) -> AnnotatorEntry:
    """Put somebody out wherever they are; their link still lets them in, unless it is renewed.

    A server learns of it within seconds, the one that does it at once.

    Raises:
        InputError: there is no such person.
    """
    person = get_annotator(study, annotator)
    set_sessions_from(study, person)
    add_event(study, "sessions end", {"annotator": person.name})
    return person


def find_session_starts(study: Study) -> dict[int, float]:
    """Per person whose sessions were ended, the moment before which one must not have begun, in seconds since 1970."""
    return {number: datetime.fromisoformat(at).timestamp() for number, at in load_session_starts(study).items()}
