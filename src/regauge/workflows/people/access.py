"""Who gets in, and for how long: links, sessions, and the tasks that people keep."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from regauge.errors import InputError
from regauge.records.campaigns.campaign import MANAGER, AnnotatorEntry, Platform, Role
from regauge.storage.access_counts import AccessCount
from regauge.storage.campaigns.assignments import end_leases
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.events import add_event
from regauge.storage.people.annotators import (
    find_annotator,
    get_annotator,
    list_annotators,
    load_session_starts,
    set_sessions_from,
)
from regauge.storage.people.pseudonyms import find_pseudonyms
from regauge.storage.people.sessions import (
    count_ended_sessions,
    delete_old_sessions,
    has_servers_elsewhere,
    insert_ended_session,
    load_ended_sessions,
    mark_server,
)
from regauge.storage.study import Study
from regauge.workflows.people.invitations import Invitation, renew_link

__all__ = [
    "AccessCount",
    "EndedSessions",
    "end_leases",
    "end_one_session",
    "end_sessions",
    "find_ended_sessions",
    "find_pseudonyms",
    "has_servers_elsewhere",
    "list_annotators",
    "mark_server",
    "release_tasks",
    "renew_access",
    "wait_for_servers",
]

SESSION_DAYS = 30
"""How long a session lasts; what ended before that is forgotten."""
MAX_ENDED = 50
"""Sessions of one person that are kept as ended one by one; with one more, all that they have end."""
KNOWN_SECONDS = 4.0
"""For how long at most a server relies on what it knows of ended sessions, wherever they were ended."""


@dataclass(frozen=True, slots=True)
class EndedSessions:
    """Whose sessions have ended.

    Attributes:
        starts: per person whose sessions were ended all at once, the moment before which one must not have begun, in seconds
            since 1970.
        nonces: checksums of the nonces of those that were ended one by one.
    """

    starts: Mapping[int, float] = field(default_factory=dict)
    nonces: frozenset[str] = frozenset()


def renew_access(study: Study, annotator: str | int) -> Invitation:
    """A new personal link for somebody; the old one ends, and so do their sessions and leases.

    The manager is made if there is none.

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
    end_leases(study, person.id)
    add_event(study, "link renew", {"annotator": person.name})
    return made


def end_sessions(study: Study, annotator: str | int) -> AnnotatorEntry:
    """Put somebody out wherever they are, and let others have their tasks; their link still lets them in, unless renewed.

    Every server of this machine knows once it is committed; for others see `wait_for_servers`.

    Raises:
        InputError: there is no such person.
    """
    person = get_annotator(study, annotator)
    set_sessions_from(study, person)
    end_leases(study, person.id)
    add_event(study, "sessions end", {"annotator": person.name})
    return person


def release_tasks(
    study: Study, annotator: str | int, *, campaign: str | None = None, without: Collection[int] = ()
) -> int:
    """Let others have the tasks that somebody keeps and has not answered, in one campaign or in all but some; returns how many.

    Whoever had them may still answer: it counts while there is room, and a task that nobody took comes back to them.

    Raises:
        InputError: there is no such person or campaign, or they keep no task.
    """
    person = get_annotator(study, annotator)
    n = end_leases(study, person.id, None if campaign is None else get_campaign(study, campaign), without=without)
    everywhere = " outside of panels in round 1" if without else ""
    where = everywhere if campaign is None else f" of campaign {campaign}"
    if not n:
        raise InputError(f"{person.name} holds no task{where}.")
    add_event(study, "tasks release", {"annotator": person.name, "campaign": campaign, "n": n})
    return n


def end_one_session(study: Study, annotator_id: int, *, nonce: str) -> None:
    """End one session of somebody; the others go on. Somebody who does this again and again ends all of theirs."""
    delete_old_sessions(study, age=timedelta(days=SESSION_DAYS))
    if count_ended_sessions(study, annotator_id) >= MAX_ENDED:
        set_sessions_from(study, get_annotator(study, annotator_id))
    insert_ended_session(study, nonce, annotator_id=annotator_id)


def find_ended_sessions(study: Study) -> EndedSessions:
    """Whose sessions have ended, as a server must know it."""
    starts = {number: datetime.fromisoformat(at).timestamp() for number, at in load_session_starts(study).items()}
    return EndedSessions(starts, load_ended_sessions(study))


def wait_for_servers(study: Study) -> None:
    """Wait until servers on other machines know whose access has ended; those of this machine knew at the commit."""
    if has_servers_elsewhere(study):
        time.sleep(KNOWN_SECONDS)
