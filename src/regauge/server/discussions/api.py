"""What the page of a discussion asks for and sends; only panelists come here, and only chairs enter anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from regauge.errors import InputError
from regauge.records.campaigns.discussions import DiscussionEntry, DiscussionStanding
from regauge.records.names import MAX_REASON
from regauge.server.annotate.api import MAX_ID, CampaignId, Reader, State, TaskView, Worker, show_task
from regauge.server.manage.roles import TypedText
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.discussions.acts import close_round, excuse_panelist, lock_items, unlock_item
from regauge.workflows.discussions.overview import DiscussionOverview, ItemLine, describe_discussion
from regauge.workflows.discussions.standing import get_own_item
from regauge.workflows.studies.audit import act_for
from regauge.workflows.studies.study import Study

ONLY_PANELISTS = "Only panelists see the discussion."
MAX_ITEMS = 10_000
"""Items that are locked at a time."""

router = APIRouter(prefix="/api/campaigns/{campaign_id}/discussion")

Reason = Annotated[TypedText, Field(min_length=1, max_length=MAX_REASON)]
Number = Annotated[int, Field(ge=0, le=2**53)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class EntryView(_Strict):
    """What a chair entered."""

    act: str
    who: str
    at: str
    reason: str
    is_batch: bool


class ItemView(_Strict):
    """An item once round 1 is over."""

    task: int
    version: int
    shown_id: str
    is_locked: bool
    is_disputed: bool
    is_unanimous: bool
    waits_for_you: bool
    n_missing: int
    counts: dict[str, dict[str, int]]
    history: list[EntryView]


class DiscussionPageView(_Strict):
    """A discussion as a panelist sees it; in round 1 nothing of others."""

    round: int
    n_items: int
    n_own: int
    is_chair: bool
    can_close: bool | None
    people: list[str]
    items: list[ItemView]


class LockedItem(_Strict):
    """An item that is to be locked, and which version of it the chair saw."""

    task: Annotated[int, Field(ge=1, le=MAX_ID)]
    version: Number


class LockRequest(_Strict):
    """The items that are to be locked; all of them are, or none."""

    items: Annotated[list[LockedItem], Field(min_length=1, max_length=MAX_ITEMS)]


class UnlockRequest(_Strict):
    """An item that is to be open again, and why."""

    task: Annotated[int, Field(ge=1, le=MAX_ID)]
    reason: Reason


class ExcuseRequest(_Strict):
    """Who has left the panel, and why the others decide alone."""

    panelist: Annotated[TypedText, Field(min_length=1, max_length=200)]
    reason: Reason


@router.get("")
async def read_discussion(state: State, session: Reader, campaign_id: CampaignId) -> DiscussionPageView:
    """Where the discussion stands."""
    return await _show(state, session, campaign_id)


@router.post("/close")
async def close(state: State, session: Worker, campaign_id: CampaignId) -> DiscussionPageView:
    """End round 1."""
    return await _enter(
        state, session, campaign_id, lambda study: close_round(study, campaign_id, by=session.annotator_id)
    )


@router.post("/lock")
async def lock(state: State, session: Worker, campaign_id: CampaignId, body: LockRequest) -> DiscussionPageView:
    """Let the votes on items count as they stand."""
    seen = {one.task: one.version for one in body.items}
    return await _enter(
        state, session, campaign_id, lambda study: lock_items(study, campaign_id, seen=seen, by=session.annotator_id)
    )


@router.post("/unlock")
async def unlock(state: State, session: Worker, campaign_id: CampaignId, body: UnlockRequest) -> DiscussionPageView:
    """Open an item again."""

    def work(study: Study) -> DiscussionStanding:
        return unlock_item(study, campaign_id, task_id=body.task, reason=body.reason, by=session.annotator_id)

    return await _enter(state, session, campaign_id, work)


@router.post("/excuse")
async def excuse(state: State, session: Worker, campaign_id: CampaignId, body: ExcuseRequest) -> DiscussionPageView:
    """Let the others decide without somebody who has left."""

    def work(study: Study) -> DiscussionStanding:
        return excuse_panelist(study, campaign_id, panelist=body.panelist, reason=body.reason, by=session.annotator_id)

    return await _enter(state, session, campaign_id, work)


@router.get("/items/{task_id}")
async def get_item(
    state: State, session: Reader, campaign_id: CampaignId, task_id: Annotated[int, Path(ge=1, le=MAX_ID)]
) -> TaskView:
    """An item that one was given, to look at it again or to go on with it."""
    if session.is_trying:
        raise InputError(ONLY_PANELISTS)
    campaign, found = await state.read(
        lambda study: get_own_item(study, campaign_id, task_id=task_id, annotator_id=session.annotator_id)
    )
    return await state.beside(lambda: show_task(state, campaign, found))


async def _enter(
    state: ServerState, session: Session, campaign_id: int, work: Callable[[Study], DiscussionStanding]
) -> DiscussionPageView:
    if session.is_trying:
        raise InputError("Only a chair of the panel can do this.")
    await state.writer.run(lambda study: work(act_for(study, session.name)))
    return await _show(state, session, campaign_id)


async def _show(state: ServerState, session: Session, campaign_id: int) -> DiscussionPageView:
    if session.is_trying:
        raise InputError(ONLY_PANELISTS)
    found = await state.read(lambda study: describe_discussion(study, campaign_id, annotator_id=session.annotator_id))
    return make_page(found)


def make_page(found: DiscussionOverview) -> DiscussionPageView:
    """The discussion as the page has it."""
    return DiscussionPageView(
        round=1 if found.closed is None else 2,
        n_items=found.n_items,
        n_own=found.n_own,
        is_chair=found.is_chair,
        can_close=found.can_close,
        people=list(found.people),
        items=[_make_item(one) for one in found.items],
    )


def _make_item(line: ItemLine) -> ItemView:
    item = line.standing
    return ItemView(
        task=item.task_id,
        version=item.version,
        shown_id=line.shown_id,
        is_locked=item.is_locked,
        is_disputed=item.is_disputed,
        is_unanimous=item.is_unanimous,
        waits_for_you=line.waits_for_you,
        n_missing=len(item.missing),
        counts={question: dict(votes) for question, votes in line.counts.items()},
        history=[_make_entry(one) for one in item.history],
    )


def _make_entry(one: DiscussionEntry) -> EntryView:
    return EntryView(act=one.act.value, who=one.who, at=one.at, reason=one.reason, is_batch=bool(one.batch))
