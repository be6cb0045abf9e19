"""Campaigns: one round of human work, its tasks, who works on them, and what came back.

A task and an answer are versioned JSON objects whose fields belong to the kind of task (`kinds/`); everything else is the
same for all kinds. Moments (`*_at`) are texts in UTC such as 2026-01-31T12:00:00.000Z.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NewType, Self, TypeAlias

from regauge.errors import InputError
from regauge.ranges import Range
from regauge.records.campaigns.terms import Terms
from regauge.records.campaigns.times import ShownTime
from regauge.records.names import MAX_NAME, is_blank

MANAGER = "manager"
"""What the manager is called; nobody else is."""
AssignmentId = NewType("AssignmentId", str)
"""A random text: whoever knows it was given it, and it tells nothing."""

Payload: TypeAlias = Mapping[str, Any]
"""What a task shows or an answer says, ready for JSON."""

FreeTime: TypeAlias = tuple[int, ...]
"""Somebody's time that is credited to no answer: where each stretch of it begins and ends, in milliseconds since 1970 and in
turn. The last stretch has no end."""
ALL_FREE: FreeTime = (0,)

_KIND_NAME = re.compile("[a-z]{1,32}")

N_ANNOTATORS = Range(1, 1_000, is_whole=True)
LEASE_SECONDS = Range(1, 30 * 24 * 3600, is_whole=True)
DEFAULT_LEASE = 1_800
"""Seconds that a task is kept for whoever it was given to."""
EVERYBODY = "everybody"
"""Where the settings of a campaign say that whoever takes part answers every task, however many they are."""
MAX_TEXT = 10_000
"""Characters of each text that annotators read first."""


class Kind(str):
    """What a task asks: the name of a kind of work, such as contains.

    Any name that could be one is taken: what a kind is, and which there are, says the registry (`kinds/`).

    >>> Kind("contains")
    'contains'
    """

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """The kind of that name.

        Raises:
            InputError: the text cannot be the name of a kind.
        """
        if not _KIND_NAME.fullmatch(name):
            raise InputError(f"A kind of work is called by 1 to 32 small letters, not {name!r:.80}.")
        return super().__new__(cls, name)


class CampaignState(StrEnum):
    """Whether people can work on a campaign."""

    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


class Role(StrEnum):
    """What somebody may do: annotate, manage, or only look."""

    ANNOTATOR = "annotator"
    MANAGER = "manager"
    GUEST = "guest"
    """Looks around; nothing that a guest does is kept."""


class ResponseStatus(StrEnum):
    """What an answer is good for."""

    COUNTED = "counted"
    SURPLUS = "surplus"
    """Its task has enough others: kept, exported and payable, but not counted, unless one of those is dropped."""
    DROPPED = "dropped"
    """Its annotator was dropped from the campaign: kept with the reason, and counted again if they are restored."""
    REPEAT = "repeat"
    """It is to a task that the annotator had answered before: kept to see whether they answer alike, never counted."""
    NOT_SHOWN = "not shown"
    """Nothing of the task could be shown: kept as a report, never counted, and the task goes to somebody else."""
    UNSEEN = "unseen"
    """Nothing was shown but controls: never counted, and the task goes to somebody else. Its annotator cannot tell it from an
    answer that counts; else whoever says that all cells but one were not shown would learn whether that one is a control."""


class TaskRole(StrEnum):
    """What a task is there for."""

    WORK = "work"
    REPEAT = "repeat"
    """A task once more, for those who have answered it before; they are not told."""
    EXAMPLE = "example"
    """An image whose answer is known, shown with it before the first task."""
    QUESTION = "question"
    """An image whose answer is known, asked about in the quiz."""
    LEFT_OUT = "left out"
    """It could not be shown when the campaign was opened, and is given to nobody."""


class Platform(StrEnum):
    """How somebody came."""

    LINK = "link"
    """By a personal link that the manager gave out."""
    PROLIFIC = "prolific"
    MTURK = "mturk"


@dataclass(frozen=True, slots=True)
class CampaignTexts:
    """What annotators read before they begin; a change is a new version, and each consent names the one it was given to.

    Attributes:
        instructions: what to do; always at hand.
        consent: what they agree to.
        version: counted up from 1.
        warning: what the images may show that somebody may not want to see; empty for nothing.
        training: what is explained at length before the first task, with pictures; empty for nothing.
    """

    instructions: str
    consent: str
    version: int = 1
    warning: str = ""
    training: str = ""


def check_consent(text: str, *, may_be_empty: bool = False) -> None:
    """Make sure that there is something to agree to.

    Raises:
        InputError: the text shows nothing.
    """
    if is_blank(text) and not (may_be_empty and not text):
        raise InputError("The consent shows no text; write what people agree to.")


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """How a campaign is run.

    Attributes:
        name: what commands and pages call it.
        kind: what its tasks ask.
        n_annotators: accepted answers that each task needs, by as many people.
        lease_seconds: how long a task is kept for whoever it was given to.
        texts: what annotators read first.
        settings: how the tasks were made, for the record.
        terms: pay, who may take part, and what is done for quality and care.
    """

    name: str
    kind: Kind
    n_annotators: int
    lease_seconds: int = DEFAULT_LEASE
    texts: CampaignTexts = field(default_factory=lambda: CampaignTexts("", ""))
    settings: Mapping[str, Any] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)

    def __post_init__(self) -> None:
        if not self.name or self.name != self.name.strip() or len(self.name) > MAX_NAME:
            raise InputError(
                f"A campaign has a name of 1 to {MAX_NAME} characters without blanks around it, not {self.name!r}."
            )
        if self.n_annotators not in N_ANNOTATORS:
            raise InputError(f"A task takes {N_ANNOTATORS} annotators, not {self.n_annotators:,}.")
        if self.lease_seconds not in LEASE_SECONDS:
            raise InputError(f"A lease lasts {LEASE_SECONDS} seconds, not {self.lease_seconds:,}.")

    @property
    def is_for_everybody(self) -> bool:
        """Whether whoever takes part answers every task, however many they are."""
        return bool(self.settings.get(EVERYBODY))


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """A campaign of a study; `generation` grows whenever tasks that had enough answers may lack some again."""

    id: int
    plan: CampaignPlan
    state: CampaignState
    n_tasks: int
    created_at: str
    opened_at: str | None = None
    closed_at: str | None = None
    generation: int = 0

    @property
    def name(self) -> str:
        """What commands and pages call it."""
        return self.plan.name

    @property
    def kind(self) -> Kind:
        """What its tasks ask."""
        return self.plan.kind

    def count_people(self, n: int) -> CampaignEntry:
        """The campaign; where everybody answers everything, each task then needs so many people, and at least one."""
        if not self.plan.is_for_everybody:
            return self
        return replace(self, plan=replace(self.plan, n_annotators=max(1, n)))


@dataclass(frozen=True, slots=True)
class CampaignImage:
    """An image that tasks of a campaign show: a row of one of the study's test sets."""

    test_set_id: int
    row: int


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """How far a campaign is: answers that count, tasks that have all they need, and people."""

    n_tasks: int
    n_done: int
    n_needed: int
    n_counted: int
    n_surplus: int
    n_leased: int
    n_annotators: int


