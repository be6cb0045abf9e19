"""What came from elsewhere as tasks and answers is looked at one by one: no later command shall meet what it cannot read."""

from __future__ import annotations

from collections.abc import Mapping

from regauge.campaigns.visibility import Context
from regauge.errors import InputError
from regauge.kinds.contract import Task
from regauge.records.campaigns import CampaignEntry, Payload
from regauge.records.reports import NOT_SHOWN
from regauge.records.taxonomy import Taxonomy
from regauge.storage.campaigns import load_campaign_images
from regauge.storage.payloads import iterate_answers, load_payloads
from regauge.storage.study import Study
from regauge.workflows.kinds import get_kind

NOTHING_MISSED: Payload = {NOT_SHOWN: "0"}
"""An answer after which a kind looks at what the task asks, and finds it seen."""


def check_payloads(study: Study, campaign: CampaignEntry) -> None:
    """Read every task of a campaign, and every answer to it, as pages and exports do.

    Raises:
        InputError: one is not what Regauge writes.
    """
    kind, n_images = get_kind(study, campaign.kind).task, len(load_campaign_images(study, campaign.id))
    tasks = load_payloads(study, campaign)
    for task_id, task in tasks.items():
        if not is_task(kind, task, taxonomy=study.taxonomy, n_images=n_images):
            raise InputError(f"task {task_id} of campaign {campaign.name!r} is none that can be shown.")
    for response_id, task_id, answer in iterate_answers(study, campaign):
        if not is_answer(kind, tasks[task_id], answer=answer):
            raise InputError(f"answer {response_id} to campaign {campaign.name!r} does not answer its task.")


def is_task(kind: Task, task: object, *, taxonomy: Taxonomy, n_images: int) -> bool:
    """Whether something is a task of the kind, about classes and images that there are."""
    if not isinstance(task, Mapping) or not _is_counted(task):
        return False
    try:
        images = kind.list_images(task)
        kind.view(task, Context(taxonomy))
        kind.is_unseen(task, NOTHING_MISSED)
        return len(images) == len(set(images)) > 0 and all(0 <= one < n_images for one in images)
    except (InputError, ValueError, TypeError, KeyError, IndexError):
        return False


def is_answer(kind: Task, task: Payload, *, answer: object) -> bool:
    """Whether something answers the task."""
    try:
        return isinstance(answer, Mapping) and bool(kind.parse(task, answer))
    except (InputError, ValueError, TypeError, KeyError):
        return False


def _is_counted(value: object) -> bool:
    """Whether all numbers in it are whole and none is negative: classes, images, controls and places are counted from 0."""
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and _is_counted(one) for name, one in value.items())
    if isinstance(value, list):
        return all(map(_is_counted, value))
    return isinstance(value, str) or (type(value) is int and value >= 0)
