"""Referrals that nobody gets although there are experts: the terms of the campaign keep all of them away from the image."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping

from regauge.campaigns.eligibility import EXPERTISE, is_on_panel
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.terms import Newness
from regauge.storage.study import Study
from regauge.workflows.annotation.choosing import SeenImages
from regauge.workflows.annotation.referrals import list_asked_experts, list_experts


def count_barred(study: Study, campaign: CampaignEntry) -> dict[str, int]:
    """Per expertise, labels that wait although every expert was shown their image by another campaign; only where there are any.

    Where the terms do not require new people, nobody is kept away.
    """
    if campaign.plan.terms.newness is not Newness.REQUIRED:
        return {}
    asked, judged = list_asked_experts(study, campaign)
    people, seen, found = list_experts(study, campaign), SeenImages(), Counter[str]()
    for who in people:
        seen.refresh(study, who)
    for task in (task for one, task in asked.items() if one not in judged):
        able = [who for who, own in people.items() if not own.isdisjoint(task[EXPERTISE]) and is_on_panel(task, who)]
        if able and all(seen.count_seen(study, task, campaign=campaign, annotator_id=who) for who in able):
            found[task[EXPERTISE][0]] += 1
    return dict(found.most_common())


def describe_barred(name: str, found: Mapping[str, int]) -> Iterator[str]:
    """What waits for experts who do not get it, a sentence for each expertise, and what can be done.

    Args:
        name: of the campaign.
        found: labels by expertise.
    """
    for words, n in found.items():
        waits, image, it = ("label waits", "its image", "it") if n == 1 else ("labels wait", "their images", "them")
        yield (
            f"{n:,} {waits} for an expert in {words}, and nobody gets {it}: other campaigns showed {image} to all experts who "
            "could, and the terms of this campaign keep such people out. Add an expert, or run: "
            f"regauge campaign terms {shlex.quote(name)} --new-annotators preferred."
        )
