"""Tasks of a campaign are assigned to named people, and go to nobody else; or to anybody again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from regauge.campaigns.eligibility import EXPERTISE, PANEL, is_on_panel
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Payload, Role
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.campaigns.image_failures import change_tasks
from regauge.storage.campaigns.panels import list_counted, list_wanted, load_work
from regauge.storage.events import add_event
from regauge.storage.people.annotators import get_annotator
from regauge.storage.people.expertises import list_expertises
from regauge.storage.study import Study


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
    payloads = load_work(study, entry, tasks)
    if not payloads or len(payloads) < len(set(tasks)):
        raise InputError(f"Choose tasks of campaign {entry.name}; some that were chosen are none of them, or none was.")
    numbers = sorted({one.id for one in named})
    panel = {PANEL: numbers} if named else {}
    changed = {
        task_id: {**{name: said for name, said in payload.items() if name != PANEL}, **panel}
        for task_id, payload in payloads.items()
    }
    change_tasks(study, changed, left_out=())
    names = tuple(sorted({one.name for one in named}))
    add_event(study, "campaign assign", {"campaign": entry.name, "n_tasks": len(changed), "annotators": list(names)})
    return AssignedTasks(len(changed), names, tuple(_note_few(study, entry, changed)) if named else ())


def _note_few(study: Study, campaign: CampaignEntry, changed: Mapping[int, Payload]) -> Iterator[str]:
    """What should be known of tasks that were just assigned: whether those who are named can finish them."""
    planned, expertises = campaign.plan.n_annotators, list_expertises(study)
    answered, wanted = list_counted(study, list(changed)), list_wanted(study, list(changed))
    few = [
        payload
        for task_id, payload in changed.items()
        if len(answered.get(task_id, set()) | _find_takers(payload, expertises)) < wanted.get(task_id, planned)
    ]
    n_referred = sum(EXPERTISE in payload for payload in few)
    yield from describe_few(len(few) - n_referred, len(changed), n_needed=planned)
    yield from describe_no_expert(n_referred, len(changed))


def _find_takers(payload: Payload, expertises: Mapping[int, Sequence[str]]) -> set[int]:
    """Those who are named by a task and may take it: what was referred goes to experts alone."""
    asked = payload.get(EXPERTISE)
    return {one for one in payload[PANEL] if asked is None or not set(expertises.get(one, ())).isdisjoint(asked)}


def describe_few(n_few: int, n_tasks: int, *, n_needed: int) -> Iterator[str]:
    """That tasks were assigned to fewer people than they need; nothing where none was."""
    if n_few:
        yield (
            f"{n_few:,} of {count_things(n_tasks, 'task')} cannot be finished: {'it needs' if n_few == 1 else 'each needs'} "
            f"answers of {n_needed:,} people, and fewer are named or have answered."
        )


def describe_no_expert(n_few: int, n_tasks: int) -> Iterator[str]:
    """That tasks which wait for an expert were assigned to others; nothing where none was."""
    if n_few:
        yield (
            f"{n_few:,} of {count_things(n_tasks, 'task')} cannot be finished: {'it was' if n_few == 1 else 'they were'} "
            "referred to an expert, and nobody who is named is one."
        )


def _check(study: Study, campaign: CampaignEntry, person: AnnotatorEntry) -> AnnotatorEntry:
    is_in = person.role is Role.ANNOTATOR and is_on_panel(campaign.plan.settings, person.id)
    if not is_in or person.erased_at is not None or person.id in find_dropped(study, campaign):
        raise InputError(
            f"{person.name} does not work on campaign {campaign.name}, so nothing can be assigned to them."
        )
    return person
