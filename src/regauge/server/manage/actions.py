"""What the manager's pages change: campaigns, people and links; every route is refused to everybody else."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse
from pydantic import Field

from regauge.records.campaigns.campaign import MAX_TEXT, CampaignEntry, CampaignState
from regauge.records.campaigns.referrals import MAX_EXPERTISE
from regauge.server.annotate.api import MAX_ID, AnnotatorId, CampaignId, State
from regauge.server.manage.roles import NO_REASON, ManagingReader, ManagingWriter, Strict, TypedText, WithReason, change
from regauge.workflows.campaigns.assigning import drop_annotator, restore_annotator
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.campaigns.image_reports import take_out_image
from regauge.workflows.campaigns.openings import CheckedImages, check_images, close_campaign, open_campaign
from regauge.workflows.campaigns.texts import OutdatedTextsError, revise_texts
from regauge.workflows.discussions.standing import list_blind_panels
from regauge.workflows.people.access import end_sessions, release_tasks, renew_access
from regauge.workflows.people.directory import foresee_drop
from regauge.workflows.people.expertises import MAX_EXPERTISES, set_expertises
from regauge.workflows.people.invitations import Invitation, invite_many
from regauge.workflows.studies.study import Study

MAX_LINKS = 1_000
"""Personal links at a time."""
CHECK_SECONDS = 8.0
"""For so long images are decoded before somebody who opens a campaign is told how far it is."""

router = APIRouter(prefix="/api/manage")

Text = Annotated[TypedText, Field(max_length=MAX_TEXT)]


class LinkRequest(Strict):
    """How many personal links to make."""

    n: Annotated[int, Field(ge=1, le=MAX_LINKS)]


class LinkView(Strict):
    """Somebody's personal link; it cannot be shown again."""

    name: str
    link: str


class Expertises(Strict):
    """What somebody is an expert of: kinds of the hierarchy, or free words."""

    expertises: Annotated[list[Annotated[TypedText, Field(max_length=MAX_EXPERTISE)]], Field(max_length=MAX_EXPERTISES)]


class StateView(Strict):
    """A campaign after it was opened or closed; or how many of its images were looked at, where that goes on."""

    name: str
    state: CampaignState
    n_checked: int = 0
    n_images: int = 0


class TakenOutView(Strict):
    """How many tasks are left out, as they had no other image."""

    n_tasks: int


class OpenRequest(WithReason):
    """How to open a campaign: images that cannot be shown are left out, or else refused."""

    leaves_out: bool = False


AS_IT_IS = OpenRequest()


class TextsRequest(WithReason):
    """New words for what annotators read first, and the version that they were made from."""

    instructions: Text
    consent: Text
    warning: Text = ""
    training: Text = ""
    version: Annotated[int, Field(ge=1, le=MAX_ID)]


class VersionView(Strict):
    """Which version of the texts holds from now on."""

    version: int


class OutdatedView(Strict):
    """That somebody else has changed the texts meanwhile, and what they wrote."""

    detail: str
    version: int
    texts: dict[str, str]


class EffectView(Strict):
    """What dropping somebody would do."""

    name: str
    n_answers: int
    n_reopened: int


class ReleaseView(Strict):
    """How many tasks somebody kept, which others can be given now."""

    n: int


class DecisionView(Strict):
    """Whether somebody's answers to a campaign count."""

    is_dropped: bool


@router.post("/campaigns/{campaign_id}/open")
async def let_in(
    state: State, session: ManagingWriter, campaign_id: CampaignId, body: OpenRequest = AS_IT_IS
) -> StateView:
    """Let people work on a campaign, once all that it will show was decoded; of many images only some, to be asked again."""
    end = time.monotonic() + CHECK_SECONDS

    def check() -> CheckedImages:
        return state.read_now(lambda study: check_images(study, campaign_id, is_over=lambda: time.monotonic() > end))

    checked = await state.paint(check)
    if checked.n_left:
        campaign = await state.read(lambda study: get_campaign(study, campaign_id))
        n_checked = checked.n_images - checked.n_left
        return StateView(name=campaign.name, state=campaign.state, n_checked=n_checked, n_images=checked.n_images)

    def work(study: Study) -> CampaignEntry:
        name = get_campaign(study, campaign_id).name
        return open_campaign(study, name, checked=checked, leaves_out=body.leaves_out)

    return _show(await change(state, session, work=work, why=body))


@router.post("/campaigns/{campaign_id}/close")
async def end(state: State, session: ManagingWriter, campaign_id: CampaignId, why: WithReason = NO_REASON) -> StateView:
    """Give out no more tasks of a campaign."""
    return _show(await change(state, session, work=lambda study: _switch(study, campaign_id, close_campaign), why=why))


