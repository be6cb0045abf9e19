"""What the manager makes of a campaign that tests or trains people: participants, and when answers may be seen by whom."""

from __future__ import annotations

from fastapi import APIRouter

from regauge.server.annotate.api import CampaignId, State
from regauge.server.manage.roles import ManagingWriter, Strict, WithReason, change
from regauge.workflows.annotation.training.group_reviews import open_to_group
from regauge.workflows.campaigns.participants import AddedPeople, add_people
from regauge.workflows.people.own_data import allow_own_data

router = APIRouter(prefix="/api/manage/campaigns/{campaign_id}")


class ParticipantsRequest(WithReason):
    """Whether new answers take the place of those that participants have."""

    replaces: bool = False


class ParticipantView(Strict):
    """A participant on a test set, and how many images they answered."""

    participant: str
    test_set: str
    n_answered: int


class ParticipantsView(Strict):
    """The participants that there are now, and what the manager should know."""

    participants: list[ParticipantView]
    notes: list[str]


class OwnDataRequest(WithReason):
    """Whether people may see what they answered."""

    is_allowed: bool


class OwnDataView(Strict):
    """Whether they may, from now on."""

    is_allowed: bool


class GroupRequest(WithReason):
    """Whether people of a training may look at everybody's answers together."""

    is_open: bool


class GroupReviewView(Strict):
    """Whether they may, from now on."""

    is_open: bool


@router.post("/participants")
async def make_participants(
    state: State, session: ManagingWriter, campaign_id: CampaignId, body: ParticipantsRequest
) -> ParticipantsView:
    """Make a participant of each person who answered, under a pseudonym, for each test set."""
    added: AddedPeople = await change(
        state, session, work=lambda study: add_people(study, campaign_id, replaces=body.replaces), why=body
    )
    rows = [
        ParticipantView(participant=one.participant, test_set=one.test_set, n_answered=one.n_answered)
        for one in added.entries
    ]
    return ParticipantsView(participants=rows, notes=list(added.notes))


@router.post("/own-data")
async def decide_own_data(
    state: State, session: ManagingWriter, campaign_id: CampaignId, body: OwnDataRequest
) -> OwnDataView:
    """Let people who were tested see what they answered, or no longer."""
    await change(
        state, session, work=lambda study: allow_own_data(study, campaign_id, is_allowed=body.is_allowed), why=body
    )
    return OwnDataView(is_allowed=body.is_allowed)


@router.post("/group-review")
async def decide_group_review(
    state: State, session: ManagingWriter, campaign_id: CampaignId, body: GroupRequest
) -> GroupReviewView:
    """Let people of a training look at everybody's answers together, or no longer."""
    await change(state, session, work=lambda study: open_to_group(study, campaign_id, is_open=body.is_open), why=body)
    return GroupReviewView(is_open=body.is_open)
