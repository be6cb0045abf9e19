"""What pages send and get as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regauge.errors import InputError
from regauge.records.campaigns.campaign import (
    NOT_YOURS,
    AnnotatorEntry,
    Assignment,
    AssignmentId,
    CampaignEntry,
    NewAnswer,
    Role,
)
from regauge.records.campaigns.evaluations import OWN_ORDER
from regauge.records.campaigns.times import ShownTime
from regauge.server.annotate.guests import check_guest_answer, take_guest_tasks
from regauge.server.sessions import GUEST_ID, Session
from regauge.server.state import ServerState, ShownImages
from regauge.workflows.annotation.admission import get_announced
from regauge.workflows.annotation.choosing import ChooserMemory, take_tasks
from regauge.workflows.annotation.showing import list_shown, looks_around, view_answer, view_task
from regauge.workflows.annotation.tasks import consent, find_previous, find_shown_seconds, find_start
from regauge.workflows.exposure.recording import find_task_role
from regauge.workflows.people.access import end_leases, end_one_session
from regauge.workflows.people.invitations import come_in
from regauge.workflows.people.visitors import count_remaining
from regauge.workflows.studies.study import Study

MAX_BODY = 16_384
"""Bytes of an answer at most; a mask takes sixteen, fifty candidates a few hundred."""
MAX_ID = 2**31 - 1
"""The largest number that a table counts up to."""
NO_TASK = 0
"""In the place of the number of a task that nobody is given: an example, or a question of a quiz."""

NOBODY = "Please open your personal link again."
TOO_FAST = "You sent too much within a minute. Nothing is lost: it will be sent again in a moment."

router = APIRouter(prefix="/api")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Token(_Strict):
    """What a personal link has after its #."""

    token: Annotated[str, Field(min_length=1, max_length=200)]


class SessionView(_Strict):
    """Who came in, and what their pages must send along with every change."""

    name: str
    role: Role
    csrf: str
    study: str
    id: int


class Consent(_Strict):
    """The version of the text that somebody agrees to."""

    version: Annotated[int, Field(ge=1, le=1_000_000)]


class TasksRequest(_Strict):
    """How many tasks a page wants to have at hand."""

    n: Annotated[int, Field(ge=1, le=5)] = 2


class TaskView(_Strict):
    """A task as a page shows it; where an answer was returned, with what was said."""

    id: str
    kind: str
    images: list[str]
    view: dict[str, Any]
    answer: dict[str, Any] | None = None
    revision: int = 0
    returned: str = ""
    shown_seconds: float | None = None
    seconds: float | None = None


class ShownTimeRequest(_Strict):
    """What the page says of the time from the image being shown to the answer; see `ShownTime`."""

    seconds: Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]
    steady: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
    asleep: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] = 0.0
    is_again: bool = False


class AnswerRequest(_Strict):
    """An answer as a page sends it."""

    client_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    assignment_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    answer: dict[str, Any]
    seconds: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)] | None = None
    revision: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    shown: ShownTimeRequest | None = None


class ReceiptView(_Strict):
    """That an answer is on disk, or that a guest's was looked at; never what it is good for, which only managers know."""

    status: Literal["stored", "guest"]


_ANSWER_BODY = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": AnswerRequest.model_json_schema()}}}
}
# One for all: whoever could tell a hidden repeat by the reply would make their answers agree.
_RECEIPT = Response('{"status":"stored"}', media_type="application/json")


def get_state(request: Request) -> ServerState:
    """The study being served."""
    state: ServerState = request.app.state.regauge
    return state


def get_session(request: Request) -> Session:
    """Whose request it is.

    Raises:
        HTTPException: nobody's.
    """
    session = get_state(request).sessions.find(request)
    if session is None:
        raise HTTPException(401, NOBODY)
    if session.is_framed and request.path_params.get("campaign_id", str(session.campaign_id)) != str(
        session.campaign_id
    ):
        raise HTTPException(403, "This page is for another campaign.")
    return session


def get_own_session(request: Request) -> Session:
    """Whose request it is, if one of our own pages made it."""
    session = get_session(request)
    if not get_state(request).sessions.is_own_request(request, session):
        raise HTTPException(403, "The request did not come from one of our pages; please reload.")
    return session


async def _find_state(request: Request) -> ServerState:
    """The same without the thread that plain functions would be called in."""
    return get_state(request)


async def _find_session(request: Request) -> Session:
    return get_session(request)


async def _find_own_session(request: Request) -> Session:
    return get_own_session(request)


async def _find_paced_session(request: Request) -> Session:
    session = get_own_session(request)
    _keep_pace(get_state(request), session)
    return session


