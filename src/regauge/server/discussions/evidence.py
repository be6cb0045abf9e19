"""Panelists send pictures as evidence, and look at those of others once round 1 is over."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AssignmentId, Role
from regauge.server.annotate.api import Reader, State, Worker
from regauge.workflows.discussions.evidence import add_picture, load_picture, shrink_picture

PATH = "/api/evidence"
MAX_BYTES = 8 * 2**20
"""Of a picture as it is sent."""
LIMITS = {("POST", PATH): MAX_BYTES * 4 // 3 + 1_024}
HEADERS = {"Cache-Control": "private, max-age=86400, immutable", "Content-Disposition": "inline"}

router = APIRouter()


class PictureRequest(BaseModel):
    """A picture in base64, and the item that it is for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    assignment_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    content: Annotated[str, Field(min_length=1, max_length=MAX_BYTES * 4 // 3 + 4)]


class PictureView(BaseModel):
    """What a picture is asked for by."""

    picture: str


@router.post(PATH)
async def send_picture(state: State, session: Worker, body: PictureRequest) -> PictureView:
    """Store a picture; what is stored is a new file of its pixels alone."""
    if session.is_trying:
        raise InputError("You are only looking around, so nothing that you send would be kept.")
    try:
        content = base64.b64decode(body.content, validate=True)
    except (binascii.Error, ValueError):
        raise HTTPException(422, "This is not a picture in base64.") from None
    made = await state.paint(lambda: shrink_picture(content))
    found = AssignmentId(body.assignment_id)
    token = await state.writer.run(
        lambda study: add_picture(study, found, annotator_id=session.annotator_id, content=made)
    )
    return PictureView(picture=token)


@router.get(PATH + "/{token}", response_class=Response)
async def get_picture(
    state: State, session: Reader, token: Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
) -> Response:
    """A picture that one may see."""
    is_manager = session.role is Role.MANAGER
    try:
        content = await state.read(
            lambda study: load_picture(study, token, annotator_id=session.annotator_id, is_manager=is_manager)
        )
    except InputError as error:
        raise HTTPException(404, str(error)) from None
    return Response(content, media_type="image/jpeg", headers=HEADERS)
