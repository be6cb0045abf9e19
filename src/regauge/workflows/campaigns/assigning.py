"""Who answers a campaign: tasks go to named people alone, or to anybody again; people are dropped and taken back.

Answers of those who are dropped are kept, and tasks reopen by themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from regauge.campaigns.eligibility import is_on_panel
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Role
from regauge.records.names import MAX_REASON
from regauge.storage.campaigns.assignments import end_leases
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.decisions import find_dropped, insert_decision
from regauge.storage.campaigns.extra_tasks import list_positions
from regauge.storage.campaigns.panels import count_work, list_counted, list_wanted, set_panel
from regauge.storage.events import add_event
from regauge.storage.people.annotators import get_annotator
from regauge.storage.people.expertises import list_expertises
from regauge.storage.study import Study
from regauge.workflows.annotation.referrals import list_referred_to, refresh_referrals
from regauge.workflows.campaigns.reviews.final import find_own


@dataclass(frozen=True, slots=True)
class AssignedTasks:
    """How many tasks go to whom from now on; nobody's name where they go to anybody; and what the manager should know."""

    n_tasks: int
    people: tuple[str, ...]
    notes: tuple[str, ...] = ()


def assign_tasks(
    study: Study, campaign: str | int, *, tasks: Collection[int], people: Sequence[str | int]
) -> AssignedTasks:
    """Let tasks go to named people alone, or, where none is named, to anybody who may work on the campaign.

    Whoever has one of them before them may still answer it; after that it comes back to nobody else.

    Args:
        study: the study, inside a transaction that may write.
        campaign: which, by name or number.
        tasks: the numbers of the tasks.
        people: names or numbers.

    Raises:
        InputError: there is no such campaign, task or annotator, no task is named, or somebody does not work on the campaign.
    """
    entry = get_campaign(study, campaign)
    named = [_check(study, entry, get_annotator(study, one)) for one in dict.fromkeys(people)]
    chosen = sorted(set(tasks))
    if not chosen:
        raise InputError(f"No task of campaign {entry.name} was chosen, so nothing is assigned.")
    if count_work(study, entry, chosen) < len(chosen):
        raise InputError(
            f"Some of the tasks that were chosen do not belong to campaign {entry.name}; nothing is assigned."
        )
    numbers = sorted({one.id for one in named})
    set_panel(study, entry, task_ids=chosen, people=numbers)
    names = tuple(sorted({one.name for one in named}))
    add_event(study, "campaign assign", {"campaign": entry.name, "n_tasks": len(chosen), "annotators": list(names)})
    return AssignedTasks(len(chosen), names, tuple(_note_few(study, entry, chosen, people=numbers)) if named else ())


def _note_few(study: Study, campaign: CampaignEntry, tasks: Sequence[int], *, people: Sequence[int]) -> Iterator[str]:
    """What should be known of tasks that were just assigned: whether those who are named can finish them."""
    planned, expertises = campaign.count_people(1).plan.n_annotators, list_expertises(study)
    answered, wanted, everybody = list_counted(study, tasks), list_wanted(study, tasks), frozenset(people)
    # What was referred goes to experts alone.
    referred_to = list_referred_to(study, campaign)
    experts = {
        one: frozenset(who for who in people if not set(expertises.get(who, ())).isdisjoint(words))
        for one, words in referred_to.items()
    }
    needed = {one: wanted.get(one, planned) for one in tasks}
    own = find_own(study, campaign, list_positions(study, campaign))
    able = {one: experts.get(one, everybody).difference(own.get(one, ())) for one in tasks}
    few = [one for one in tasks if len(able[one].union(answered.get(one, ()))) < needed[one]]
    yield from describe_few([needed[one] for one in few if one not in referred_to], len(tasks))
    yield from describe_no_expert(sum(one in referred_to for one in few), len(tasks))


def describe_few(needed: Sequence[int], n_tasks: int) -> Iterator[str]:
    """That tasks were assigned to fewer people than they need; nothing where none was.

    Args:
        needed: how many people each of these tasks needs.
        n_tasks: how many were assigned.
    """
    if needed:
        low, high = min(needed), max(needed)
        people = count_things(high, "person", many="people") if low == high else f"{low:,} to {high:,} people"
        yield (
            f"{len(needed):,} of {count_things(n_tasks, 'task')} cannot be finished: "
            f"{'it needs' if len(needed) == 1 else 'each needs'} answers of {people}, and fewer are named or have answered."
        )


def describe_no_expert(n_few: int, n_tasks: int) -> Iterator[str]:
    """That tasks which wait for an expert were assigned to others; nothing where none was."""
    if n_few:
        was, it = ("it was", "it") if n_few == 1 else ("they were", "them")
        yield (
            f"{n_few:,} of {count_things(n_tasks, 'task')} cannot be finished: {was} referred to an expert, and nobody who is "
            f"named is one who has not answered {it} yet."
        )


def _check(study: Study, campaign: CampaignEntry, person: AnnotatorEntry) -> AnnotatorEntry:
    is_in = person.role is Role.ANNOTATOR and is_on_panel(campaign.plan.settings, person.id)
    if not is_in or person.erased_at is not None or person.id in find_dropped(study, campaign):
        raise InputError(
            f"{person.name} does not work on campaign {campaign.name}, so nothing can be assigned to them."
        )
    return person


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
