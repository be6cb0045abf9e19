"""While a panel votes alone, managers' pages tell nobody what was answered: whoever manages may be on the panel, too."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import HTTPException, Request

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.server.annotate.api import State
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.discussions.standing import find_panel, is_blind
from regauge.workflows.studies.study import Study

PAGE = "/manage/campaigns/{campaign_id}"
_API = f"/api{PAGE}"
TELLING_NOTHING = frozenset(
    (
        *(PAGE, f"{PAGE}/images/{{number}}/picture"),
        *(f"{_API}/{what}" for what in ("open", "close", "texts", "images/{number}/out")),
        *(f"{_API}/annotators/{{annotator_id}}/{what}" for what in ("drop", "restore")),
    )
)
"""Addresses below a campaign that say nothing of its answers; all others are closed."""
REFUSAL = "Round 1 goes on: panelists vote alone, and nobody is shown votes or progress before a chair closes it."


@dataclass(frozen=True, slots=True)
class BlindView:
    """A campaign whose panel votes alone, by names: who is on the panel, and who chairs it."""

    campaign: CampaignEntry
    panel: tuple[str, ...]
    chairs: tuple[str, ...]


def find_blind(study: Study, campaign_id: int) -> BlindView | None:
    """What a manager sees of a campaign in round 1; None where there is no such round, or it is over."""
    campaign = get_campaign(study, campaign_id)
    return BlindView(campaign, *find_panel(study, campaign)) if is_blind(study, campaign) else None


async def keep_blind(request: Request, state: State) -> None:
    """Refuse what tells of answers of a panel that votes alone.

    Raises:
        HTTPException: it would tell of them.
    """
    number, path = request.path_params.get("campaign_id"), getattr(request.scope.get("route"), "path", "")
    if number is None or path in TELLING_NOTHING or not str(number).isdigit():
        return

    def look(study: Study) -> bool:
        try:
            return is_blind(study, get_campaign(study, int(number)))
        except InputError:
            # The route says itself that there is no such campaign.
            return False

    if await state.read(look):
        raise HTTPException(409, REFUSAL)
