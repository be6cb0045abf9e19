"""The manager judges the visits of people who wait for their code."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from regauge.records.campaigns.visits import Visit, VisitState
from regauge.server.annotate.api import MAX_ID, CampaignId, State
from regauge.server.manage.roles import ManagingReader, ManagingWriter, Strict, WithReason, change
from regauge.workflows.people.publication import foresee_judgement
from regauge.workflows.people.visits import judge_visits
from regauge.workflows.studies.study import Study

MAX_VISITS = 100_000
"""Visits that are judged at a time."""

router = APIRouter(prefix="/api/manage")

VisitId = Annotated[int, Field(ge=1, le=MAX_ID)]


class OutlookView(Strict):
    """A visit to judge, and what a judgement would say now."""

    id: int
    annotator: str
    n_done: int
    n_controls_right: int
    n_controls: int
    outcome: VisitState


class JudgementRequest(WithReason):
    """The visits that the manager has looked at; whoever has come to wait since goes on waiting."""

    looked_at: Annotated[list[VisitId], Field(min_length=1, max_length=MAX_VISITS)]


class JudgementView(Strict):
    """How many have completed, and how many have failed."""

    n_completed: int
    n_failed: int


@router.get("/campaigns/{campaign_id}/judgement")
async def foresee(state: State, _session: ManagingReader, campaign_id: CampaignId) -> list[OutlookView]:
    """Everybody who waits for a code, with what is known of their answers."""
    found = await state.read(lambda study: foresee_judgement(study, campaign_id))
    return [
        OutlookView(
            id=one.visit.id,
            annotator=one.visit.annotator,
            n_done=one.visit.n_done,
            n_controls_right=one.n_controls_right,
            n_controls=one.n_controls,
            outcome=VisitState.FAILED if one.is_dropped else VisitState.COMPLETED,
        )
        for one in found
    ]


@router.post("/campaigns/{campaign_id}/judgement")
async def judge(
    state: State, session: ManagingWriter, campaign_id: CampaignId, body: JudgementRequest
) -> JudgementView:
    """Give those who were looked at their code: whoever was dropped has failed, all others have completed."""

    def work(study: Study) -> tuple[Visit, ...]:
        return judge_visits(study, campaign_id, looked_at=set(body.looked_at))

    judged = await change(state, session, work=work, why=body)
    n_failed = sum(one.state is VisitState.FAILED for one in judged)
    return JudgementView(n_completed=len(judged) - n_failed, n_failed=n_failed)
