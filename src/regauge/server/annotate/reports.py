"""Annotators say that an image is broken, that it upsets them, or what else is wrong with it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, ConfigDict, Field

from regauge.errors import InputError
from regauge.records.campaigns.campaign import NOT_YOURS, AssignmentId
from regauge.records.campaigns.image_reports import MAX_WORDS, ImageProblem
from regauge.server.annotate.api import State, Worker
from regauge.workflows.campaigns.image_reports import report_image

router = APIRouter(prefix="/api")


class ReportRequest(BaseModel):
    """What somebody says of an image, by its place in a task; sent again, it is said once."""

    model_config = ConfigDict(extra="forbid")

    client_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    assignment_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    place: Annotated[int, Field(ge=0, le=63, strict=True)]
    problem: ImageProblem
    words: Annotated[str, Field(max_length=MAX_WORDS, strict=True)] = ""


@router.post("/reports", status_code=204)
async def report(state: State, session: Worker, body: ReportRequest) -> None:
    """Report an image of a task that one has; of those who only look nothing is kept."""
    if session.is_trying:
        return
    said = (body.problem, body.words)
    assignment_id = AssignmentId(body.assignment_id)
    try:
        await state.writer.run(
            lambda study: report_image(
                study, assignment_id, annotator_id=session.annotator_id, place=body.place, said=said
            )
        )
    except InputError as error:
        raise HTTPException(404 if str(error) == NOT_YOURS else 409, str(error)) from None
