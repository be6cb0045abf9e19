"""Images that could not be shown to somebody ↔ rows: one per campaign, image and person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, Table, bindparam, distinct, func, insert, select, update

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry, Payload, ResponseStatus, TaskRole
from regauge.records.studies import TestSetEntry
from regauge.storage.campaigns.campaign import is_answer_to
from regauge.storage.database.schema import (
    annotators,
    assignments,
    campaign_images,
    image_failures,
    images,
    responses,
    tasks,
    test_sets,
)
from regauge.storage.study import Study

MAX_REASON = 500


class NotedFailure(NamedTuple):
    """That an image was not shown to somebody.

    Attributes:
        number: the image's number in the campaign.
        image_id: its id.
        test_set: the set that it is of.
        annotator: to whom.
        reason: why the server could not show it; empty where only their page says so.
        n_times: how often.
        last_at: when last.
    """

    number: int
    image_id: str
    test_set: str
    annotator: str
    reason: str
    n_times: int
    last_at: str


def note_failures(study: Study, campaign_id: int, reasons: Mapping[int, str], *, annotator_id: int) -> None:
    """Note that images were not shown to somebody, by their numbers; a reason that is known stays known."""
    mine = (image_failures.c.campaign_id == campaign_id, image_failures.c.annotator_id == annotator_id)
    known = set(study.connection.scalars(select(image_failures.c.number).where(*mine)))
    now = study.around.now()
    fields = {"campaign_id": campaign_id, "annotator_id": annotator_id, "n_times": 1, "first_at": now, "last_at": now}
    new = [
        {**fields, "number": number, "reason": reason[:MAX_REASON]}
        for number, reason in reasons.items()
        if number not in known
    ]
    if new:
        study.connection.execute(insert(image_failures), new)
    again = [{"at": number, "why": reason[:MAX_REASON]} for number, reason in reasons.items() if number in known]
    if again:
        why = func.coalesce(func.nullif(bindparam("why"), ""), image_failures.c.reason)
        change = update(image_failures).where(*mine, image_failures.c.number == bindparam("at"))
        study.connection.execute(change.values(reason=why, n_times=image_failures.c.n_times + 1, last_at=now), again)


def count_reports(study: Study, campaign: CampaignEntry) -> int:
    """How many tasks somebody gave back because nothing of them could be shown.

    Whoever reports a task has failed images of it, so that only answers of such people are looked at, who are few.
    """
    failed = select(image_failures.c.annotator_id).where(image_failures.c.campaign_id == campaign.id).distinct()
    query = (
        select(func.count(distinct(assignments.c.id)))
        .select_from(assignments)
        .join(tasks, tasks.c.id == assignments.c.task_id)
        .join(responses, is_answer_to())
        .where(assignments.c.annotator_id.in_(failed), tasks.c.campaign_id == campaign.id)
        .where(responses.c.status == ResponseStatus.NOT_SHOWN.value)
    )
    return study.connection.scalar(query) or 0


def count_claims(study: Study, campaign_id: int, *, annotator_id: int) -> int:
    """How often somebody's page said that an image was not shown, while the server knows no reason."""
    mine = (image_failures.c.campaign_id == campaign_id, image_failures.c.annotator_id == annotator_id)
    query = select(func.sum(image_failures.c.n_times)).where(*mine, image_failures.c.reason == "")
    return int(study.connection.scalar(query) or 0)


def list_failures(study: Study, campaign: CampaignEntry) -> tuple[NotedFailure, ...]:
    """What was not shown to whom, by image."""
    columns = (image_failures.c.reason, image_failures.c.n_times, image_failures.c.last_at)
    query = select_noted(image_failures, columns, campaign=campaign)
    return tuple(NotedFailure(*row) for row in study.connection.execute(query))


