"""What a campaign will take and cost, with the time of a task from what the study has measured."""

from __future__ import annotations

import statistics

from regauge.campaigns.estimates import MIN_TIMED, TaskTime, estimate
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.evaluation.planning import Workforce
from regauge.records.responses.quality import CampaignForecast
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns
from regauge.storage.campaigns.ledgers import list_seconds
from regauge.storage.study import Study

__all__ = ["TaskTime", "estimate_campaign", "find_task_time"]

FORCE = Workforce()


def estimate_campaign(study: Study, name: str | int, *, force: Workforce = FORCE) -> CampaignForecast:
    """What a campaign takes from its first answer to its last, whether it is open or not.

    The time of a task is the median of answers to campaigns of the same kind in this study, this one included, where at least
    twenty were timed; for grids, per image. Otherwise it is a default, and the estimate says so.

    Args:
        study: the study.
        name: the campaign, by name or number.
        force: how many people work, and for how long a day.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = get_campaign(study, name)
    return estimate(campaign.plan, n_tasks=campaign.n_tasks, time=find_task_time(study, campaign), force=force)


def find_task_time(study: Study, campaign: CampaignEntry) -> TaskTime:
    """How long a task of a campaign takes, by the answers to its kind so far, or by default."""
    alike = [one for one in list_campaigns(study) if one.kind == campaign.kind]
    making = find_kind(study.around.kinds, campaign.kind).making
    n_items_of = {one.id: making.count_items(one.plan.settings) for one in alike}
    per_item = [seconds / n_items_of[one.id] for one in alike for seconds in list_seconds(study, one)]
    if len(per_item) < MIN_TIMED:
        return making.assume_time(campaign.plan.settings)
    n_items = n_items_of[campaign.id]
    seconds = statistics.median(per_item) * n_items
    median = f"the median of {len(per_item):,} answers to {campaign.kind} campaigns of this study"
    source = f"A task takes {seconds:.3g} s, {median}{making.tell_scale(n_items)}."
    return TaskTime(seconds, len(per_item), source)
