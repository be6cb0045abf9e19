"""What the manager's pages change: campaigns, people and links; every route is refused to everybody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from regauge.records.campaigns import CampaignEntry, CampaignState
from regauge.server.api import MAX_ID, CampaignId, State
from regauge.server.manage_roles import NO_REASON, ManagingReader, ManagingWriter, Strict, Why, Words, change
from regauge.workflows.access import end_sessions, renew_access
from regauge.workflows.annotation import Invitation, invite_many
from regauge.workflows.campaigns import close_campaign, get_campaign, open_campaign, revise_texts
from regauge.workflows.decisions import drop_annotator, restore_annotator
from regauge.workflows.people import foresee_drop
from regauge.workflows.studies import Study

MAX_LINKS = 1_000
"""Personal links at a time."""
MAX_TEXT = 10_000

router = APIRouter(prefix="/api/manage")

AnnotatorId = Annotated[int, Path(ge=1, le=MAX_ID)]
Text = Annotated[Words, Field(max_length=MAX_TEXT)]


class LinkWish(Strict):
    """How many personal links to make."""

    n: Annotated[int, Field(ge=1, le=MAX_LINKS)]


class LinkView(Strict):
    """Somebody's personal link; it cannot be shown again."""

    name: str
    link: str


class StateView(Strict):
    """A campaign after it was opened or closed."""

    name: str
    state: CampaignState


class TextsWish(Why):
    """New words for what annotators read first."""

    instructions: Text
    consent: Text
    warning: Text = ""
    training: Text = ""


class VersionView(Strict):
    """Which version of the texts holds from now on."""

    version: int


class EffectView(Strict):
    """What dropping somebody would do."""

    name: str
    n_answers: int
    n_reopened: int


class DecisionView(Strict):
    """Whether somebody's answers to a campaign count."""

    is_dropped: bool


@router.post("/campaigns/{campaign_id}/open")
async def let_in(state: State, session: ManagingWriter, campaign_id: CampaignId, why: Why = NO_REASON) -> StateView:
    """Let people work on a campaign."""
    return _show(await change(state, session, work=lambda study: _switch(study, campaign_id, open_campaign), why=why))


@router.post("/campaigns/{campaign_id}/close")
async def end(state: State, session: ManagingWriter, campaign_id: CampaignId, why: Why = NO_REASON) -> StateView:
    """Give out no more tasks of a campaign."""
    return _show(await change(state, session, work=lambda study: _switch(study, campaign_id, close_campaign), why=why))


@router.post("/campaigns/{campaign_id}/texts")
async def revise(state: State, session: ManagingWriter, campaign_id: CampaignId, texts: TextsWish) -> VersionView:
    """A new version of what annotators read first."""

    def work(study: Study) -> CampaignEntry:
        return revise_texts(
            study,
            get_campaign(study, campaign_id).name,
            instructions=texts.instructions,
            consent=texts.consent,
            warning=texts.warning,
            training=texts.training,
        )

    found = await change(state, session, work=work, why=texts)
    return VersionView(version=found.plan.texts.version)


@router.get("/campaigns/{campaign_id}/annotators/{annotator_id}/effect")
async def foresee(
    state: State, _session: ManagingReader, campaign_id: CampaignId, annotator_id: AnnotatorId
) -> EffectView:
    """What dropping somebody from a campaign would do."""
    found = await state.read(lambda study: foresee_drop(study, campaign_id, annotator=annotator_id))
    return EffectView(name=found.annotator.name, n_answers=found.n_answers, n_reopened=found.n_reopened)


@router.post("/campaigns/{campaign_id}/annotators/{annotator_id}/drop")
async def drop(
    state: State, session: ManagingWriter, campaign_id: CampaignId, annotator_id: AnnotatorId, *, why: Why
) -> DecisionView:
    """Let somebody's answers to a campaign count no longer; their tasks reopen."""

    def work(study: Study) -> CampaignEntry:
        return drop_annotator(study, campaign_id, annotator=annotator_id, reason=why.reason)

    await change(state, session, work=work)
    return DecisionView(is_dropped=True)


@router.post("/campaigns/{campaign_id}/annotators/{annotator_id}/restore")
async def restore(
    state: State, session: ManagingWriter, campaign_id: CampaignId, annotator_id: AnnotatorId, *, why: Why
) -> DecisionView:
    """Let somebody's answers count again."""

    def work(study: Study) -> CampaignEntry:
        return restore_annotator(study, campaign_id, annotator=annotator_id, reason=why.reason)

    await change(state, session, work=work)
    return DecisionView(is_dropped=False)


@router.post("/links")
async def make_links(state: State, session: ManagingWriter, body: LinkWish) -> list[LinkView]:
    """Personal links to give out, one for each person."""
    made = await change(state, session, work=lambda study: invite_many(study, body.n))
    return [_show_link(state.settings.base_url, one) for one in made]


@router.post("/people/{annotator_id}/link")
async def renew(state: State, session: ManagingWriter, annotator_id: AnnotatorId, why: Why = NO_REASON) -> LinkView:
    """A new link for somebody; the old one and their sessions end."""
    made = await change(state, session, work=lambda study: renew_access(study, annotator_id), why=why)
    await state.tell_servers()
    return _show_link(state.settings.base_url, made)


@router.post("/people/{annotator_id}/sessions", status_code=204)
async def sign_out(state: State, session: ManagingWriter, annotator_id: AnnotatorId, why: Why = NO_REASON) -> None:
    """End somebody's sessions wherever they are."""
    await change(state, session, work=lambda study: end_sessions(study, annotator_id), why=why)
    await state.tell_servers()


def _switch(study: Study, campaign_id: int, switch: Callable[[Study, str], CampaignEntry]) -> CampaignEntry:
    return switch(study, get_campaign(study, campaign_id).name)


def _show(campaign: CampaignEntry) -> StateView:
    return StateView(name=campaign.name, state=campaign.state)


def _show_link(base_url: str, made: Invitation) -> LinkView:
    return LinkView(name=made.annotator.name, link=f"{base_url}/join#{made.token}")
