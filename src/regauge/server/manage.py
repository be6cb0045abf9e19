"""What the manager's page sends and gets; every route is refused to everybody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from regauge.records.campaigns import CampaignEntry, CampaignState, Kind, Role
from regauge.server.api import Reader, State, Writer
from regauge.server.sessions import Session
from regauge.workflows.annotation import invite_many
from regauge.workflows.campaign_responses import CampaignAnswers, load_answers, write_answers
from regauge.workflows.campaigns import close_campaign, get_campaign, open_campaign
from regauge.workflows.studies import Study

MAX_LINKS = 1_000
"""Personal links at a time."""
CHUNK_LINES = 1_000
FILE_TYPES = {Kind.CONTAINS: ("csv", "text/csv"), Kind.CLASSIFY: ("jsonl", "application/jsonl")}

router = APIRouter(prefix="/api/manage")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class LinkWish(_Strict):
    """How many personal links to make."""

    n: Annotated[int, Field(ge=1, le=MAX_LINKS)]


class LinkView(_Strict):
    """Somebody's personal link; it cannot be shown again."""

    name: str
    link: str


class StateView(_Strict):
    """A campaign after it was opened or closed."""

    name: str
    state: CampaignState


def get_manager(session: Reader) -> Session:
    """The session, if it is the manager's.

    Raises:
        HTTPException: it is not.
    """
    if session.role is not Role.MANAGER:
        raise HTTPException(403, "Only the manager of the study can do this.")
    return session


def get_own_manager(session: Writer) -> Session:
    """The session, if it is the manager's and one of our own pages asks."""
    return get_manager(session)


ManagingReader = Annotated[Session, Depends(get_manager)]
ManagingWriter = Annotated[Session, Depends(get_own_manager)]


@router.post("/campaigns/{campaign_id}/open")
async def let_in(state: State, _session: ManagingWriter, campaign_id: int) -> StateView:
    """Let people work on a campaign."""
    return _show(await state.writer.run(lambda study: _change(study, campaign_id, open_campaign)))


@router.post("/campaigns/{campaign_id}/close")
async def end(state: State, _session: ManagingWriter, campaign_id: int) -> StateView:
    """Give out no more tasks of a campaign."""
    return _show(await state.writer.run(lambda study: _change(study, campaign_id, close_campaign)))


@router.post("/links")
async def make_links(state: State, _session: ManagingWriter, body: LinkWish) -> list[LinkView]:
    """Personal links to give out, one for each person."""
    made = await state.writer.run(lambda study: invite_many(study, body.n))
    return [LinkView(name=one.annotator.name, link=f"{state.settings.base_url}/join#{one.token}") for one in made]


@router.get("/campaigns/{campaign_id}/answers", response_class=StreamingResponse)
async def download_answers(
    state: State, _session: ManagingReader, campaign_id: int, *, with_surplus: bool = False
) -> StreamingResponse:
    """The answers that hold, as `aggregate` reads them."""
    found = await state.read(lambda study: _load(study, campaign_id, with_surplus))
    suffix, media_type = FILE_TYPES[found.campaign.kind]
    disposition = f'attachment; filename="answers-{campaign_id}.{suffix}"'
    return StreamingResponse(_join(found), media_type=media_type, headers={"Content-Disposition": disposition})


def _change(study: Study, campaign_id: int, change: Callable[[Study, str], CampaignEntry]) -> CampaignEntry:
    return change(study, get_campaign(study, campaign_id).name)


def _show(campaign: CampaignEntry) -> StateView:
    return StateView(name=campaign.name, state=campaign.state)


def _load(study: Study, campaign_id: int, with_surplus: bool) -> CampaignAnswers:  # noqa: FBT001 - private
    return load_answers(study, get_campaign(study, campaign_id).name, with_surplus=with_surplus)


def _join(found: CampaignAnswers) -> Iterator[str]:
    """Lines in pieces of some size: one by one they would take longer to send than to write."""
    lines: list[str] = []
    for line in write_answers(found):
        lines.append(line)
        if len(lines) == CHUNK_LINES:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)
