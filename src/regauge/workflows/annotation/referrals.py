"""What reviewers refer goes to experts alone: it leaves the tasks of the others, and one expert's verdict stands."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from regauge.campaigns.eligibility import EXPERTISE, is_on_panel
from regauge.campaigns.priorities import PRIORITY
from regauge.campaigns.rounds import REFERRED_FROM
from regauge.kinds.contract import Referrals
from regauge.kinds.registry import find_kind, has_kind
from regauge.records.campaigns.campaign import CampaignEntry, Payload, TaskRole
from regauge.records.campaigns.image_reports import TAKEN_OUT
from regauge.records.campaigns.referrals import Referral, ReferralCount
from regauge.records.responses.submissions import Intake
from regauge.storage.campaigns.campaign import find_task, get_campaign, set_settings
from regauge.storage.campaigns.decisions import find_dropped, recount
from regauge.storage.campaigns.extra_tasks import N_FIRST_TASKS, insert_extra_tasks, list_positions
from regauge.storage.campaigns.image_failures import change_tasks
from regauge.storage.campaigns.referrals import (
    count_counted,
    find_finished,
    find_wanted,
    list_given_tasks,
    list_said,
    load_tasks_from,
    set_wanted,
)
from regauge.storage.people.expertises import list_expertises
from regauge.storage.study import Study
from regauge.taxonomy.expertise import list_covering

URGENT = 10**9
"""What is referred comes before all else that an expert can be given, also before the order of a plan."""
N_EXPERTS = 1
"""Whose verdict stands alone."""


def follow_referrals(study: Study, intake: Intake) -> None:
    """Carry out what answers refer that were just stored, or no longer refer."""
    for one in intake.taken:
        referrals = find_kind(study.around.kinds, one.given.kind).referrals
        if referrals is None or one.given.role is not TaskRole.WORK:
            continue
        # What has changed since the answer was read stands in the tables.
        is_experts = EXPERTISE in one.given.payload
        if is_experts or referrals.find_referred(one.content.answer) or referrals.list_marked(one.given.payload):
            _refresh(study, referrals, one.given.task_id)


def refresh_referrals(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> None:
    """Carry out what follows for referrals when somebody's answers begin or cease to count."""
    referrals = find_kind(study.around.kinds, campaign.kind).referrals
    if referrals is not None:
        for task_id in list_given_tasks(study, campaign, annotator_id):
            _refresh(study, referrals, task_id)


def count_referrals(study: Study, campaign: CampaignEntry) -> tuple[ReferralCount, ...]:
    """What a campaign has referred, by expertise, what most labels wait for first; nothing where its kind refers nothing."""
    tasks, judged_tasks = list_asked_experts(study, campaign)
    asked = {one: task[EXPERTISE] for one, task in tasks.items()}
    judged = Counter(words[0] for one, words in asked.items() if one in judged_tasks)
    people = list_experts(study, campaign).values()
    covering = {words[0]: words for words in asked.values()}
    n_asked = Counter(words[0] for words in asked.values())
    n_experts = {name: sum(not own.isdisjoint(words) for own in people) for name, words in covering.items()}
    found = [ReferralCount(name, n - judged[name], judged[name], n_experts[name]) for name, n in n_asked.items()]
    return tuple(sorted(found, key=lambda one: -one.n_waiting))


def list_asked_experts(study: Study, campaign: CampaignEntry) -> tuple[dict[int, Payload], set[int]]:
    """The tasks that ask experts by their numbers, and which of them an expert has judged.

    An image that was taken out waits for nobody, and an item that an expert refers on waits for the next one alone.
    """
    settings = campaign.plan.settings
    if REFERRED_FROM not in settings or not has_kind(study.around.kinds, campaign.kind):
        return {}, set()
    start, kind = settings[REFERRED_FROM], find_kind(study.around.kinds, campaign.kind)
    judged, taken = find_finished(study, campaign, start), set(map(int, settings.get(TAKEN_OUT, {})))
    asked = {
        one: task
        for one, task in load_tasks_from(study, campaign, start).items()
        if EXPERTISE in task
        and not (kind.referrals and kind.referrals.list_marked(task))
        and (one in judged or not taken.issuperset(kind.task.list_images(task)))
    }
    return asked, judged


def list_experts(study: Study, campaign: CampaignEntry) -> dict[int, frozenset[str]]:
    """Who may work on a campaign and is an expert of something, by their numbers, and of what."""
    dropped = find_dropped(study, campaign)
    return {
        who: frozenset(own)
        for who, own in list_expertises(study).items()
        if who not in dropped and is_on_panel(campaign.plan.settings, who)
    }


