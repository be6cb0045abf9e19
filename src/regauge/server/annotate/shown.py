"""Pages say since when a task is on the screen, so that another page can go on where they stopped."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from regauge.records.campaigns.campaign import AssignmentId
from regauge.server.annotate.api import State, Worker
from regauge.workflows.annotation.tasks import note_on_screen_since
from regauge.workflows.studies.study import Study

router = APIRouter(prefix="/api")


class ShownRequest(BaseModel):
    """That a task is on the screen, and since how many seconds."""

    model_config = ConfigDict(extra="forbid", strict=True)

    assignment_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    ago: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)] = 0.0


@router.post("/shown", status_code=204)
async def note_on_screen(state: State, session: Worker, body: ShownRequest) -> None:
    """Keep that a task is on somebody's screen; of several moments the first holds. Of those who only look nothing is kept."""
    if session.is_trying:
        return

    def work(study: Study) -> None:
        found = AssignmentId(body.assignment_id)
        note_on_screen_since(study, found, annotator_id=session.annotator_id, seconds_ago=body.ago)

    await state.writer.run(work)