State = Annotated[ServerState, Depends(_find_state)]
Reader = Annotated[Session, Depends(_find_session)]
Writer = Annotated[Session, Depends(_find_own_session)]
Worker = Annotated[Session, Depends(_find_paced_session)]
"""Whoever sends something to be written down, no faster than anybody works."""
CampaignId = Annotated[int, Path(ge=1, le=MAX_ID)]
AnnotatorId = Annotated[int, Path(ge=1, le=MAX_ID)]
ClassNumber = Annotated[int, Path(ge=0, le=MAX_ID)]


@router.post("/session")
async def begin_session(request: Request, state: State, body: Token, response: Response) -> SessionView:
    """Come in by a personal link; whoever is here as somebody else must leave first."""
    annotator = await state.read(lambda study: come_in(study, body.token))
    if annotator is None:
        raise HTTPException(403, "This link is not valid, or no longer valid. Please ask for a new one.")
    present = state.sessions.find(request)
    if present is not None and present.annotator_id not in {GUEST_ID, annotator.id}:
        raise HTTPException(409, f"You are signed in as {present.name}, but this link belongs to {annotator.name}.")
    session = state.sessions.begin(response, annotator)
    return _show_session(state, session)


@router.get("/session")
async def get_own_view(state: State, session: Reader) -> SessionView:
    """Who one is; a page that was open before somebody came in anew learns by it what to send along from now on."""
    return _show_session(state, session)


@router.post("/guest")
async def begin_guest(request: Request, state: State, response: Response) -> SessionView:
    """Come in to look around; whoever is here as somebody must leave first."""
    if not state.settings.has_guests:
        raise HTTPException(403, "This server has no guests.")
    present = state.sessions.find(request)
    if present is not None and present.role is not Role.GUEST:
        raise HTTPException(409, f"You are signed in as {present.name}; leave first.")
    session = state.sessions.begin(response, AnnotatorEntry(GUEST_ID, "guest", Role.GUEST, ""))
    return _show_session(state, session)


@router.delete("/session", status_code=204)
async def end_session(state: State, session: Writer, response: Response) -> None:
    """Go out, and let others have the tasks that one keeps; every process knows before it is acknowledged.

    Of guests nothing is kept, and anybody can be one.
    """
    if session.annotator_id != GUEST_ID:
        await state.writer.run(lambda study: _go_out(study, session))
        await state.tell_servers()
    state.sessions.end(response)


@router.post("/campaigns/{campaign_id}/consent", status_code=204)
async def give_consent(state: State, session: Worker, campaign_id: CampaignId, body: Consent) -> None:
    """Agree to the text of a campaign."""
    if session.is_trying:
        return
    await state.writer.run(
        lambda study: consent(study, campaign_id, annotator_id=session.annotator_id, version=body.version)
    )


@router.post("/campaigns/{campaign_id}/tasks")
async def take(state: State, session: Worker, campaign_id: CampaignId, body: TasksRequest) -> list[TaskView]:
    """Tasks to work on: those that one has, then new ones."""
    if session.is_trying:
        campaign, samples = await state.read(
            lambda study: take_guest_tasks(study, campaign_id, session=session, state=state)
        )
        return [_show(campaign, one.id, one.n_images, one.view) for one in samples]
    campaign, tasks, start = await state.writer.run(lambda study: _take(study, campaign_id, session, body.n, state))
    state.starts[campaign_id] = (campaign.generation, start)
    return await state.beside(lambda: [show_task(state, campaign, one) for one in tasks])


@router.get("/campaigns/{campaign_id}/previous")
async def get_previous(state: State, session: Reader, campaign_id: CampaignId) -> TaskView | None:
    """What one answered last, to look at it again or change it; of those who only look there is nothing."""
    if session.role is Role.MANAGER:
        return None
    campaign, found = await state.read(
        lambda study: (
            get_announced(study, campaign_id),
            find_previous(study, campaign_id, annotator_id=session.annotator_id, came_at=session.began_at),
        )
    )
    return None if found is None else await state.beside(lambda: show_task(state, campaign, found))


