"""Who votes in a discussion, and who chairs it, as a new campaign names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regauge.campaigns.discussions.words import CHAIR, PANELISTS
from regauge.campaigns.eligibility import PANEL
from regauge.campaigns.reviews.coding import CODERS, are_discussed
from regauge.fields import FieldError, in_field
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignPlan, Role
from regauge.records.campaigns.discussions import CHAIRS
from regauge.storage.people.annotators import get_annotator
from regauge.storage.study import Study

MIN_PANELISTS = 2


def settle_panel(study: Study, plan: CampaignPlan, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The panel and its chairs by their numbers; nothing where the answers to a campaign are not discussed.

    Coders discuss where two or more of them are named; otherwise everybody codes alone.

    Raises:
        FieldError: too few are named, somebody is unknown or was erased, or a chair is not on the panel.
    """
    kind = find_kind(study.around.kinds, plan.kind)
    if kind.discussion is None:
        return {}
    people = CODERS if CODERS in kind.fields.own else PANELISTS
    named = list(dict.fromkeys(asked.get(people.name) or ()))
    if people is CODERS and not are_discussed(asked):
        return {}
    panel = [_find(study, people.name, name) for name in named]
    if len(set(panel)) < MIN_PANELISTS:
        raise FieldError(
            people.name,
            f"A panel has {MIN_PANELISTS} people or more, and {len(set(panel))} named; name everybody who votes.",
        )
    chairs = [_find(study, CHAIR.name, name) for name in asked.get(CHAIR.name) or named[:1]]
    outside = [name for name, one in zip(asked.get(CHAIR.name) or (), chairs, strict=False) if one not in panel]
    if outside:
        raise FieldError(CHAIR.name, f"A chair takes part, too: {outside[0]} is not among the {people.name}; add them.")
    return {PANEL: sorted(set(panel)), CHAIRS: sorted(set(chairs))}


def _find(study: Study, field_name: str, name: str) -> int:
    person = in_field(field_name, lambda: get_annotator(study, name))
    if person.role is not Role.ANNOTATOR or person.erased_at is not None:
        raise FieldError(
            field_name,
            f"{person.name} cannot vote; a panelist is an annotator of the study, which whoever manages it can be by a link of "
            "their own.",
        )
    return person.id
