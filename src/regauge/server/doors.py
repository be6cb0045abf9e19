"""The doors for people from Prolific and Mechanical Turk, and their ways back."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignState, Platform, Role
from regauge.records.campaigns.visits import Admission, Arrival, VisitProgress, VisitState
from regauge.server.annotate.api import CampaignId, State, Worker
from regauge.server.annotate.pages import MTurkFrame, render, view_campaign
from regauge.server.guard import make_frame_policy
from regauge.server.kind_pages import find_template
from regauge.server.sessions import GUEST_ID
from regauge.server.state import ServerState
from regauge.workflows.annotation.tasks import AnnotatorProgress, get_seat
from regauge.workflows.people.visitors import (
    MTURK_FORM_ORIGINS,
    MTURK_FRAME_ORIGINS,
    PLATFORM_NAMES,
    Hit,
    admit,
    find_visitor_name,
    finish_visit,
    hide_earlier,
    make_completion_link,
    parse_hit,
    parse_prolific,
    preview,
    return_visit,
)
from regauge.workflows.studies.study import Study

router = APIRouter()


@dataclass(frozen=True, slots=True)
class DoorView:
    """Why somebody was not let in, in words; never with what the address said."""

    detail: str


@dataclass(frozen=True, slots=True)
class SwitchView:
    """As whom somebody is here who opened the link of somebody else."""

    name: str
    platform: str


class VisitProgressView(BaseModel):
    """Where somebody stands with their share; without a state for those who did not come from a platform."""

    model_config = ConfigDict(extra="forbid", strict=True)

    state: VisitState | None = None
    n_done: int = 0
    n_share: int = 0
    code: str = ""
    link: str = ""


@router.get("/p/{campaign_id}", include_in_schema=False)
async def come_from_prolific(request: Request, state: State, campaign_id: CampaignId) -> Response:
    """Let in whom Prolific sends; the address that they go on to says nothing about them."""
    try:
        arrival = parse_prolific(request.query_params)
        if (question := await _ask_to_leave(request, state, campaign_id, arrival)) is not None:
            return question
        admission = await state.writer.run(lambda study: admit(study, campaign_id, arrival))
    except InputError as error:
        return _refuse(request, str(error))
    response = RedirectResponse(_find_next(admission), status_code=303)
    state.sessions.begin(response, admission.annotator)
    return response


@router.get("/m/{campaign_id}", include_in_schema=False)
async def come_from_mturk(request: Request, state: State, campaign_id: CampaignId) -> Response:
    """The tasks in a frame of Mechanical Turk: to look at, or to work on."""
    try:
        hit = parse_hit(request.query_params, extra_origins=state.settings.frame_origins)
        response = await _show_hit(request, state, campaign_id, hit)
    except InputError as error:
        response = _refuse(request, str(error))
    ancestors = (*MTURK_FRAME_ORIGINS, *state.settings.frame_origins)
    targets = (*MTURK_FORM_ORIGINS, *state.settings.frame_origins)
    response.headers["Content-Security-Policy"] = make_frame_policy(ancestors, targets)
    return response


@router.post("/api/campaigns/{campaign_id}/finish")
async def finish(state: State, session: Worker, campaign_id: CampaignId) -> VisitProgressView:
    """Go back to where one came from, if one has done one's share or nothing is left."""
    if session.is_trying:
        return VisitProgressView()
    who, visit = session.annotator_id, session.visit_id

    def work(study: Study) -> VisitProgress | None:
        found = finish_visit(study, campaign_id, annotator_id=who, visit_id=visit)
        return None if found is None else hide_earlier(study, found, came_at=session.began_at)

    standing = await state.writer.run(work)
    return VisitProgressView() if standing is None else _show(standing)


@router.post("/api/campaigns/{campaign_id}/return")
async def give_back(state: State, session: Worker, campaign_id: CampaignId) -> VisitProgressView:
    """Stop, and give one's place to somebody else."""
    if session.is_trying:
        return VisitProgressView()

    def work(study: Study) -> VisitProgress:
        standing = return_visit(study, campaign_id, annotator_id=session.annotator_id)
        return hide_earlier(study, standing, came_at=session.began_at)

    return _show(await state.writer.run(work))


async def _ask_to_leave(request: Request, state: ServerState, campaign_id: int, arrival: Arrival) -> Response | None:
    """A page that asks whoever is here as somebody else whether they want to leave first; None where nobody is.

    In the frame there is no cookie, so that nobody is asked there.
    """
    present = state.sessions.find(request)
    if present is None or present.role is Role.GUEST:
        return None
    if present.role is Role.MANAGER:
        return _refuse(
            request, "You are signed in as the manager. To try the link, open it in a private window.", status=409
        )
    if present.name == await state.read(lambda study: find_visitor_name(study, campaign_id, arrival)):
        return None
    return render(request, "switch.html", SwitchView(present.name, PLATFORM_NAMES[arrival.platform]), status=409)


async def _show_hit(request: Request, state: ServerState, campaign_id: int, hit: Hit) -> Response:
    if hit.arrival is None:
        seat, frame = await _look(state, campaign_id)
    elif (question := await _ask_to_leave(request, state, campaign_id, hit.arrival)) is not None:
        return question
    else:
        seat, frame = await _enter(state, campaign_id, hit)
    view = await view_campaign(state, frame.session, seat)
    return render(request, find_template(state.study, seat.campaign), view, frame=frame)


async def _look(state: ServerState, campaign_id: int) -> tuple[AnnotatorProgress, MTurkFrame]:
    """Somebody looks at a HIT before they accept it: as a guest, and nothing is kept."""
    campaign = await state.read(lambda study: preview(study, campaign_id))
    guest = AnnotatorEntry(GUEST_ID, "guest", Role.GUEST, "")
    session, token = state.sessions.begin_frame(guest, campaign_id=campaign.id)
    return AnnotatorProgress(campaign, 0, has_consented=False), MTurkFrame(session, token)


async def _enter(state: ServerState, campaign_id: int, hit: Hit) -> tuple[AnnotatorProgress, MTurkFrame]:
    """Somebody has accepted a HIT, or reloads it."""
    arrival = hit.arrival
    assert arrival is not None  # noqa: S101 - the caller looked
    admission = await state.writer.run(lambda study: admit(study, campaign_id, arrival))
    who = admission.annotator
    session, token = state.sessions.begin_frame(who, campaign_id=campaign_id, visit_id=admission.visit.id)
    seat = await state.read(lambda study: get_seat(study, campaign_id, annotator_id=who.id, came_at=session.began_at))
    return seat, MTurkFrame(session, token, hit.assignment_id, hit.submit_to)


def _find_next(admission: Admission) -> str:
    """The address that somebody goes on to: the tasks, or the thanks if there are none for them any more."""
    address = f"/campaigns/{admission.campaign.id}"
    can_work = admission.visit.is_open and admission.campaign.state is CampaignState.OPEN
    return address if can_work else f"{address}/thanks"


def _refuse(request: Request, detail: str, *, status: int = 400) -> Response:
    return render(request, "door.html", DoorView(detail), status=status)


def _show(standing: VisitProgress) -> VisitProgressView:
    is_prolific = standing.visit.platform is Platform.PROLIFIC
    return VisitProgressView(
        state=standing.state,
        n_done=standing.n_done,
        n_share=standing.n_share,
        code=standing.code,
        link=make_completion_link(standing.code) if is_prolific and standing.code else "",
    )