def select_noted(table: Table, columns: Iterable[ColumnElement[Any]], *, campaign: CampaignEntry) -> Select[Any]:
    """What a table notes of the images of a campaign and people: number, image id, test set, annotator, and some columns."""
    shown = campaign_images.c
    is_shown = (shown.campaign_id == table.c.campaign_id) & (shown.number == table.c.number)
    is_image = (images.c.test_set_id == shown.test_set_id) & (images.c.row == shown.row)
    return (
        select(table.c.number, images.c.image_id, test_sets.c.name, annotators.c.name, *columns)
        .join(campaign_images, is_shown)
        .join(images, is_image)
        .join(test_sets, test_sets.c.id == images.c.test_set_id)
        .join(annotators, annotators.c.id == table.c.annotator_id)
        .where(table.c.campaign_id == campaign.id)
        .order_by(table.c.number, annotators.c.id)
    )


def list_files(study: Study, test_set: TestSetEntry, campaign: CampaignEntry, *, limit: int | None = None) -> list[str]:
    """The files of a set that a campaign may show, below the folder of the set."""
    shown = campaign_images.c
    is_image = (images.c.test_set_id == shown.test_set_id) & (images.c.row == shown.row)
    mine = (shown.campaign_id == campaign.id, shown.test_set_id == test_set.id)
    query = select(images.c.path).join(campaign_images, is_image).where(*mine).limit(limit)
    return list(study.connection.scalars(query))


def count_failing(study: Study) -> dict[int, int]:
    """Per campaign that has any, how many of its images were not shown to somebody."""
    query = select(image_failures.c.campaign_id, func.count(distinct(image_failures.c.number)))
    return dict(map(tuple, study.connection.execute(query.group_by(image_failures.c.campaign_id))))


def get_campaign_id(study: Study, assignment_id: AssignmentId) -> int:
    """The campaign of an assignment.

    Raises:
        InputError: there is no such assignment.
    """
    query = select(tasks.c.campaign_id).join(assignments, assignments.c.task_id == tasks.c.id)
    found = study.connection.scalar(query.where(assignments.c.id == assignment_id))
    if found is None:
        raise InputError("There is no such assignment.")
    return int(found)


def load_shown_tasks(study: Study, campaign: CampaignEntry) -> dict[int, Payload]:
    """Every task of a campaign that somebody may be shown, examples and questions included, by its number."""
    mine = (tasks.c.campaign_id == campaign.id, tasks.c.role != TaskRole.LEFT_OUT.value)
    query = select(tasks.c.id, tasks.c.payload).where(*mine).order_by(tasks.c.position)
    return {row.id: row.payload for row in study.connection.execute(query)}


def load_shown_tasks_by_role(study: Study, campaign: CampaignEntry) -> dict[TaskRole, list[Payload]]:
    """The same by what they are there for."""
    mine = (tasks.c.campaign_id == campaign.id, tasks.c.role != TaskRole.LEFT_OUT.value)
    found: dict[TaskRole, list[Payload]] = {}
    for row in study.connection.execute(select(tasks.c.role, tasks.c.payload).where(*mine)):
        found.setdefault(TaskRole(row.role), []).append(row.payload)
    return found


def list_given_tasks(study: Study, campaign: CampaignEntry) -> frozenset[int]:
    """The tasks of a campaign that somebody was given."""
    query = select(assignments.c.task_id).join(tasks, tasks.c.id == assignments.c.task_id)
    return frozenset(study.connection.scalars(query.where(tasks.c.campaign_id == campaign.id)))


def change_tasks(study: Study, payloads: Mapping[int, Payload], *, left_out: Collection[int]) -> None:
    """Let some tasks show something else, and give others to nobody."""
    mine = tasks.c.id == bindparam("one")
    if payloads:
        rows = [{"one": task_id, "shown": dict(payload)} for task_id, payload in payloads.items()]
        study.connection.execute(update(tasks).where(mine).values(payload=bindparam("shown")), rows)
    if left_out:
        change = update(tasks).where(mine).values(role=TaskRole.LEFT_OUT.value)
        study.connection.execute(change, [{"one": task_id} for task_id in left_out])


def count_roles(study: Study, campaign: CampaignEntry) -> dict[TaskRole, int]:
    """How many tasks of each role a campaign has."""
    query = select(tasks.c.role, func.count()).where(tasks.c.campaign_id == campaign.id).group_by(tasks.c.role)
    return {TaskRole(role): n for role, n in study.connection.execute(query)}
