"""REVIEW: labels that a reviewer refers to experts. They leave the task, and an expert judges each in a task of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from regauge.campaigns.eligibility import EXPERTISE, NOT_FOR
from regauge.kinds.review.task import (
    N_CLASSES,
    REFERRED,
    REFERS,
    is_complete,
    is_grid,
    list_keys,
    make_review_task,
)
from regauge.records.campaigns.campaign import Payload
from regauge.records.campaigns.referrals import Referral


def find_referred(answer: Payload) -> Mapping[str, str]:
    """What a parsed answer refers: the key of each item, and the expertise in the reviewer's words."""
    return dict(answer.get(REFERS, {}))


def is_judged(answer: Payload) -> bool:
    """Whether a parsed answer has a verdict; whoever names a problem alone, or hands the image back, gives none."""
    return bool(answer.get("verdicts"))


def list_marked(task: Payload) -> Mapping[str, Referral]:
    """The items of a task that were referred, by their keys."""
    return {key: Referral(*said) for key, said in task.get(REFERRED, {}).items()}


def mark(task: Payload, referred: Mapping[str, Referral]) -> Payload:
    """The task with these items referred, and no others."""
    rest = {name: value for name, value in task.items() if name != REFERRED}
    return {**rest, REFERRED: {key: list(one) for key, one in referred.items()}} if referred else rest


def has_open(task: Payload) -> bool:
    """Whether a task still asks about something that was not referred, or what is missing in its image."""
    return len(list_marked(task)) < len(list_keys(task)) or is_complete(task)


def split_off(task: Payload, key: str, *, expertises: Sequence[str]) -> Payload:
    """The task that asks experts about one item.

    Args:
        task: the task that the item is of.
        key: the item.
        expertises: what whoever gets the task is an expert of, one of these; the first is the one that was named.
    """
    image = task["images"][int(key)] if is_grid(task) else task["images"][0]
    index = task["classes"][0] if is_grid(task) else int(key)
    bound = {name: task[name] for name in (N_CLASSES, NOT_FOR) if name in task}
    return make_review_task([image], [index], **bound, **{EXPERTISE: list(expertises)})
