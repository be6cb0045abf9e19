"""The page of a discussion: in round 1 how far one is oneself, after that every item; chairs close, lock and open again there."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.server.annotate.api import CampaignId, Reader, State
from regauge.server.annotate.pages import render
from regauge.workflows.discussions.overview import describe_discussion

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


@dataclass(frozen=True, slots=True)
class DiscussionView:
    """What the page begins with; the rest it asks for, again and again."""

    campaign: CampaignEntry
    is_chair: bool


@router.get("/campaigns/{campaign_id}/discussion")
async def show_discussion(request: Request, state: State, session: Reader, campaign_id: CampaignId) -> Response:
    """The items of a discussion, for its panelists."""
    if session.is_trying:
        raise InputError("Only panelists see the discussion.")
    found = await state.read(lambda study: describe_discussion(study, campaign_id, annotator_id=session.annotator_id))
    return render(request, "discussion.html", DiscussionView(found.campaign, found.is_chair))
