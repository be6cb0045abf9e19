"""Images of tasks: only to whom they are being shown, all alike but for what is in them."""

from __future__ import annotations

import logging
import re
from typing import NamedTuple

from fastapi import APIRouter, HTTPException, Request, Response

from regauge.errors import FormatError, InputError, RegaugeError
from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry, CampaignImage, Payload
from regauge.records.exposure.exposures import ExposureRole
from regauge.server.annotate.api import get_session, get_state
from regauge.server.annotate.guests import GUEST, TRIED, get_tried_task, load_guest_picture
from regauge.server.annotate.quiz_views import find_quiz_task
from regauge.server.sessions import Session
from regauge.server.state import ServerState, ShownImages
from regauge.workflows.annotation.renditions import RenditionSide, load_rendition
from regauge.workflows.annotation.showing import list_shown, list_task_images
from regauge.workflows.annotation.tasks import get_own_assignment
from regauge.workflows.campaigns.image_failures import note_failures
from regauge.workflows.exposure.recording import find_task_role
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
        content, sent = await state.paint(lambda: _load(state, (found, cell), session, side=side))
    except _UnshownError as error:
        await _note(state, found, cell, session=session, reason=str(error))
        raise HTTPException(404, NO_IMAGE) from None
    except InputError:
        raise HTTPException(404, NO_IMAGE) from None
    if sent is not None:
        state.note_sent(session, sent.image, role=sent.role, campaign_id=sent.campaign_id)
    return Response(content, media_type="image/jpeg", headers=HEADERS)


class _Sent(NamedTuple):
    """An image that goes to somebody: of which campaign, and as what."""

    image: CampaignImage
    campaign_id: int
    role: ExposureRole


class _UnshownError(Exception):
    """An image that is somebody's to see cannot be shown, and why."""


def _load(
    state: ServerState, place: tuple[AssignmentId, int], session: Session, *, side: RenditionSide
) -> tuple[bytes, _Sent | None]:
    """The image and, unless it is a drawing that guests see, what is to be noted of it."""
    assignment_id, cell = place
    if not ASSIGNMENT_ID.fullmatch(assignment_id):
        raise InputError(NO_IMAGE)
    if assignment_id.startswith(GUEST):
        drawn = state.read_now(lambda study: load_guest_picture(study, place, session=session, state=state, side=side))
        return drawn, None
    shown = _find(state, assignment_id, session)
    if shown.annotator_id != session.annotator_id or not 0 <= cell < len(shown.images):
        raise InputError(NO_IMAGE)
    image = shown.images[cell]
    if image is None:
        raise _UnshownError(TAKEN_OUT_WORDS)
    try:
        return load_rendition(state.study, image, side=side), _Sent(image, shown.campaign_id, shown.role)
    except FormatError as error:
        raise _UnshownError(error.problem) from error
    except InputError as error:
        raise _UnshownError(str(error)) from error


async def _note(state: ServerState, assignment_id: AssignmentId, cell: int, *, session: Session, reason: str) -> None:
    """Note once per image and person that it could not be shown, for the manager; pages ask again and again."""
    if session.is_trying or not state.is_news((assignment_id, cell)):
        return

    def work(study: Study) -> None:
        campaign, task, _ = _get_task(study, state, assignment_id, session)
        number = list_task_images(study, campaign, task)[cell]
        note_failures(study, campaign.id, {number: reason}, annotator_id=session.annotator_id)

    try:
        await state.writer.run(work)
    except RegaugeError as error:
        # Whoever waits for the image is told that it does not come, whether or not that could be written down; if not, the next
        # try is news.
        state.forget_failure((assignment_id, cell))
        _LOG.warning("%s", error)


def _find(state: ServerState, assignment_id: AssignmentId, session: Session) -> ShownImages:
    known = state.shown.get(assignment_id)
    if known is not None:
        return known
    campaign, payload, is_lesson = state.read_now(lambda study: _get_task(study, state, assignment_id, session))
    images = list_shown(state.study, campaign, task=payload, album=state.get_album(campaign.id))
    role = find_task_role(state.study, campaign, is_lesson=is_lesson)
    shown = ShownImages(session.annotator_id, images, campaign.id, role)
    state.remember(assignment_id, shown)
    return shown


def _get_task(
    study: Study, state: ServerState, assignment_id: AssignmentId, session: Session
) -> tuple[CampaignEntry, Payload, bool]:
    """What an assignment shows, where this process has not shown it before: after a restart, or beside another one.

    With it comes whether it is an example or a question.
    """
    found = find_quiz_task(study, assignment_id, session=session, state=state)
    if found is not None:
        return (*found, True)
    if assignment_id.startswith(TRIED):
        return (*get_tried_task(study, assignment_id, session=session, state=state), False)
    campaign, assignment = get_own_assignment(study, assignment_id, annotator_id=session.annotator_id)
    return campaign, assignment.payload, False
