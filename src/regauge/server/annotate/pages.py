"""The pages: each handler finds out who asks, calls one workflow, and gives its template one record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

import regauge
from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, Role
from regauge.server.annotate.api import get_session, get_state
from regauge.server.kind_pages import find_template
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation.outlooks import Outlook, find_outlook, foresee_work
from regauge.workflows.annotation.tasks import AnnotatorProgress, get_seat, list_seats, preview_seat
from regauge.workflows.annotation.training.group_reviews import find_group_campaign
from regauge.workflows.people.visitors import count_remaining
from regauge.workflows.studies.study import Study

NO_GROUP = "Those who only look see nobody's answers."

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


@dataclass(frozen=True, slots=True)
class MTurkFrame:
    """What a page in a frame of Mechanical Turk knows besides.

    Attributes:
        session: who is there.
        token: what the page shows in place of a cookie.
        assignment_id: what the work is handed in under; empty in a preview.
        submit_to: the address that it is handed in at; empty in a preview.
    """

    session: Session
    token: str
    assignment_id: str = ""
    submit_to: str = ""


@dataclass(frozen=True, slots=True)
class PageView:
    """What every page knows: the study's description, and who is there."""

    study: str
    study_id: str
    about: str
    session: Session | None
    csrf: str
    version: str
    has_guests: bool
    shows_results: bool = False
    frame: MTurkFrame | None = None


@dataclass(frozen=True, slots=True)
class HomeView:
    """The campaigns that an annotator can work on, and per campaign what is before them there."""

    seats: tuple[AnnotatorProgress, ...]
    outlooks: Mapping[int, Outlook]


@dataclass(frozen=True, slots=True)
class CampaignView:
    """One campaign, as an annotator sees it."""

    campaign: CampaignEntry
    seat: AnnotatorProgress
    outlook: Outlook | None = None


@dataclass(frozen=True, slots=True)
class GroupView:
    """A training whose answers are open to the group."""

    number: int
    name: str


@dataclass(frozen=True, slots=True)
class ErrorView:
    """What went wrong, in words."""

    status: int
    detail: str


State = Annotated[ServerState, Depends(get_state)]


@router.get("/")
async def show_home(request: Request, state: State) -> Response:
    """What there is to do."""
    session = state.sessions.find(request)
    if session is None:
        return render(request, "welcome.html", None)
    if session.role is Role.MANAGER:
        return RedirectResponse("/manage", status_code=303)
    seats = await state.read(lambda study: list_seats(study, session.annotator_id, came_at=session.began_at))
    outlooks = await state.read(
        lambda study: {one.campaign.id: look_ahead(study, state, session, one) for one in seats}
    )
    return render(request, "home.html", HomeView(seats, outlooks))


@router.get("/join")
async def show_join(request: Request) -> Response:
    """Where personal links lead: the page exchanges what stands after the # for a session."""
    return render(request, "join.html", None)


@router.get("/campaigns/{campaign_id}")
async def show_campaign(request: Request, state: State, campaign_id: int) -> Response:
    """Instructions and consent, then the tasks."""
    session = get_session(request)
    if session.role is Role.MANAGER:
        seat: AnnotatorProgress | None = await state.read(lambda study: preview_seat(study, campaign_id))
    else:
        seats = await state.read(lambda study: list_seats(study, session.annotator_id, came_at=session.began_at))
        seat = next((one for one in seats if one.campaign.id == campaign_id), None)
    if seat is None:
        raise HTTPException(404, "There is no such campaign, or it is not open at the moment.")
    return render(request, find_template(state.study, seat.campaign), await view_campaign(state, session, seat))


@router.get("/campaigns/{campaign_id}/group")
async def show_group(request: Request, state: State, campaign_id: int) -> Response:
    """What the group of a training answered, one image at a time; the page asks for it."""
    session = get_session(request)
    if session.is_trying:
        raise HTTPException(404, NO_GROUP)
    try:
        name = await state.read(
            lambda study: find_group_campaign(study, campaign_id, annotator_id=session.annotator_id).name
        )
    except InputError as error:
        raise HTTPException(404, str(error)) from None
    return render(request, "group_review.html", GroupView(campaign_id, name))


@router.get("/campaigns/{campaign_id}/thanks")
async def show_thanks(request: Request, state: State, campaign_id: int) -> Response:
    """What somebody has done, when there is nothing more to do."""
    session = get_session(request)
    seat = await state.read(
        lambda study: (
            preview_seat(study, campaign_id)
            if session.role is Role.MANAGER
            else get_seat(study, campaign_id, annotator_id=session.annotator_id, came_at=session.began_at)
        )
    )
    return render(request, "thanks.html", CampaignView(seat.campaign, seat))


async def view_campaign(state: ServerState, session: Session, seat: AnnotatorProgress) -> CampaignView:
    """A campaign with what is before whoever looks at it."""
    outlook = await state.read(lambda study: look_ahead(study, state, session, seat))
    return CampaignView(seat.campaign, seat, outlook)


def look_ahead(study: Study, state: ServerState, session: Session, seat: AnnotatorProgress) -> Outlook:
    """What is before somebody in a campaign; of those who only look, what a task is like."""
    campaign = seat.campaign
    time = state.find_task_time(study, campaign)
    if session.is_trying:
        return foresee_work(campaign, time)
    generation, start = state.starts.get(campaign.id, (campaign.generation, 0))
    known = start if generation == campaign.generation else 0
    found = find_outlook(study, seat, annotator_id=session.annotator_id, time=time, start=known)
    return found.limit(count_remaining(study, campaign, annotator_id=session.annotator_id))


def render(
    request: Request, template: str, view: object, *, status: int = 200, frame: MTurkFrame | None = None
) -> Response:
    """A page, of its own or in a frame."""
    state = get_state(request)
    session = state.sessions.find(request) if frame is None else frame.session
    page = PageView(
        study=state.study.paths.folder.name,
        study_id=state.study.id,
        about=state.study.about,
        session=session,
        csrf="" if session is None else state.sessions.make_csrf_token(session),
        version=regauge.__version__,
        has_guests=state.settings.has_guests,
        shows_results=state.settings.shows_results,
        frame=frame,
    )
    return HTMLResponse(state.templates.get_template(template).render(page=page, view=view), status_code=status)


def render_part(state: ServerState, template: str, view: object) -> str:
    """A part of a page, to be put into one that is open."""
    return state.templates.get_template(template).render(view=view)


def render_macros(state: ServerState, template: str, calls: Mapping[str, tuple[Any, ...]]) -> dict[str, str]:
    """What macros of a template make of their arguments, by the names that they are asked for under."""
    macros = state.templates.get_template(template).module
    return {name: str(getattr(macros, macro)(*arguments)) for name, (macro, *arguments) in calls.items()}


def render_error(request: Request, status: int, detail: str) -> Response:
    """A page that says what went wrong and where to go."""
    return render(request, "error.html", ErrorView(status, detail), status=status)
