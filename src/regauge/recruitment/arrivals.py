"""What platforms put into the address of whom they send: looked at closely, and never repeated in a message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from regauge.errors import InputError
from regauge.records.campaigns.campaign import Platform
from regauge.records.campaigns.visits import Arrival

PREVIEW_ID = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What Mechanical Turk says in place of an assignment to those who only look at a HIT."""
MTURK_SUBMIT_ORIGINS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
"""Where a finished HIT may be handed in: the marketplace and its sandbox."""
MTURK_FRAME_ORIGINS = (
    "https://worker.mturk.com",
    "https://workersandbox.mturk.com",
    "https://www.mturk.com",
    "https://*.mturkcontent.com",
)
"""Which pages may show a HIT in a frame: those where workers work, and those where requesters look at it beforehand."""
MTURK_FORM_ORIGINS = (*MTURK_SUBMIT_ORIGINS, "https://worker.mturk.com")
"""Where the form of a finished HIT may lead: browsers also look at where the marketplace sends it on to."""
SUBMIT_PATH = "/mturk/externalSubmit"
COMPLETION_ADDRESS = "https://app.prolific.com/submissions/complete?cc="

# Prolific's ids are those of its database: 24 hexadecimal digits. The session is only known to be short.
_PROLIFIC_ID = re.compile(r"[0-9a-f]{24}", re.ASCII)
_PROLIFIC_SESSION = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)
# As the service model of Mechanical Turk has them.
_MTURK_WORKER = re.compile(r"A[A-Z0-9]{1,63}", re.ASCII)
_MTURK_ASSIGNMENT = re.compile(r"[A-Z0-9]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Hit:
    """A HIT that is looked at or worked on.

    Attributes:
        arrival: whoever accepted it; None for a preview.
        assignment_id: what their work is handed in under; empty for a preview.
        submit_to: the address that it is handed in at; empty for a preview.
    """

    arrival: Arrival | None
    assignment_id: str = ""
    submit_to: str = ""


def parse_prolific(parameters: Mapping[str, str]) -> Arrival:
    """Whom Prolific sends.

    Raises:
        InputError: the address lacks what Prolific puts into it, or has something else there.
    """
    person = parameters.get("PROLIFIC_PID", "").lower()
    session = parameters.get("SESSION_ID", "")
    if not person:
        raise InputError("The link has no Prolific ID. Please open the study from Prolific, by its own button.")
    if "%" in person or "{" in person:
        raise InputError(
            "The link was opened outside of Prolific, which puts your ID into it; please open it from there."
        )
    if not _PROLIFIC_ID.fullmatch(person):
        raise InputError("The Prolific ID in the link is not one: it has 24 digits and letters from a to f.")
    if session and not _PROLIFIC_SESSION.fullmatch(session):
        raise InputError("The session in the link is not one of Prolific's. Please open the study from Prolific again.")
    return Arrival(Platform.PROLIFIC, person, session, parameters.get("STUDY_ID", "").lower())


def parse_hit(parameters: Mapping[str, str], *, extra_origins: tuple[str, ...] = ()) -> Hit:
    """The HIT that a frame of Mechanical Turk shows.

    Args:
        parameters: what the address has.
        extra_origins: where work may be handed in besides Mechanical Turk; for tests.

    Raises:
        InputError: the address is not one that Mechanical Turk makes.
    """
    assignment = parameters.get("assignmentId", "")
    if not assignment:
        raise InputError("The link has no assignment. Please open the HIT on Mechanical Turk.")
    if assignment == PREVIEW_ID:
        return Hit(None)
    worker = parameters.get("workerId", "")
    if not _MTURK_ASSIGNMENT.fullmatch(assignment) or not _MTURK_WORKER.fullmatch(worker):
        raise InputError("The link is not one that Mechanical Turk makes. Please open the HIT there again.")
    origin = parameters.get("turkSubmitTo", "").rstrip("/")
    if origin not in {*MTURK_SUBMIT_ORIGINS, *extra_origins}:
        raise InputError(
            "The link would hand your work in somewhere else than at Mechanical Turk, so it is not opened."
        )
    return Hit(Arrival(Platform.MTURK, worker, assignment), assignment, f"{origin}{SUBMIT_PATH}")


def make_completion_link(code: str) -> str:
    """Where somebody goes back to Prolific with a code."""
    return f"{COMPLETION_ADDRESS}{code}"