@dataclass(frozen=True, slots=True)
class AnnotatorEntry:
    """Somebody who works on a study, by a name that says nothing about the person."""

    id: int
    name: str
    role: Role
    created_at: str
    platform: Platform = Platform.LINK
    erased_at: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """That somebody's answers to a campaign no longer count, or count again, and why."""

    annotator: str
    is_dropped: bool
    reason: str
    who: str
    at: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task given to one annotator for a time.

    Attributes:
        id: under which they see it.
        task_id: which task.
        campaign_id: of which campaign.
        annotator_id: whom it was given to.
        payload: what it shows.
        expires_at: until when it is kept for them.
        answer: what they answered last; None before.
        revision: which of their answers that is.
        returned: why the answer was returned to them.
        shown_at: when a page first showed it to them; None where none said so.
        seconds, shown_seconds: how long the answer took, as `NewAnswer` has it; None where unknown.
    """

    id: AssignmentId
    task_id: int
    campaign_id: int
    annotator_id: int
    payload: Payload
    expires_at: str
    answer: Payload | None = None
    revision: int = 0
    returned: str = ""
    shown_at: str | None = None
    seconds: float | None = None
    shown_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """An answer as it comes in.

    Attributes:
        client_id: made by the page, the same however often it is sent; no two answers to one assignment share one.
        assignment_id: which task, by whom.
        annotator_id: who sends it.
        answer: what was answered, not yet checked.
        seconds: how long the page says that it took, the time before a revision included; None where unknown, which
            is also made of what is not a time.
        revision: 0 for the first answer to an assignment, then counted up; the highest is the one that holds, in whatever order
            they arrive.
        shown: what the page says of the time from the image being shown to the answer; None where it says nothing.
    """

    client_id: str
    assignment_id: AssignmentId
    annotator_id: int
    answer: Payload
    seconds: float | None = None
    revision: int = 0
    shown: ShownTime | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            object.__setattr__(self, "seconds", None)


NOT_YOURS = "There is no such assignment of yours."
"""Why an answer is refused that somebody else was asked for, or that belongs to another study."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an answer: stored with a status, or refused with a reason that the sender can act on.

    Two are the same whether or not the answer came before, for nobody is told; `is_new` says it.
    """

    client_id: str
    status: ResponseStatus | None
    refusal: str = ""
    is_new: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """An answer as it was stored; of several by one annotator to one task, the one with the highest revision holds.

    Its seconds are those that were credited, see `regauge.campaigns.credit`.
    """

    id: int
    client_id: str
    task_id: int
    annotator: str
    answer: Payload
    seconds: float | None
    revision: int
    status: ResponseStatus
    received_at: str


NOT_SHOWN = "not_shown"
NOTHING_SHOWN: Payload = {"version": 2, NOT_SHOWN: True}
"""A report: the answer, the same for every kind, that nothing of what a task asks about could be shown."""


def is_report(answer: Payload) -> bool:
    """Whether an answer says that nothing was shown."""
    return answer.get(NOT_SHOWN) is True
