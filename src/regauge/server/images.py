"""Images of tasks: only to whom they are being shown, all alike but for what is in them."""

from __future__ import annotations

import re

from fastapi import APIRouter, HTTPException, Request, Response

from regauge.errors import FormatError, InputError
from regauge.records.campaigns import AssignmentId, CampaignEntry, CampaignImage, Payload
from regauge.server.api import get_session, get_state
from regauge.server.guests import GUEST, load_guest_picture
from regauge.server.quiz_views import find_quiz_task
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation import get_own_assignment, list_task_images
from regauge.workflows.renditions import load_rendition
from regauge.workflows.studies import Study

ASSIGNMENT_ID = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
HEADERS = {"Cache-Control": "private, max-age=86400, immutable"}

router = APIRouter()


@router.get("/images/{assignment_id}/{cell}", response_class=Response)
async def get_image(request: Request, assignment_id: str, cell: int) -> Response:
    """One image of a task."""
    session = get_session(request)
    state = get_state(request)
    try:
        content = await state.paint(lambda: _load(state, AssignmentId(assignment_id), cell, session))
    except (InputError, FormatError):
        raise HTTPException(404, "There is no such image.") from None
    return Response(content, media_type="image/jpeg", headers=HEADERS)


def _load(state: ServerState, assignment_id: AssignmentId, cell: int, session: Session) -> bytes:
    if not ASSIGNMENT_ID.fullmatch(assignment_id):
        raise InputError("There is no such image.")
    if assignment_id.startswith(GUEST):
        return state.read_now(
            lambda study: load_guest_picture(study, assignment_id, cell, session=session, state=state)
        )
    owner, images = _find(state, assignment_id, session)
    if owner != session.annotator_id or not 0 <= cell < len(images):
        raise InputError("There is no such image.")
    return load_rendition(state.study, images[cell])


def _find(state: ServerState, assignment_id: AssignmentId, session: Session) -> tuple[int, tuple[CampaignImage, ...]]:
    known = state.shown.get(assignment_id)
    if known is not None:
        return known
    campaign, payload = state.read_now(lambda study: _get_task(study, state, assignment_id, session))
    album = state.get_album(campaign.id)
    images = tuple(album[number] for number in list_task_images(campaign.kind, payload))
    state.remember(assignment_id, images, annotator_id=session.annotator_id)
    return session.annotator_id, images


def _get_task(
    study: Study, state: ServerState, assignment_id: AssignmentId, session: Session
) -> tuple[CampaignEntry, Payload]:
    """What an assignment shows, where this process has not shown it before: after a restart, or beside another one."""
    found = find_quiz_task(study, assignment_id, session=session, state=state)
    if found is not None:
        return found
    campaign, assignment = get_own_assignment(study, assignment_id, annotator_id=session.annotator_id)
    return campaign, assignment.payload
