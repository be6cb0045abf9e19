"""Drop annotators from a campaign and take them back: their answers are kept, and tasks reopen by themselves."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.names import MAX_REASON
from regauge.storage.campaigns.assignments import end_leases
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.decisions import find_dropped, insert_decision
from regauge.storage.events import add_event
from regauge.storage.people.annotators import get_annotator
from regauge.storage.study import Study
from regauge.workflows.annotation.referrals import refresh_referrals


def drop_annotator(study: Study, campaign: str | int, *, annotator: str | int, reason: str) -> CampaignEntry:
    """Let somebody's answers to a campaign count no longer, give them no more tasks of it, and others those that they keep.

    Raises:
        InputError: there is no such campaign or annotator, they were dropped before, or no reason is given.
    """
    return _decide(study, campaign, annotator, reason, is_dropped=True)


def restore_annotator(study: Study, campaign: str | int, *, annotator: str | int, reason: str) -> CampaignEntry:
    """Let somebody's answers count again, as far as their tasks still need them; the others are surplus.

    Raises:
        InputError: there is no such campaign or annotator, they were not dropped, or no reason is given.
    """
    return _decide(study, campaign, annotator, reason, is_dropped=False)


def _decide(study: Study, campaign: str | int, annotator: str | int, reason: str, *, is_dropped: bool) -> CampaignEntry:
    entry, person = get_campaign(study, campaign), get_annotator(study, annotator)
    if not 1 <= len(reason.strip()) <= MAX_REASON:
        raise InputError(f"Say why, in 1 to {MAX_REASON:,} characters: the reason is kept with the decision.")
    if (person.id in find_dropped(study, entry)) is is_dropped:
        state = "dropped already" if is_dropped else "not dropped"
        raise InputError(f"{person.name} is {state} in campaign {entry.name}.")
    insert_decision(study, entry, annotator_id=person.id, is_dropped=is_dropped, reason=reason.strip())
    refresh_referrals(study, entry, annotator_id=person.id)
    if is_dropped:
        end_leases(study, person.id, entry)
    what = "annotator drop" if is_dropped else "annotator restore"
    add_event(study, what, {"campaign": entry.name, "annotator": person.name, "reason": reason.strip()})
    return get_campaign(study, entry.id)
