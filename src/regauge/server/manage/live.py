"""What the manager's pages ask for again and again: figures as they are at this moment, ready to be shown."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from regauge.records.campaigns.campaign import CampaignEntry, CampaignState
from regauge.records.responses.quality import CampaignPulse
from regauge.server.annotate.api import CampaignId, State
from regauge.server.annotate.pages import render_macros
from regauge.server.manage.lists import AnnotatorQuery, list_annotators_page
from regauge.server.manage.overview import make_overview
from regauge.server.manage.roles import ManagingReader, Strict
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.studies.study import Study

router = APIRouter(prefix="/api/manage")


class PartsView(Strict):
    """Parts of a page by the ids of the elements that they belong into, as HTML."""

    parts: dict[str, str]


class OverviewNews(PartsView):
    """What changed at a glance."""

    n_answers: int


class PulseNews(PartsView):
    """What changed about a campaign."""

    state: CampaignState
    n_counted: int


class ListNews(PartsView):
    """What changed in a list."""

    n: int


@router.get("/overview")
async def follow_overview(state: State, _session: ManagingReader) -> OverviewNews:
    """Campaigns, what comes next, and the last answers."""
    view = await state.read(lambda study: make_overview(study, state))
    parts = render_macros(
        state,
        "manage_parts.html",
        {
            "steps": ("step_list", view.steps),
            "campaigns": ("campaign_cards", view.cards),
            "answer-rows": ("answer_rows", view.answers),
        },
    )
    return OverviewNews(parts=parts, n_answers=len(view.answers))


@router.get("/campaigns/{campaign_id}/pulse")
async def follow_campaign(state: State, _session: ManagingReader, campaign_id: CampaignId) -> PulseNews:
    """The figures of a campaign."""
    campaign, pulse = await state.read(lambda study: _measure(study, state.live, campaign_id))
    standings = await state.read(lambda study: state.standings.find(study, campaign))
    parts = render_macros(
        state,
        "manage_parts.html",
        {
            "figures": ("figures", campaign, pulse),
            "hours": ("hours", pulse),
            "hour-list": ("hour_list", pulse),
            "pay-warning": ("plain", pulse.pay_warning),
            **({} if standings is None else {"settled": ("standings", standings)}),
        },
    )
    return PulseNews(parts=parts, state=campaign.state, n_counted=pulse.progress.n_counted)


@router.get("/campaigns/{campaign_id}/annotators")
async def follow_annotators(
    state: State,
    _session: ManagingReader,
    campaign_id: CampaignId,
    query: Annotated[AnnotatorQuery, Query()],
) -> ListNews:
    """A page of the annotators of a campaign."""
    view = await state.read(lambda study: list_annotators_page(study, state.live, campaign_id=campaign_id, query=query))
    parts = render_macros(
        state,
        "manage_parts.html",
        {
            "rows": ("annotator_rows", view.list.rows),
            "filters": ("annotator_filters", view),
            "pages": ("pager", view.pages, "annotators"),
        },
    )
    return ListNews(parts=parts, n=view.list.n)


def _measure(study: Study, live: LiveCampaigns, campaign_id: int) -> tuple[CampaignEntry, CampaignPulse]:
    campaign = get_campaign(study, campaign_id)
    return campaign, live.pulse(study, campaign)
