"""Change the terms of a campaign while it is there: pay, breaks, repeats, and how hard the quiz is."""

from __future__ import annotations

from typing import Any

from regauge.campaigns.quizzes import check_new_quiz
from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.terms import Terms
from regauge.storage.campaigns.campaign import get_campaign, set_terms
from regauge.storage.events import add_event
from regauge.storage.study import Study

PRIVATE = ("prolific",)
"""Terms that hold codes; the log says that they changed, not to what."""


def revise_terms(study: Study, campaign: str | int, terms: Terms) -> CampaignEntry:
    """Let other terms hold from now on; what was earned, passed or failed before stays.

    Raises:
        InputError: there is no such campaign, nothing changes, or the questions of the quiz would have to.
    """
    entry = get_campaign(study, campaign)
    old, new = entry.plan.terms.to_json(), terms.to_json()
    if old == new:
        raise InputError(f"Campaign {entry.name} has these terms already; say what to change.")
    check_new_quiz(entry, terms)
    set_terms(study, entry, terms)
    changed = [name for name in new if old[name] != new[name]]
    parameters = {"campaign": entry.name, "before": _show(old, changed), "after": _show(new, changed)}
    add_event(study, "campaign terms", parameters)
    return get_campaign(study, entry.id)


def _show(terms: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: "not shown" if name in PRIVATE and terms[name] is not None else terms[name] for name in names}
