"""Reviewers comment on the images of a task that they have, and read what others wrote there once they have judged it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AssignmentId
from regauge.records.campaigns.comments import CommentThread, NewComment
from regauge.server.annotate.api import MAX_ID, CampaignId, Reader, State, Worker
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.campaigns.comments import comment_as_reviewer, list_readable_threads, resolve_as_reviewer

ONLY_LOOKING = "You are only looking around, so nothing that you write would be kept."
MAX_SENT = 8_000
"""Characters of a comment that are looked at; it may have fewer, which its rule says."""

router = APIRouter(prefix="/api/campaigns/{campaign_id}/tasks/{assignment_id}")

GivenId = Annotated[str, Path(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CommentView(_Strict):
    """A comment as a reviewer sees it: nobody is told who others are."""

    who: str
    at: str
    text: str


class ThreadView(_Strict):
    """A thread as a reviewer sees it, by the image's place in the task."""

    id: int
    place: int
    class_index: int | None
    is_resolved: bool
    may_resolve: bool
    comments: list[CommentView]


class CommentRequest(_Strict):
    """A comment as a page sends it; sent again, it is written once."""

    client_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
    place: Annotated[int, Field(ge=0, le=63)] = 0
    class_index: Annotated[int, Field(ge=0, le=MAX_ID)] | None = None
    thread: Annotated[int, Field(ge=1, le=MAX_ID)] | None = None
    text: Annotated[str, Field(max_length=MAX_SENT)]


class ResolveRequest(_Strict):
    """Which thread, and whether nothing is open in it."""

    thread: Annotated[int, Field(ge=1, le=MAX_ID)]
    is_resolved: bool


@router.get("/threads")
async def read_threads(
    state: State, session: Reader, campaign_id: CampaignId, assignment_id: GivenId
) -> list[ThreadView]:
    """The threads of a task that one has; of those who only look there are none."""
    if session.is_trying:
        return []
    return await _list(state, session, campaign_id, assignment_id)


@router.post("/comments")
async def write_comment(
    state: State, session: Worker, *, campaign_id: CampaignId, assignment_id: GivenId, body: CommentRequest
) -> list[ThreadView]:
    """Write a comment; gives all threads of the task, as they are now."""
    _check(session)
    new = NewComment(
        body.place, body.text, class_index=body.class_index, thread_id=body.thread, client_id=body.client_id
    )
    await state.writer.run(
        lambda study: comment_as_reviewer(
            study,
            campaign_id,
            assignment_id=AssignmentId(assignment_id),
            annotator_id=session.annotator_id,
            new=new,
        )
    )
    return await _list(state, session, campaign_id, assignment_id)


@router.post("/resolve")
async def resolve(
    state: State, session: Worker, *, campaign_id: CampaignId, assignment_id: GivenId, body: ResolveRequest
) -> list[ThreadView]:
    """Say that nothing is open in a thread that one began, or that something is."""
    _check(session)
    await state.writer.run(
        lambda study: resolve_as_reviewer(
            study,
            campaign_id,
            assignment_id=AssignmentId(assignment_id),
            annotator_id=session.annotator_id,
            change=(body.thread, body.is_resolved),
        )
    )
    return await _list(state, session, campaign_id, assignment_id)


def _check(session: Session) -> None:
    if session.is_trying:
        raise InputError(ONLY_LOOKING)


async def _list(state: ServerState, session: Session, campaign_id: int, assignment_id: str) -> list[ThreadView]:
    mine, who = AssignmentId(assignment_id), session.annotator_id
    found = await state.read(
        lambda study: list_readable_threads(study, campaign_id, assignment_id=mine, annotator_id=who)
    )
    return [_show(place, thread, session) for place, thread in found]


def _show(place: int, thread: CommentThread, session: Session) -> ThreadView:
    comments = [
        CommentView(
            who="You" if one.annotator_id == session.annotator_id else "Manager" if one.is_manager else "A reviewer",
            at=one.at,
            text=one.text or "erased",
        )
        for one in thread.comments
    ]
    # The first that one may read is not always the first.
    first = thread.comments[0]
    is_mine = first.id == thread.id and first.annotator_id == session.annotator_id
    return ThreadView(
        id=thread.id,
        place=place,
        class_index=thread.class_index,
        is_resolved=thread.resolved_at is not None,
        may_resolve=is_mine,
        comments=comments,
    )
