"""Somebody who wants a task, as the rules of eligibility ask about them."""

from __future__ import annotations

from regauge.campaigns.eligibility import Taker
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.storage.campaigns.assignments import list_given_positions
from regauge.storage.people.expertises import find_expertises
from regauge.storage.study import Study


def find_taker(study: Study, campaign: CampaignEntry, annotator_id: int) -> Taker:
    """Somebody who wants a task, with what they were given and have answered."""
    given, answered = (
        list_given_positions(study, campaign, annotator_id=annotator_id, is_answered=is_answered)
        for is_answered in (False, True)
    )
    own = find_expertises(study, annotator_id)
    return Taker(annotator_id, given.get(annotator_id, set()), answered.get(annotator_id, set()), own)
