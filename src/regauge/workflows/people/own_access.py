"""Whether people who were tested may see what they answered: the study decides, campaign by campaign."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.evaluations import OWN_DATA, is_blind
from regauge.storage.campaigns.campaign import get_campaign, set_settings
from regauge.storage.events import add_event
from regauge.storage.study import Study


def allow_own_data(study: Study, name: str | int, *, is_allowed: bool = True) -> CampaignEntry:
    """Let people see and take along what they answered in a campaign that tested them, or no longer.

    Args:
        study: the study, inside a transaction.
        name: which campaign.
        is_allowed: whether they may.

    Raises:
        InputError: there is no such campaign, or it tests nobody, so that people see their answers anyway.
    """
    campaign = get_campaign(study, name)
    if not is_blind(campaign.plan.settings):
        raise InputError(f"Campaign {campaign.name} tests nobody, so people see what they answered anyway.")
    set_settings(study, campaign, {**campaign.plan.settings, OWN_DATA: is_allowed})
    add_event(study, "campaign own data", {"campaign": campaign.name, "is_allowed": is_allowed})
    return get_campaign(study, campaign.id)
