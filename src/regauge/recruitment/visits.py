"""Visits of people from platforms: whom a campaign takes, what their share is, and who is judged before they are paid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, Platform
from regauge.records.campaigns.visits import Visit, VisitState


def takes_people(campaign: CampaignEntry, platform: Platform) -> bool:
    """Whether a campaign takes people from a platform."""
    terms = campaign.plan.terms
    return terms.prolific is not None if platform is Platform.PROLIFIC else terms.mturk_tasks > 0


def find_share(campaign: CampaignEntry, platform: Platform) -> int:
    """How many tasks a visit is paid for; 0 for as many as there are."""
    terms = campaign.plan.terms
    if platform is Platform.MTURK:
        return terms.mturk_tasks
    return 0 if terms.prolific is None else terms.prolific.n_tasks


def judges_first(campaign: CampaignEntry, visit: Visit) -> bool:
    """Whether somebody looks at the answers of a visit before it is paid."""
    prolific = campaign.plan.terms.prolific
    return visit.platform is Platform.PROLIFIC and prolific is not None and prolific.judges_first


def choose_visit(visits: Sequence[Visit], visit_id: int | None) -> Visit:
    """The visit of that number; by default the last that goes on, else the last.

    Raises:
        InputError: there is none of that number.
    """
    chosen = [visit for visit in visits if visit_id in {None, visit.id}]
    if not chosen:
        raise InputError("There is no such visit of yours.")
    return next((visit for visit in reversed(chosen) if visit.is_open), chosen[-1])


def is_unjudged(visit: Visit, dropped: Collection[int]) -> bool:
    """Whether a visit is to be judged: it waits, or it failed and whoever came was restored since."""
    is_cleared = visit.state is VisitState.FAILED and visit.annotator_id not in dropped
    return visit.state is VisitState.WAITING or is_cleared


def count_done(visits: Sequence[Visit], answered: Mapping[int, int]) -> tuple[Visit, ...]:
    """The visits of a campaign, those that go on with what was done in them so far.

    Args:
        visits: all of them.
        answered: per person, how many tasks they have answered; those that an earlier visit was paid for do not count again.
    """
    paid = Counter[int]()
    for visit in visits:
        paid[visit.annotator_id] += visit.n_done
    return tuple(
        replace(one, n_done=max(0, answered.get(one.annotator_id, 0) - paid[one.annotator_id])) if one.is_open else one
        for one in visits
    )
