"""The study at a glance, put together."""

from __future__ import annotations

import logging
from functools import partial

from regauge.errors import StorageError
from regauge.records.campaigns.campaign import CampaignEntry, CampaignState
from regauge.records.next_steps import CampaignStanding
from regauge.records.responses.quality import AnnotatorFilter, CampaignPulse, ListPage
from regauge.server.manage.views import (
    BlindCard,
    CampaignCard,
    OverviewView,
    UnknownCard,
    make_erasure_lines,
    make_lines,
)
from regauge.server.state import ServerState
from regauge.workflows.campaigns.campaign import list_campaigns
from regauge.workflows.campaigns.responses import list_recent_answers
from regauge.workflows.discussions.standing import is_blind
from regauge.workflows.kinds import list_kinds
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.people.erasure import list_pending_erasures
from regauge.workflows.studies.next_steps import list_page_steps
from regauge.workflows.studies.study import Study, describe_status

N_ANSWERS = 10
"""Last answers that are shown."""

_LOG = logging.getLogger(__name__)


def make_overview(study: Study, state: ServerState) -> OverviewView:
    """What the study holds, how its campaigns go, and what comes next."""
    live = state.live
    cards = tuple(_make_card(study, live, entry) for entry in reversed(list_campaigns(study)))
    known = [card for card in reversed(cards) if isinstance(card, CampaignCard)]
    standings = [_judge(study, state, card.entry, card.pulse) for card in known]
    status = describe_status(study)
    erasures = make_erasure_lines(list_pending_erasures(study))
    found = list_page_steps(status, standings) if standings or not cards else status.next_steps
    steps = (*erasures, *(line for step in found for line in make_lines(step)))
    # While a panel votes alone, nobody learns who has answered what.
    blind = {card.entry.name for card in cards if isinstance(card, BlindCard)}
    recent = list_recent_answers(study, limit=N_ANSWERS, without=blind)
    return OverviewView(status, cards, steps, recent)


def _make_card(study: Study, live: LiveCampaigns, entry: CampaignEntry) -> CampaignCard | UnknownCard | BlindCard:
    known = list_kinds(study)
    if is_blind(study, entry):
        return BlindCard(entry)
    if entry.kind in known:
        return CampaignCard(entry, live.pulse(study, entry))
    has = ", ".join(map(str, known))
    problem = (
        f"This installation cannot open it: its tasks are of the kind {entry.kind}, and there are only {has} here. "
        "Nothing is lost; serve the study with a program that has this kind."
    )
    return UnknownCard(entry, problem)


def _judge(study: Study, state: ServerState, entry: CampaignEntry, pulse: CampaignPulse) -> CampaignStanding:
    """Where a campaign stands; only of an open one it matters whom the rules would drop.

    That is looked for again only when an answer has come or something was decided, and until flags are as new as that: of many
    answers they are looked for beside other work and come a little later.
    """
    if entry.state is not CampaignState.OPEN or not pulse.progress.n_annotators:
        return CampaignStanding(entry, pulse.progress)
    version = (entry.generation, pulse.n_answers, pulse.progress.n_counted)
    known, n_flagged = state.flagged.get(entry.id, (None, 0))
    if known != version:
        now = study.around.now()
        found = state.live.annotators(study, entry, shown=AnnotatorFilter.FLAGGED, page=ListPage(limit=1))
        n_flagged = found.n_flagged
        if found.flags_at >= now:
            state.flagged[entry.id] = (version, n_flagged)
    return CampaignStanding(entry, pulse.progress, n_flagged, pulse.pay_warning)


async def warm_up(state: ServerState) -> None:
    """Read the answers of open campaigns before anybody looks: a million of them take some seconds the first time."""
    try:
        for entry in await state.read(list_campaigns):
            if entry.state is CampaignState.OPEN and entry.kind in list_kinds(state.study):
                await state.read(partial(state.live.pulse, campaign=entry))
    except StorageError as error:
        # Whoever looks will be told; until then nobody is kept from working.
        _LOG.warning("%s", error)
