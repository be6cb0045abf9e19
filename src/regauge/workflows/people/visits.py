"""Visits of people from platforms, as the manager sees and judges them."""

from __future__ import annotations

from collections.abc import Collection

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.visits import Visit, VisitState
from regauge.recruitment.visits import count_done, is_unjudged
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.events import add_event
from regauge.storage.people.visits import count_answered_by_each, end_visit, list_visits
from regauge.storage.study import Study


def judge_visits(study: Study, campaign: str | int, *, looked_at: Collection[int] | None = None) -> tuple[Visit, ...]:
    """End the visits whose answers somebody has looked at: whoever was dropped has failed, all others have completed.

    Those who wait get their code when their page asks again, or when they come back. Whoever has failed and was restored since
    is judged again.

    Args:
        study: the study, inside a transaction that may write.
        campaign: which campaign.
        looked_at: the numbers of these visits; whoever has come to wait since goes on waiting. Unless given, all of them.

    Returns:
        The visits that were to judge and were looked at, as they are now.

    Raises:
        InputError: there is no such campaign, or nobody waits whose visit was looked at.
    """
    entry = get_campaign(study, campaign)
    waiting = [one for one in list_unjudged(study, entry) if looked_at is None or one.id in looked_at]
    if not waiting:
        raise InputError(f"Nobody waits for a judgement in campaign {entry.name}.")
    dropped = find_dropped(study, entry)
    states = {True: VisitState.FAILED, False: VisitState.COMPLETED}
    judged = tuple(end_visit(study, one, states[one.annotator_id in dropped], n_done=one.n_done) for one in waiting)
    n_failed = sum(one.state is VisitState.FAILED for one in judged)
    add_event(study, "visits judge", {"campaign": entry.name, "n": len(judged), "n_failed": n_failed})
    return judged


def list_unjudged(study: Study, campaign: CampaignEntry) -> tuple[Visit, ...]:
    """The visits to judge, the oldest first: those that wait, and those that failed of people who were restored since."""
    dropped = find_dropped(study, campaign)
    return tuple(one for one in list_visits(study, campaign) if is_unjudged(one, dropped))


def describe_visits(study: Study, campaign: str | int) -> tuple[Visit, ...]:
    """Every visit to a campaign, the oldest first; those that go on with what was done in them so far.

    Raises:
        InputError: there is no such campaign.
    """
    entry = get_campaign(study, campaign)
    return count_done(list_visits(study, entry), count_answered_by_each(study, entry))
