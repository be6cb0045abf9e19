"""Visits: people who come from a platform do a share of a campaign and go back with a code or a receipt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Platform


class VisitState(StrEnum):
    """How a visit ended, if it did."""

    STARTED = "started"
    WAITING = "waiting"
    """They did their share, and somebody looks at their answers before they get the code."""
    COMPLETED = "completed"
    """They did their share, or all that there was for them."""
    FAILED = "failed"
    """They did their share, and their answers were found wanting."""
    SCREENED_OUT = "screened_out"
    """They did not pass the quiz, or there was nothing for them to do."""
    RETURNED = "returned"
    """They stopped and gave up their place."""


@dataclass(frozen=True, slots=True, repr=False)
class Arrival:
    """Somebody at the door, as a platform announces them. It holds what must not be stored beside answers.

    Attributes:
        platform: where from.
        person: who they are there.
        reference: which of their submissions or assignments it is; one person may come several times.
        study_id: the study on Prolific that they come from, by what the address says.
    """

    platform: Platform
    person: str
    reference: str
    study_id: str = ""

    def __repr__(self) -> str:
        # Whatever is printed or logged by mistake must not name anybody.
        return f"Arrival({self.platform.value})"


@dataclass(frozen=True, slots=True)
class Visit:
    """One stay of somebody in a campaign.

    Attributes:
        id: its number.
        campaign_id: which campaign.
        annotator_id: whose.
        annotator: their name, which says nothing about the person.
        platform: where from.
        reference: a checksum of the platform's reference, which only the study's key can make again; empty once forgotten.
        state: how it ended, if it did.
        n_done: the tasks that it is paid for, decided when it ended.
        began_at: when they came.
        ended_at: when it ended.
    """

    id: int
    campaign_id: int
    annotator_id: int
    annotator: str
    platform: Platform
    reference: str
    state: VisitState
    n_done: int
    began_at: str
    ended_at: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether they may go on."""
        return self.state is VisitState.STARTED


@dataclass(frozen=True, slots=True)
class Admission:
    """Somebody who was let in: who they are here, where, and which visit it is."""

    annotator: AnnotatorEntry
    campaign: CampaignEntry
    visit: Visit


@dataclass(frozen=True, slots=True)
class VisitProgress:
    """Where somebody stands with their share of a campaign.

    Attributes:
        campaign: which campaign.
        visit: their visit.
        n_done: tasks that they have done and that no earlier visit was paid for.
        n_share: tasks that are their share; 0 for as many as there are.
        code: what shows the platform how it ended; empty where there is none, or none yet.
    """

    campaign: CampaignEntry
    visit: Visit
    n_done: int
    n_share: int
    code: str = ""

    @property
    def state(self) -> VisitState:
        """How the visit ended, if it did."""
        return self.visit.state


@dataclass(frozen=True, slots=True)
class Identity:
    """Who somebody is on a platform. It is kept in a private file of the manager's, and nowhere else.

    Attributes:
        platform: which platform.
        id: who they are there.
        annotator: what the study calls them.
        reference: the platform's name of a submission or an assignment of theirs.
        at: when they came with it.
    """

    platform: Platform
    id: str
    annotator: str
    reference: str
    at: str
