"""Managers assign items to named people: those that they chose, or all that a filter shows."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from regauge.server.annotate.api import MAX_ID, CampaignId, State
from regauge.server.manage.items.pages import ItemQuery
from regauge.server.manage.roles import ManagingWriter, Strict, change
from regauge.workflows.campaigns.assigning import AssignedTasks, assign_tasks
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.live.items import find_tasks
from regauge.workflows.studies.study import Study

router = APIRouter(prefix="/api/manage/campaigns/{campaign_id}")

MAX_CHOSEN = 1_000
Number = Annotated[int, Field(ge=1, le=MAX_ID)]


class AssignRequest(Strict):
    """Which tasks go to whom: those that are named, or all of the list that the address asks for; nobody stands for anybody."""

    tasks: Annotated[list[Number], Field(max_length=MAX_CHOSEN, default_factory=list)]
    is_all: bool = False
    people: Annotated[list[Number], Field(max_length=MAX_CHOSEN, default_factory=list)]


class AssignedView(Strict):
    """How many tasks go to whom from now on, and what the manager should know."""

    n_tasks: int
    people: list[str]
    notes: list[str]


@router.post("/assign")
async def assign(
    state: State,
    session: ManagingWriter,
    *,
    campaign_id: CampaignId,
    query: Annotated[ItemQuery, Query()],
    body: AssignRequest,
) -> AssignedView:
    """Assign tasks."""
    if body.is_all:
        # Those who want to write wait for what is done below, so what takes a while is learnt before.
        await state.read(lambda study: state.live.items(study, get_campaign(study, campaign_id)))

    def work(study: Study) -> AssignedTasks:
        chosen = body.tasks
        if body.is_all:
            campaign = get_campaign(study, campaign_id)
            table = state.live.items(study, campaign)
            chosen = find_tasks(study, campaign, table=table, asked=query.make_filter(study))
        return assign_tasks(study, campaign_id, tasks=chosen, people=body.people)

    done = await change(state, session, work=work)
    return AssignedView(n_tasks=done.n_tasks, people=list(done.people), notes=list(done.notes))
