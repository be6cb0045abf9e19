"""Referrals that nobody gets although there are experts: the terms keep all of them away, or they have had it already."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from regauge.campaigns.eligibility import EXPERTISE, is_on_panel
from regauge.records.campaigns.campaign import CampaignEntry, Payload
from regauge.records.campaigns.terms import Newness
from regauge.storage.campaigns.referrals import list_given_people
from regauge.storage.study import Study
from regauge.workflows.annotation.referrals import list_asked_experts, list_experts
from regauge.workflows.exposure.memories import SeenImages


class UnreachedLabels(NamedTuple):
    """Labels that wait for experts and that nobody gets, by expertise; what nobody is an expert of is told of elsewhere.

    Attributes:
        barred: other campaigns showed their image to all experts who could get them, which the terms do not allow.
        spent: no expert can get them: whoever could has answered without a verdict, or they are assigned to others.
    """

    barred: Mapping[str, int]
    spent: Mapping[str, int]


def count_unreached(study: Study, campaign: CampaignEntry) -> UnreachedLabels:
    """The labels that wait although nobody can be given them any more."""
    asked, judged = list_asked_experts(study, campaign)
    waiting = {one: task for one, task in asked.items() if one not in judged}
    if not waiting:
        return UnreachedLabels({}, {})
    able = _find_able(study, campaign, waiting)
    free: Mapping[int, Collection[int]] = able
    if campaign.plan.terms.newness is Newness.REQUIRED:
        free = _leave_out_seen(study, campaign, waiting, able)
    spent = Counter(waiting[one][EXPERTISE][0] for one, people in able.items() if not people)
    barred = Counter(waiting[one][EXPERTISE][0] for one, people in able.items() if people and not free[one])
    return UnreachedLabels(dict(barred.most_common()), dict(spent.most_common()))


def _find_able(study: Study, campaign: CampaignEntry, waiting: Mapping[int, Payload]) -> dict[int, dict[int, bool]]:
    """Per task that there are experts for, which of them can still answer it, and whether they have it already."""
    people, given = list_experts(study, campaign), list_given_people(study, list(waiting))
    able = {}
    for one, task in waiting.items():
        experts = [who for who, own in people.items() if not own.isdisjoint(task[EXPERTISE])]
        # Nobody is given a task twice. Whoever has not answered it keeps it, or it comes back to them.
        had = given.get(one, {})
        if experts:
            able[one] = {who: who in had for who in experts if is_on_panel(task, who) and not had.get(who, False)}
    return able


def _leave_out_seen(
    study: Study, campaign: CampaignEntry, waiting: Mapping[int, Payload], able: Mapping[int, Mapping[int, bool]]
) -> dict[int, set[int]]:
    """Per task, those who have it already and those to whom no other campaign showed its image."""
    free = {one: {who for who, has_it in people.items() if has_it} for one, people in able.items()}
    open_tasks = [one for one, people in free.items() if not people]
    # One person after the other: only so many people are remembered.
    seen = SeenImages()
    for who in sorted({who for one in open_tasks for who in able[one]}):
        seen.refresh(study, who)
        for one in (one for one in open_tasks if who in able[one]):
            if not seen.count_seen(study, waiting[one], campaign=campaign, annotator_id=who):
                free[one].add(who)
    return free


def describe_unreached(name: str, found: UnreachedLabels) -> Iterator[str]:
    """What waits for experts who do not get it, a sentence for each expertise, and what can be done.

    Args:
        name: of the campaign.
        found: the labels.
    """
    for words, n in found.barred.items():
        waits, image, it = ("label waits", "its image", "it") if n == 1 else ("labels wait", "their images", "them")
        yield (
            f"{n:,} {waits} for an expert in {words}, and nobody gets {it}: other campaigns showed {image} to all experts who "
            "could, and the terms of this campaign keep such people out. Add an expert, or run: "
            f"regauge campaign terms {shlex.quote(name)} --new-annotators preferred."
        )
    for words, n in found.spent.items():
        waits, it, is_ = ("label waits", "it", "it is") if n == 1 else ("labels wait", "them", "they are")
        yield (
            f"{n:,} {waits} for an expert in {words}, and nobody is left who gets {it}: whoever could has answered without a "
            f"verdict, or {is_} assigned to others. Add an expert, or run: regauge campaign assign {shlex.quote(name)} --anybody "
            f"--expertise {shlex.quote(words)}."
        )
