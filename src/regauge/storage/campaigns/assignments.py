"""Tasks given to people for a time ↔ rows.

A writer has the database to itself (SQLite's lock, PostgreSQL's advisory lock), so what is counted here is still true when the
assignment is committed: no task is ever given to more people than it has room for.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Row, Select, and_, func, insert, or_, select, update

from regauge.records.campaigns.campaign import (
    Assignment,
    AssignmentId,
    CampaignEntry,
    Kind,
    Payload,
    ResponseStatus,
    TaskRole,
)
from regauge.storage.campaigns.campaign import count_wanted, is_leased, is_work, was_shown
from regauge.storage.campaigns.panels import may_name
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.schema import assignments, campaigns, responses, tasks
from regauge.storage.study import Study

_OTHERS = assignments.alias("others")
"""Under another name: an enclosing query may look at assignments too, and must not be taken for the same."""


class OpenTask(NamedTuple):
    """A task that somebody can be given."""

    id: int
    position: int
    payload: Payload


def find_open_tasks(
    study: Study, campaign: CampaignEntry, *, annotator_id: int, limit: int, start: int = 0
) -> list[OpenTask]:
    """Tasks that have room and were never given to the annotator, in order, from position `start` on.

    Those that go to named people are among them only where one of these may be meant: there may be very many for others.
    """
    was_given = (
        select(assignments.c.id)
        .where(assignments.c.task_id == tasks.c.id, assignments.c.annotator_id == annotator_id)
        .exists()
    )
    query = (
        select(tasks.c.id, tasks.c.position, TASK_TEXT)
        .where(
            tasks.c.campaign_id == campaign.id,
            is_work(),
            tasks.c.position >= start,
            may_name(annotator_id),
            ~was_given,
            _has_room(study, campaign),
        )
        .order_by(tasks.c.position)
        .limit(limit)
    )
    return [OpenTask(row.id, row.position, parse_task(row.payload)) for row in study.connection.execute(query)]


def find_first_unfinished(study: Study, campaign: CampaignEntry, *, start: int = 0) -> int:
    """The first position from `start` on whose task lacks answers; where all are done, the number of tasks."""
    query = (
        select(tasks.c.position)
        .where(
            tasks.c.campaign_id == campaign.id,
            is_work(),
            tasks.c.position >= start,
            _count_counted() < count_wanted(campaign),
        )
        .order_by(tasks.c.position)
        .limit(1)
    )
    found = study.connection.scalar(query)
    return campaign.n_tasks if found is None else int(found)


def insert_assignments(
    study: Study, task_ids: Sequence[int], *, annotator_id: int, expires_at: str
) -> tuple[AssignmentId, ...]:
    """Give tasks to an annotator; those that are not answered come back in this order."""
    # A millisecond apart: after a reload a hidden repeat must not be known by its place.
    rows = [
        {
            "id": secrets.token_hex(16),
            "task_id": task_id,
            "annotator_id": annotator_id,
            "leased_at": study.around.now(after=timedelta(milliseconds=place)),
            "expires_at": expires_at,
        }
        for place, task_id in enumerate(task_ids, 1 - len(task_ids))
    ]
    if rows:
        study.connection.execute(insert(assignments), rows)
    return tuple(AssignmentId(str(row["id"])) for row in rows)


def renew_leases(study: Study, assignment_ids: Sequence[AssignmentId], *, expires_at: str) -> None:
    """Keep tasks for those who have them."""
    if not assignment_ids:
        return
    mine = assignments.c.id.in_(assignment_ids)
    study.connection.execute(update(assignments).where(mine).values(expires_at=expires_at))


def end_leases(study: Study, annotator_id: int, campaign: CampaignEntry | None = None) -> int:
    """Let go of the tasks that somebody keeps, in one campaign or in all; returns how many those were.

    What they were given stays theirs: an answer that still comes is taken, and a task that has room comes back to them.
    """
    kept = [assignments.c.annotator_id == annotator_id, assignments.c.expires_at > study.around.now()]
    if campaign is not None:
        kept.append(assignments.c.task_id.in_(select(tasks.c.id).where(tasks.c.campaign_id == campaign.id)))
    n_open = select(func.count()).select_from(assignments).where(*kept, ~_has_response(assignments))
    n = study.connection.scalar(n_open) or 0
    study.connection.execute(update(assignments).where(*kept).values(expires_at=study.around.now()))
    return n


def end_all_leases(study: Study) -> None:
    """Let go of the tasks that anybody keeps, in all campaigns."""
    now = study.around.now()
    study.connection.execute(update(assignments).where(assignments.c.expires_at > now).values(expires_at=now))


def find_unanswered(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> tuple[Assignment, ...]:
    """What the annotator was given, has not answered and can still work on, the oldest first.

    A task whose lease has ended comes back to whoever had it, unless others have taken the room. A repeat needs no room.
    """
    is_repeat = tasks.c.role == TaskRole.REPEAT.value
    query = _select_assignments().where(
        tasks.c.campaign_id == campaign.id,
        assignments.c.annotator_id == annotator_id,
        ~_has_response(assignments),
        or_(is_leased(study, campaign), is_repeat, _has_room(study, campaign)),
    )
    return tuple(
        _make(row) for row in study.connection.execute(query.order_by(assignments.c.leased_at, tasks.c.position))
    )


def find_assignment(study: Study, assignment_id: AssignmentId) -> Assignment | None:
    """The assignment of that id with its last answer, or None."""
    row = study.connection.execute(_select_assignments().where(assignments.c.id == assignment_id)).one_or_none()
    return None if row is None else _with_answer(study, _make(row))


def find_last_answered(
    study: Study, campaign: CampaignEntry, *, annotator_id: int, since: str = ""
) -> Assignment | None:
    """What the annotator answered last, from a moment on, with the answer that holds; None before the first."""
    query = (
        _select_assignments()
        .join(responses, _answers(assignments))
        .where(
            tasks.c.campaign_id == campaign.id,
            assignments.c.annotator_id == annotator_id,
            responses.c.revision == 0,
            responses.c.received_at >= since,
            was_shown(),
        )
        .order_by(responses.c.id.desc())
        .limit(1)
    )
    row = study.connection.execute(query).one_or_none()
    return None if row is None else _with_answer(study, _make(row))


class GivenTask(NamedTuple):
    """A task of any campaign that somebody was given."""

    assignment_id: AssignmentId
    campaign_id: int
    kind: Kind
    payload: Payload
    leased_at: str


def count_given(study: Study, annotator_id: int) -> int:
    """How many tasks somebody was ever given, in all campaigns."""
    query = select(func.count()).select_from(assignments).where(assignments.c.annotator_id == annotator_id)
    return study.connection.scalar(query) or 0


def list_given(study: Study, annotator_id: int, *, since: str = "") -> tuple[GivenTask, ...]:
    """The tasks that somebody was given from a moment on, in all campaigns."""
    query = (
        select(assignments.c.id, tasks.c.campaign_id, campaigns.c.kind, TASK_TEXT, assignments.c.leased_at)
        .join(tasks, tasks.c.id == assignments.c.task_id)
        .join(campaigns, campaigns.c.id == tasks.c.campaign_id)
        .where(assignments.c.annotator_id == annotator_id, assignments.c.leased_at >= since)
    )
    return tuple(
        GivenTask(AssignmentId(row.id), row.campaign_id, Kind(row.kind), parse_task(row.payload), row.leased_at)
        for row in study.connection.execute(query)
    )


def list_given_positions(
    study: Study, campaign: CampaignEntry, *, annotator_id: int | None = None, is_answered: bool = False
) -> dict[int, set[int]]:
    """Per person, or for one of them, the positions of the tasks of a campaign that they were given; repeats are left out.

    Args:
        study: the study.
        campaign: which.
        annotator_id: whose; everybody's by default.
        is_answered: whether only those are wanted that they have answered.
    """
    query = (
        select(assignments.c.annotator_id, tasks.c.position)
        .join(tasks, tasks.c.id == assignments.c.task_id)
        .where(tasks.c.campaign_id + 0 == campaign.id, is_work())
    )
    wanted = query.join(responses, _answers(assignments)).where(was_shown()) if is_answered else query
    mine = wanted if annotator_id is None else wanted.where(assignments.c.annotator_id == annotator_id)
    positions: dict[int, set[int]] = defaultdict(set)
    for row in study.connection.execute(mine):
        positions[row.annotator_id].add(row.position)
    return positions


def list_finished(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> frozenset[int]:
    """The positions of the tasks that somebody has answered, but for the last, which they may still change."""
    query = (
        select(tasks.c.position)
        .select_from(
            assignments.join(responses, _answers(assignments)).join(tasks, tasks.c.id == assignments.c.task_id)
        )
        .where(tasks.c.campaign_id + 0 == campaign.id, assignments.c.annotator_id == annotator_id)
        .where(responses.c.revision == 0, was_shown(), is_work())
        .order_by(responses.c.id.desc())
    )
    return frozenset(list(study.connection.scalars(query))[1:])


def count_answered(study: Study, campaign: CampaignEntry, *, annotator_id: int, since: str = "") -> int:
    """How many tasks the annotator has answered, from a moment on; those that could not be shown are none of them."""
    query = (
        select(func.count(responses.c.task_id.distinct()))
        .select_from(
            assignments.join(responses, _answers(assignments)).join(tasks, tasks.c.id == assignments.c.task_id)
        )
        .where(tasks.c.campaign_id == campaign.id, assignments.c.annotator_id == annotator_id, was_shown())
    )
    if since:
        # A change of an answer from before is none of them either.
        query = query.where(responses.c.revision == 0, responses.c.received_at >= since)
    return study.connection.scalar(query) or 0


def count_own_work(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> int:
    """How many tasks the annotator has answered or can still answer of those that they were given; without hidden repeats."""
    was_answered = select(responses.c.id).where(_answers(assignments), was_shown()).exists()
    is_open = and_(~_has_response(assignments), or_(is_leased(study, campaign), _has_room(study, campaign)))
    query = (
        select(func.count(assignments.c.task_id.distinct()))
        .join(tasks, tasks.c.id == assignments.c.task_id)
        .where(tasks.c.campaign_id == campaign.id, assignments.c.annotator_id == annotator_id, is_work())
        .where(or_(was_answered, is_open))
    )
    return study.connection.scalar(query) or 0


# Queries that depend on nothing are made once: making them takes as long as asking them.
@cache
def _select_assignments() -> Select[Any]:
    return select(
        assignments.c.id,
        assignments.c.task_id,
        tasks.c.campaign_id,
        assignments.c.annotator_id,
        tasks.c.payload,
        assignments.c.expires_at,
    ).join(tasks, tasks.c.id == assignments.c.task_id)


def _make(row: Row[Any]) -> Assignment:
    return Assignment(AssignmentId(row.id), row.task_id, row.campaign_id, row.annotator_id, row.payload, row.expires_at)


def _with_answer(study: Study, assignment: Assignment) -> Assignment:
    query = (
        select(responses.c.answer, responses.c.revision)
        .where(responses.c.task_id == assignment.task_id, responses.c.annotator_id == assignment.annotator_id)
        .order_by(responses.c.revision.desc(), responses.c.id.desc())
        .limit(1)
    )
    row = study.connection.execute(query).one_or_none()
    return assignment if row is None else replace(assignment, answer=row.answer, revision=row.revision)


def _answers(given: FromClause) -> ColumnElement[bool]:
    """Whether a response is to an assignment: nobody is given a task twice, and this way there is an index."""
    return and_(responses.c.task_id == given.c.task_id, responses.c.annotator_id == given.c.annotator_id)


@cache
def _has_response(given: FromClause) -> ColumnElement[bool]:
    return select(responses.c.id).where(_answers(given)).exists()


def _has_room(study: Study, campaign: CampaignEntry) -> ColumnElement[bool]:
    """Whether a task needs more people than have answered it or are at it."""
    n_leased = (
        select(func.count())
        .where(_OTHERS.c.task_id == tasks.c.id, is_leased(study, campaign, _OTHERS), ~_has_response(_OTHERS))
        .scalar_subquery()
    )
    return _count_counted() + n_leased < count_wanted(campaign)


@cache
def _count_counted() -> ColumnElement[int]:
    """People whose answer to the task counts."""
    is_counted = and_(responses.c.task_id == tasks.c.id, responses.c.status == ResponseStatus.COUNTED.value)
    return select(func.count(responses.c.annotator_id.distinct())).where(is_counted).scalar_subquery()
