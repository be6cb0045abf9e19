"""What came from elsewhere as tasks and answers is looked at one by one: no later command shall meet what it cannot read."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from regauge.campaigns.eligibility import AFTER, EXPERTISE, NOT_FOR, ONLY_AFTER, PANEL
from regauge.campaigns.locks import LOCKED
from regauge.campaigns.priorities import PRIORITY
from regauge.campaigns.visibility import VOTES_OF, TaskContext
from regauge.errors import InputError
from regauge.kinds.contract import Referrals, Task
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import NOT_SHOWN, CampaignEntry, Payload, ResponseStatus, is_report
from regauge.records.taxonomy import Taxonomy
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.storage.campaigns.payloads import iterate_answers, load_payloads
from regauge.storage.study import Study

NOTHING_MISSED: Payload = {NOT_SHOWN: "0"}
"""An answer after which a kind looks at what the task asks, and finds it seen."""
_NUMBERS = (PRIORITY, LOCKED)
_LISTS = (AFTER, ONLY_AFTER, PANEL, NOT_FOR, VOTES_OF)
"""What tasks of all kinds may ask of the rest of the program: as a number, or as a list of positions or people."""


def check_payloads(study: Study, campaign: CampaignEntry) -> None:
    """Read every task of a campaign, and every answer to it, as pages and exports do.

    Raises:
        InputError: a task or an answer is not of the form that Regauge writes.
    """
    found, n_images = find_kind(study.around.kinds, campaign.kind), len(load_campaign_images(study, campaign.id))
    kind = found.task
    tasks = load_payloads(study, campaign)
    for task_id, task in tasks.items():
        is_one = is_task(kind, task, taxonomy=study.taxonomy, n_images=n_images)
        if not is_one or not (found.referrals is None or is_marked(found.referrals, task, task_ids=tasks)):
            raise InputError(f"task {task_id} of campaign {campaign.name!r} is none that can be shown.")
    for one in iterate_answers(study, campaign):
        if not is_answer(kind, tasks[one.task_id], answer=one.answer):
            raise InputError(f"answer {one.id} to campaign {campaign.name!r} does not answer its task.")
        if not is_status(one.status, answer=one.answer):
            raise InputError(f"answer {one.id} to campaign {campaign.name!r} cannot be {one.status!r:.80}.")


def is_task(kind: Task, task: object, *, taxonomy: Taxonomy, n_images: int) -> bool:
    """Whether something is a task of the kind, about classes and images that there are."""
    try:
        if not isinstance(task, Mapping) or not _is_counted(task) or not _has_words(task):
            return False
        images = kind.list_images(task)
        kind.view(task, TaskContext(taxonomy))
        kind.is_unseen(task, NOTHING_MISSED)
        return len(images) == len(set(images)) > 0 and all(0 <= one < n_images for one in images)
    except (InputError, ValueError, TypeError, KeyError, IndexError, RecursionError):
        return False


def is_marked(referrals: Referrals, task: Payload, *, task_ids: Collection[int]) -> bool:
    """Whether a task says what was referred as it must be said: by words, and tasks of the same campaign."""
    try:
        marks = referrals.list_marked(task).values()
        return {type(one.words) for one in marks} <= {str} and {one.task_id for one in marks} <= set(task_ids)
    except (ValueError, TypeError, AttributeError):
        return False


def is_answer(kind: Task, task: Payload, *, answer: object) -> bool:
    """Whether something answers the task."""
    try:
        return isinstance(answer, Mapping) and bool(kind.parse(task, answer))
    except (InputError, ValueError, TypeError, KeyError):
        return False


def is_status(status: str, *, answer: Payload) -> bool:
    """Whether an answer can be good for that: a report that nothing was shown is good for nothing else."""
    return status in set(ResponseStatus) and (status == ResponseStatus.NOT_SHOWN) is is_report(answer)


def _has_words(task: Payload) -> bool:
    """Whether what a task asks of the rest of the program is said as it must be."""
    lists = [task[name] for name in _LISTS if name in task]
    numbers = [task[name] for name in _NUMBERS if name in task]
    numbers += [number for one in lists if isinstance(one, list) for number in one]
    words = task.get(EXPERTISE, [""])
    is_said = isinstance(words, list) and len(words) > 0 and all(isinstance(one, str) for one in words)
    return is_said and all(isinstance(one, list) for one in lists) and all(isinstance(one, int) for one in numbers)


def _is_counted(value: object) -> bool:
    """Whether all numbers in it are whole and none is negative: classes, images, controls and places are counted from 0."""
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and _is_counted(one) for name, one in value.items())
    if isinstance(value, list):
        return all(map(_is_counted, value))
    return isinstance(value, str) or (type(value) is int and value >= 0)
