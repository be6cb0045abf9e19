"""Images of tasks: only to whom they are being shown, all alike but for what is in them."""

from __future__ import annotations

import logging
import re

from fastapi import APIRouter, HTTPException, Request, Response

from regauge.errors import FormatError, InputError, RegaugeError
from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry, CampaignImage, Payload
from regauge.server.annotate.api import get_session, get_state
from regauge.server.annotate.guests import GUEST, TRIED, get_tried_task, load_guest_picture
from regauge.server.annotate.quiz_views import find_quiz_task
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation.renditions import RenditionSide, load_rendition
from regauge.workflows.annotation.showing import list_shown, list_task_images
from regauge.workflows.annotation.tasks import get_own_assignment
from regauge.workflows.campaigns.image_failures import note_failures
from regauge.workflows.studies.study import Study

ASSIGNMENT_ID = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
NO_IMAGE = "There is no such image."
TAKEN_OUT_WORDS = "It was taken out of the campaign."
HEADERS = {"Cache-Control": "private, max-age=86400, immutable"}

_LOG = logging.getLogger(__name__)

router = APIRouter()


@router.get("/images/{assignment_id}/{cell}", response_class=Response)
async def get_image(
    request: Request, assignment_id: str, cell: int, *, side: RenditionSide = RenditionSide.USUAL
) -> Response:
    """One image of a task; all are there in the same sizes, so that asking for another one tells nothing."""
    session = get_session(request)
    state = get_state(request)
    found = AssignmentId(assignment_id)
    try:
        content = await state.paint(lambda: _load(state, (found, cell), session, side=side))
    except _UnshownError as error:
        await _note(state, found, cell, session=session, reason=str(error))
        raise HTTPException(404, NO_IMAGE) from None
    except InputError:
        raise HTTPException(404, NO_IMAGE) from None
    return Response(content, media_type="image/jpeg", headers=HEADERS)


class _UnshownError(Exception):
    """An image that is somebody's to see cannot be shown, and why."""


def _load(state: ServerState, place: tuple[AssignmentId, int], session: Session, *, side: RenditionSide) -> bytes:
    assignment_id, cell = place
    if not ASSIGNMENT_ID.fullmatch(assignment_id):
        raise InputError(NO_IMAGE)
    if assignment_id.startswith(GUEST):
        return state.read_now(lambda study: load_guest_picture(study, place, session=session, state=state, side=side))
    owner, images = _find(state, assignment_id, session)
    if owner != session.annotator_id or not 0 <= cell < len(images):
        raise InputError(NO_IMAGE)
    image = images[cell]
    if image is None:
        raise _UnshownError(TAKEN_OUT_WORDS)
    try:
        return load_rendition(state.study, image, side=side)
    except FormatError as error:
        raise _UnshownError(error.problem) from error
    except InputError as error:
        raise _UnshownError(str(error)) from error


async def _note(state: ServerState, assignment_id: AssignmentId, cell: int, *, session: Session, reason: str) -> None:
    """Note once per image and person that it could not be shown, for the manager; pages ask again and again."""
    if session.is_trying or not state.is_news((assignment_id, cell)):
        return

    def work(study: Study) -> None:
        campaign, task = _get_task(study, state, assignment_id, session)
        number = list_task_images(study, campaign, task)[cell]
        note_failures(study, campaign.id, {number: reason}, annotator_id=session.annotator_id)

    try:
        await state.writer.run(work)
    except RegaugeError as error:
        # Whoever waits for the image is told that it does not come, whether or not that could be written down; if not, the next
        # try is news.
        state.forget_failure((assignment_id, cell))
        _LOG.warning("%s", error)


def _find(
    state: ServerState, assignment_id: AssignmentId, session: Session
) -> tuple[int, tuple[CampaignImage | None, ...]]:
    known = state.shown.get(assignment_id)
    if known is not None:
        return known
    campaign, payload = state.read_now(lambda study: _get_task(study, state, assignment_id, session))
    album = state.get_album(campaign.id)
    images = list_shown(state.study, campaign, task=payload, album=album)
    state.remember(assignment_id, images, annotator_id=session.annotator_id)
    return session.annotator_id, images


def _get_task(
    study: Study, state: ServerState, assignment_id: AssignmentId, session: Session
) -> tuple[CampaignEntry, Payload]:
    """What an assignment shows, where this process has not shown it before: after a restart, or beside another one."""
    found = find_quiz_task(study, assignment_id, session=session, state=state)
    if found is not None:
        return found
    if assignment_id.startswith(TRIED):
        return get_tried_task(study, assignment_id, session=session, state=state)
    campaign, assignment = get_own_assignment(study, assignment_id, annotator_id=session.annotator_id)
    return campaign, assignment.payload
