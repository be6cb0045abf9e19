"""Answers on their way in: what is known of them before, and what is decided of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from regauge.records.campaigns.campaign import AssignmentId, FreeTime, Kind, Payload, Receipt, ResponseStatus, TaskRole
from regauge.records.campaigns.times import TimeFlag

MAX_REVISIONS = 50
"""How often an answer can be changed."""


class AnsweredAssignment(NamedTuple):
    """What an answer must know of its assignment; `leased_at` and `shown_at` in milliseconds since 1970."""

    assignment_id: AssignmentId
    annotator_id: int
    task_id: int
    payload: Payload
    kind: Kind
    n_annotators: int
    role: TaskRole
    leased_at: int
    is_dropped: bool
    is_erased: bool
    shown_at: int | None = None


class AnswerTime(NamedTuple):
    """Seconds of an answer: claimed, and credited."""

    claimed: float
    credited: float


class JudgedSeconds(NamedTuple):
    """Seconds from an image being shown to its answer, and what is odd about them."""

    seconds: float
    flags: tuple[TimeFlag, ...]


class AnswerContent(NamedTuple):
    """What an answer says, in its canonical form, the seconds that it claims, and which revision it is."""

    answer: Payload
    claimed: float | None
    revision: int


@dataclass(frozen=True, slots=True, eq=False)
class AnswerContext:
    """What is known before a batch of answers is stored.

    Only what concerns the assignments that are answered is read, and of that as little as it takes: whoever changes an answer
    again and again must not slow others down.

    Attributes:
        now: when the answers are stored.
        moment: the same in milliseconds since 1970.
        given: the assignments that are answered.
        known: those of the answers that are there already, by assignment and the id that the page made.
        status_of: per assignment that has answers, what they are good for.
        n_rows: per assignment, how many answers it has; not more exactly than needed to see that these are too many.
        times: per assignment that has answers with times, the longest.
        n_counted: per task that is answered for the first time by somebody, how many people's answers to it count.
        free: per person, what of their time is not credited yet.
        discussed: what was answered last to items of discussions whose round 1 is over.
    """

    now: str
    moment: int
    given: Mapping[AssignmentId, AnsweredAssignment]
    known: Mapping[tuple[AssignmentId, str], AnswerContent]
    status_of: Mapping[AssignmentId, ResponseStatus]
    n_rows: Mapping[AssignmentId, int]
    times: Mapping[AssignmentId, AnswerTime]
    n_counted: Mapping[int, int]
    free: Mapping[int, FreeTime]
    discussed: Mapping[AssignmentId, Payload] = field(default_factory=dict)


class TakenAnswer(NamedTuple):
    """An answer that is to be stored: what it says, what it is good for, and how long it took.

    Attributes:
        client_id: made by the page.
        given: the assignment that it is to.
        content: what it says.
        status: what it is good for.
        seconds: those that it is credited with.
        shown: those from the image being shown to the answer, and what is odd about them; None where the page says nothing.
    """

    client_id: str
    given: AnsweredAssignment
    content: AnswerContent
    status: ResponseStatus
    seconds: float | None
    shown: JudgedSeconds | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Intake:
    """What becomes of a batch of answers.

    Attributes:
        received_at: when they are stored.
        receipts: per answer what its sender is told.
        taken: those that are to be stored.
        free: per person whose free time changes, what is left of it.
    """

    received_at: str
    receipts: tuple[Receipt, ...]
    taken: tuple[TakenAnswer, ...]
    free: Mapping[int, FreeTime]