def list_referred_to(study: Study, campaign: CampaignEntry) -> dict[int, tuple[str, ...]]:
    """The tasks of a campaign that ask experts, each with the expertises of those who may judge it; the first was named."""
    start = campaign.plan.settings.get(REFERRED_FROM)
    found = {} if start is None else load_tasks_from(study, campaign, start)
    return {one: tuple(task[EXPERTISE]) for one, task in found.items() if EXPERTISE in task}


def describe_lack(found: Iterable[ReferralCount]) -> Iterator[str]:
    """What nobody can judge that waits, a sentence for each expertise."""
    for one in found:
        if one.n_waiting and not one.n_experts:
            waits = "label waits" if one.n_waiting == 1 else "labels wait"
            yield (
                f"{one.n_waiting:,} {waits} for an expert in {one.words}, and nobody who works on the campaign is one; run: "
                f"regauge annotators expertise NAME --add {shlex.quote(one.words)}."
            )


def _refresh(study: Study, referrals: Referrals, task_id: int) -> None:
    """Let a task and those that ask experts be as the answers to it have it."""
    found = find_task(study, task_id)
    assert found is not None  # noqa: S101 - it was answered
    task, said = found[1], list_said(study, task_id)
    wanted = _find_wanted(study, referrals, said)
    before = referrals.list_marked(task)
    if not (wanted or before or EXPERTISE in task):
        return
    campaign = get_campaign(study, found[0])
    kept = {key: one for key, one in before.items() if wanted.get(key, ("",))[0] == one.words}
    # What an expert has judged stays referred, whatever others think of it later.
    gone = {key: one for key, one in before.items() if key not in kept}
    kept |= {key: one for key, one in gone.items() if _is_heard(study, referrals, one.task_id)}
    left_out = [one.task_id for key, one in gone.items() if key not in kept]
    new = {key: words for key, words in wanted.items() if key not in kept}
    made = _ask_experts(study, campaign, {key: referrals.split_off(task, key, expertises=new[key]) for key in new})
    after = {**kept, **{key: Referral(new[key][0], made[key]) for key in new}}
    marked = referrals.mark(task, after)
    n = _count_wanted(study, referrals, task_id, task=marked)
    if after == before and n == find_wanted(study, task_id):
        return
    change_tasks(study, {task_id: marked}, left_out=left_out)
    set_wanted(study, campaign, task_ids=list(made.values()), n=N_EXPERTS)
    set_wanted(study, campaign, task_ids=[task_id], n=n)
    # Where a task takes more people again, answers that were more than it needed are not.
    recount(study, campaign, [task_id])


def _count_wanted(study: Study, referrals: Referrals, task_id: int, *, task: Payload) -> int | None:
    """How many people answer a task; None for as many as the campaign plans.

    An expert who does not judge the item leaves it to another.
    """
    if not referrals.has_open(task):
        return max(1, count_counted(study, task_id))
    if EXPERTISE not in task:
        return None
    return N_EXPERTS + sum(not referrals.is_judged(answer) for answer in list_said(study, task_id))


def _is_heard(study: Study, referrals: Referrals, task_id: int) -> bool:
    """Whether an expert has judged an item, or referred it on."""
    return any(referrals.is_judged(one) or referrals.find_referred(one) for one in list_said(study, task_id))


def _find_wanted(study: Study, referrals: Referrals, said: Iterable[Payload]) -> dict[str, tuple[str, ...]]:
    """The items that people refer, each with the expertises of those who may judge it; the first who refers one decides."""
    wanted: dict[str, tuple[str, ...]] = {}
    for answer in said:
        for key, words in referrals.find_referred(answer).items():
            if key not in wanted:
                wanted[key] = list_covering(study.taxonomy, words)
    return wanted


def _ask_experts(study: Study, campaign: CampaignEntry, payloads: Mapping[str, Payload]) -> dict[str, int]:
    """Store the tasks that ask experts, after all others; returns their numbers."""
    if not payloads:
        return {}
    urgent = [{**payload, PRIORITY: URGENT} for payload in payloads.values()]
    ids = insert_extra_tasks(study, campaign, role=TaskRole.WORK, payloads=urgent)
    settings = campaign.plan.settings
    if REFERRED_FROM not in settings:
        first = list_positions(study, campaign)[ids[0]]
        firsts = {N_FIRST_TASKS: settings.get(N_FIRST_TASKS, campaign.n_tasks), REFERRED_FROM: first}
        set_settings(study, campaign, {**settings, **firsts})
    return dict(zip(payloads, ids, strict=True))