@router.post("/answers", response_model=ReceiptView, openapi_extra=_ANSWER_BODY)
async def answer(request: Request) -> Response:
    """Hand in an answer; it is on disk when the reply comes, and may be sent again as often as one likes."""
    state, session = get_state(request), get_own_session(request)
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise HTTPException(415, "An answer is sent as application/json.")
    try:
        sent = AnswerRequest.model_validate_json(await read_body(request))
    except ValidationError as error:
        raise HTTPException(422, f"This is not an answer: {error.errors()[0]['msg']}.") from None
    # Once more: a body may take its time, and whoever has gone out meanwhile was told so.
    if not state.sessions.is_good(session):
        raise HTTPException(401, NOBODY)
    if session.is_trying:
        try:
            status = await state.read(
                lambda study: check_guest_answer(study, sent.assignment_id, sent.answer, session=session, state=state)
            )
        except InputError as error:
            raise _make_refusal(str(error)) from None
        return JSONResponse({"status": status})
    _keep_pace(state, session)
    receipt = await state.writer.answer(
        NewAnswer(
            sent.client_id,
            AssignmentId(sent.assignment_id),
            session.annotator_id,
            sent.answer,
            sent.seconds,
            sent.revision,
            None if sent.shown is None else ShownTime(**sent.shown.model_dump()),
        )
    )
    if receipt.status is None:
        raise _make_refusal(receipt.refusal)
    return _RECEIPT


def _keep_pace(state: ServerState, session: Session) -> None:
    """Refuse what comes faster than anybody works; guests, who share a number, write nothing down."""
    seconds = 0 if session.is_trying else state.pace.take(session.annotator_id)
    if seconds:
        raise HTTPException(429, TOO_FAST, headers={"Retry-After": str(seconds)})


def _go_out(study: Study, session: Session) -> None:
    end_one_session(study, session.annotator_id, nonce=session.nonce)
    end_leases(study, session.annotator_id)


def _make_refusal(words: str) -> HTTPException:
    """Why an answer is not taken. Of one that is somebody else's the page keeps hold, for its owner."""
    return HTTPException(404 if words == NOT_YOURS else 409, words)


async def read_body(request: Request) -> bytes:
    """The body of a request, as long as it is short.

    Raises:
        HTTPException: the body is too long.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"An answer has at most {MAX_BODY:,} bytes.")
    return bytes(body)


def _show_session(state: ServerState, session: Session) -> SessionView:
    return SessionView(
        name=session.name,
        role=session.role,
        csrf=state.sessions.make_csrf_token(session),
        study=state.study.id,
        id=session.annotator_id,
    )


def _take(
    study: Study, campaign_id: int, session: Session, n: int, state: ServerState
) -> tuple[CampaignEntry, tuple[Assignment, ...], int]:
    """Tasks, and from which position on to look next time; that may be used only once all of it is committed."""
    campaign = get_announced(study, campaign_id)
    generation, start = state.starts.get(campaign_id, (campaign.generation, 0))
    known = ChooserMemory(
        find_start(study, campaign, start=start if generation == campaign.generation else 0),
        state.seen,
        state.recent,
        state.own_starts,
    )
    n_left = count_remaining(study, campaign, annotator_id=session.annotator_id)
    if n_left == 0:
        return campaign, (), known.start
    wanted = n if n_left is None else min(n, n_left)
    tasks = take_tasks(study, campaign_id, annotator_id=session.annotator_id, n=wanted, known=known)
    return campaign, tasks, known.start


def show_task(state: ServerState, campaign: CampaignEntry, assignment: Assignment) -> TaskView:
    """The task as a page shows it; its images can be asked for from now on."""
    album = state.get_album(campaign.id)
    images = list_shown(state.study, campaign, task=assignment.payload, album=album)
    role = find_task_role(state.study, campaign, is_lesson=assignment.task_id == NO_TASK)
    state.remember(assignment.id, ShownImages(assignment.annotator_id, images, campaign.id, role))
    shown = _show(campaign, assignment.id, len(images), _view(state, campaign, assignment))
    answer = view_answer(state.study, assignment, campaign)
    more: dict[str, Any] = {"answer": None if answer is None else dict(answer), "revision": assignment.revision}
    if OWN_ORDER in campaign.plan.settings:
        more |= {"seconds": assignment.seconds, "shown_seconds": find_shown_seconds(state.study, assignment)}
    return shown.model_copy(update={**more, "returned": assignment.returned})


def _view(state: ServerState, campaign: CampaignEntry, assignment: Assignment) -> Mapping[str, Any]:
    """What is shown of a task; tables are read only where it depends on them."""
    if looks_around(campaign, assignment.payload):
        return state.read_now(lambda study: view_task(study, assignment, campaign))
    return view_task(state.study, assignment, campaign)


def _show(campaign: CampaignEntry, shown_id: str, n_images: int, view: Mapping[str, Any]) -> TaskView:
    images = [f"/images/{shown_id}/{cell}" for cell in range(n_images)]
    return TaskView(id=shown_id, kind=campaign.kind, images=images, view=dict(view))
