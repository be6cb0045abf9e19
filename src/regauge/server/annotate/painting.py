"""Images are made ready before anybody asks for them: the first to see a grid should not wait longer than the last."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial

from regauge.errors import RegaugeError
from regauge.records.campaigns.campaign import CampaignEntry, CampaignImage, CampaignState
from regauge.server.state import ServerState
from regauge.workflows.annotation.renditions import has_rendition, load_rendition
from regauge.workflows.campaigns.campaign import list_campaigns

LOOK_SECONDS = 2.0
"""How often campaigns that were opened meanwhile are looked for."""

_LOG = logging.getLogger(__name__)


async def paint_ahead(state: ServerState) -> None:
    """Go through the images of open campaigns, of new ones as they open; for as long as the server runs."""
    finished: set[int] = set()
    while True:
        try:
            opened = {
                entry.id: entry for entry in await state.read(list_campaigns) if entry.state is CampaignState.OPEN
            }
            for campaign_id in sorted(opened.keys() - finished):
                await _paint_campaign(state, opened[campaign_id])
                finished.add(campaign_id)
        except RegaugeError as error:
            # Whoever looks will be told; until then nobody is kept from working.
            _LOG.warning("%s", error)
        await asyncio.sleep(LOOK_SECONDS)


async def _paint_campaign(state: ServerState, campaign: CampaignEntry) -> None:
    """Make all images of a campaign ready; those that cannot be shown are counted for whoever runs the server."""
    album = await state.beside(partial(state.get_album, campaign.id))
    failures = [error for image in album if (error := await _paint(state, image))]
    if failures:
        _LOG.warning(
            "%d of %d images of %s cannot be shown; the first: %s",
            len(failures),
            len(album),
            campaign.name,
            failures[0],
        )


async def _paint(state: ServerState, image: CampaignImage) -> RegaugeError | None:
    """Make one image ready where it is not, and rest as long as that took: people come first."""
    if await state.paint(partial(has_rendition, state.study, image)):
        return None
    begun = time.perf_counter()
    try:
        await state.paint(partial(load_rendition, state.study, image))
    except RegaugeError as error:
        return error
    finally:
        await asyncio.sleep(time.perf_counter() - begun)
    return None
