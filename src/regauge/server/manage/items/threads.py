"""Managers comment on the images of a campaign, resolve threads, and return answers to whoever gave them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from regauge.records.campaigns.comments import NewComment
from regauge.server.annotate.api import MAX_ID, CampaignId, State
from regauge.server.annotate.threads import MAX_SENT
from regauge.server.manage.roles import ManagingWriter, Strict, TypedText, change
from regauge.workflows.campaigns.comments import comment_as_manager, resolve_as_manager, return_answer

router = APIRouter(prefix="/api/manage/campaigns/{campaign_id}")

Number = Annotated[int, Path(ge=1, le=MAX_ID)]


class ImageComment(Strict):
    """A comment as the page of an image sends it; sent again, it is written once."""

    client_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    image: Annotated[int, Field(ge=0, le=MAX_ID)]
    class_index: Annotated[int, Field(ge=0, le=MAX_ID)] | None = None
    thread: Annotated[int, Field(ge=1, le=MAX_ID)] | None = None
    text: Annotated[TypedText, Field(max_length=MAX_SENT)]


class ThreadState(Strict):
    """Whether nothing is open in a thread."""

    is_resolved: bool


class ReturnRequest(Strict):
    """Whose answer is returned, about which image, and what is said."""

    annotator: Annotated[int, Field(ge=1, le=MAX_ID)]
    image: Annotated[int, Field(ge=0, le=MAX_ID)]
    text: Annotated[TypedText, Field(max_length=MAX_SENT)]


@router.post("/comments", status_code=204)
async def write(state: State, session: ManagingWriter, campaign_id: CampaignId, body: ImageComment) -> None:
    """Write a comment on an image of a campaign, by its number there."""
    new = NewComment(
        body.image, body.text, class_index=body.class_index, thread_id=body.thread, client_id=body.client_id
    )
    await change(
        state,
        session,
        work=lambda study: comment_as_manager(study, campaign_id, annotator_id=session.annotator_id, new=new),
    )


@router.post("/threads/{thread_id}", status_code=204)
async def resolve(
    state: State, session: ManagingWriter, *, campaign_id: CampaignId, thread_id: Number, body: ThreadState
) -> None:
    """Resolve a thread, or open it again."""
    await change(
        state,
        session,
        work=lambda study: resolve_as_manager(study, campaign_id, thread_id=thread_id, is_resolved=body.is_resolved),
    )


@router.post("/tasks/{task_id}/return", status_code=204)
async def give_back(
    state: State, session: ManagingWriter, *, campaign_id: CampaignId, task_id: Number, body: ReturnRequest
) -> None:
    """Return an answer to whoever gave it, with a comment."""
    new = NewComment(body.image, body.text, returned_to=body.annotator)
    await change(
        state,
        session,
        work=lambda study: return_answer(study, campaign_id, task_id=task_id, by=session.annotator_id, new=new),
    )