@router.post("/campaigns/{campaign_id}/texts", response_model=VersionView, responses={409: {"model": OutdatedView}})
async def revise(
    state: State, session: ManagingWriter, campaign_id: CampaignId, texts: TextsRequest
) -> VersionView | JSONResponse:
    """A new version of what annotators read first; refused with the present words if these are not what was read."""

    def work(study: Study) -> CampaignEntry:
        return revise_texts(
            study,
            get_campaign(study, campaign_id).name,
            version=texts.version,
            instructions=texts.instructions,
            consent=texts.consent,
            warning=texts.warning,
            training=texts.training,
        )

    try:
        found = await change(state, session, work=work, why=texts)
    except OutdatedTextsError as error:
        theirs = asdict(error.texts)
        view = OutdatedView(detail=str(error), version=theirs.pop("version"), texts=theirs)
        return JSONResponse(view.model_dump(), status_code=409)
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
    state: State, session: ManagingWriter, campaign_id: CampaignId, annotator_id: AnnotatorId, *, why: WithReason
) -> DecisionView:
    """Stop counting somebody's answers to a campaign; their tasks reopen."""

    def work(study: Study) -> CampaignEntry:
        return drop_annotator(study, campaign_id, annotator=annotator_id, reason=why.reason)

    await change(state, session, work=work)
    return DecisionView(is_dropped=True)


@router.post("/campaigns/{campaign_id}/annotators/{annotator_id}/restore")
async def restore(
    state: State, session: ManagingWriter, campaign_id: CampaignId, annotator_id: AnnotatorId, *, why: WithReason
) -> DecisionView:
    """Let somebody's answers count again."""

    def work(study: Study) -> CampaignEntry:
        return restore_annotator(study, campaign_id, annotator=annotator_id, reason=why.reason)

    await change(state, session, work=work)
    return DecisionView(is_dropped=False)


@router.post("/links")
async def make_links(state: State, session: ManagingWriter, body: LinkRequest) -> list[LinkView]:
    """Personal links to give out, one for each person."""
    made = await change(state, session, work=lambda study: invite_many(study, body.n))
    return [_show_link(state.settings.base_url, one) for one in made]


@router.post("/people/{annotator_id}/link")
async def renew(
    state: State, session: ManagingWriter, annotator_id: AnnotatorId, why: WithReason = NO_REASON
) -> LinkView:
    """A new link for somebody; the old one ends, their sessions and their leases."""
    made = await change(state, session, work=lambda study: renew_access(study, annotator_id), why=why)
    await state.tell_servers()
    return _show_link(state.settings.base_url, made)


@router.post("/people/{annotator_id}/sessions", status_code=204)
async def sign_out(
    state: State, session: ManagingWriter, annotator_id: AnnotatorId, why: WithReason = NO_REASON
) -> None:
    """End somebody's sessions wherever they are, and their leases."""
    await change(state, session, work=lambda study: end_sessions(study, annotator_id), why=why)
    await state.tell_servers()


@router.post("/people/{annotator_id}/release")
async def release(
    state: State, session: ManagingWriter, annotator_id: AnnotatorId, why: WithReason = NO_REASON
) -> ReleaseView:
    """Let others have the tasks that somebody keeps; a panel that votes alone votes on all of its own, and nobody is told."""

    def work(study: Study) -> int:
        return release_tasks(study, annotator_id, without=list_blind_panels(study))

    n = await change(state, session, work=work, why=why)
    return ReleaseView(n=n)


@router.post("/people/{annotator_id}/expertise")
async def set_expertise(
    state: State, session: ManagingWriter, annotator_id: AnnotatorId, body: Expertises
) -> Expertises:
    """Let somebody be an expert of these alone; what is referred to one of them may go to them."""
    words = [one for one in body.expertises if one.strip()]
    own = await change(state, session, work=lambda study: set_expertises(study, annotator_id, words))
    return Expertises(expertises=list(own))


@router.post("/campaigns/{campaign_id}/images/{number}/out")
async def take_out(
    state: State,
    session: ManagingWriter,
    *,
    campaign_id: CampaignId,
    number: Annotated[int, Path(ge=0, le=MAX_ID)],
    why: WithReason,
) -> TakenOutView:
    """Show an image of a campaign to nobody any more; the reason is needed."""
    n = await change(
        state,
        session,
        work=lambda study: take_out_image(study, campaign_id, number=number, reason=why.reason),
        why=why,
    )
    return TakenOutView(n_tasks=n)


def _switch(study: Study, campaign_id: int, switch: Callable[[Study, str], CampaignEntry]) -> CampaignEntry:
    return switch(study, get_campaign(study, campaign_id).name)


def _show(campaign: CampaignEntry) -> StateView:
    return StateView(name=campaign.name, state=campaign.state)


def _show_link(base_url: str, made: Invitation) -> LinkView:
    return LinkView(name=made.annotator.name, link=f"{base_url}/join#{made.token}")
