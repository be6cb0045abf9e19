"""Tasks given to people for a time ↔ rows.

A writer has the database to itself (SQLite's lock, PostgreSQL's advisory lock), so what is counted here is still true when the
assignment is committed: no task is ever given to more people than it has room for.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, and_, case, func, insert, or_, select, update

from regauge.records.campaigns.campaign import (
    Assignment,
    AssignmentId,
    CampaignEntry,
    Kind,
    Payload,
    ResponseStatus,
    TaskRole,
)
from regauge.storage.campaigns.campaign import count_wanted, has_answer, is_answer_to, is_leased, is_work, was_shown
from regauge.storage.campaigns.panels import find_own_panels
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.batches import is_among
from regauge.storage.database.campaign_tables import task_panel
from regauge.storage.database.schema import assignments, campaigns, responses, tasks
from regauge.storage.study import Study

N_WAYS = 12
"""Somebody may be named in so many ways, alone and with others, before all tasks from the first on are looked through."""
_get_position = attrgetter("position")
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

    They are for anybody, or name the annotator; there may be very many for others, which are not looked at.
    """
    query = _select_open(study, campaign, annotator_id).where(tasks.c.position >= start)
    first = query.order_by(tasks.c.position).limit(limit)
    panels = find_own_panels(study, campaign, annotator_id=annotator_id)
    found = [one for way in _find_ways(panels) for one in _list_open(study, first.where(way))]
    return sorted(found, key=_get_position)[:limit]


def find_open_at(
    study: Study, campaign: CampaignEntry, *, annotator_id: int, positions: Sequence[int]
) -> list[OpenTask]:
    """Those of the tasks at some positions that have room and were never given to the annotator, in that order."""
    panels = find_own_panels(study, campaign, annotator_id=annotator_id)
    query = _select_open(study, campaign, annotator_id).where(
        is_among(study, tasks.c.position, positions), _is_for(panels)
    )
    found = {one.position: one for one in _list_open(study, query)}
    return [found[position] for position in positions if position in found]


def _list_open(study: Study, query: Select[Any]) -> list[OpenTask]:
    return [OpenTask(row.id, row.position, parse_task(row.payload)) for row in study.connection.execute(query)]


def _select_open(study: Study, campaign: CampaignEntry, annotator_id: int) -> Select[Any]:
    was_given = (
        select(assignments.c.id)
        .where(assignments.c.task_id == tasks.c.id, assignments.c.annotator_id == annotator_id)
        .exists()
    )
    return select(tasks.c.id, tasks.c.position, TASK_TEXT).where(
        tasks.c.campaign_id == campaign.id, is_work(), ~was_given, _has_room(study, campaign)
    )


def _find_ways(panels: Sequence[str]) -> list[ColumnElement[bool]]:
    """The conditions of what is for anybody, and of what is for each of some panels: each finds its first tasks by an index."""
    if len(panels) > N_WAYS:
        return [_is_for(panels)]
    return [task_panel.is_(None), *(task_panel == panel for panel in panels)]


def _is_for(panels: Sequence[str]) -> ColumnElement[bool]:
    """Whether a task is for anybody, or for one of these panels."""
    return or_(task_panel.is_(None), task_panel.in_(panels))


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


def end_leases(
    study: Study, annotator_id: int, campaign: CampaignEntry | None = None, *, without: Collection[int] = ()
) -> int:
    """Let go of the tasks that somebody keeps, in one campaign or in all but some; returns how many those were.

    What they were given stays theirs: an answer that still comes is taken, and a task that has room comes back to them.
    """
    kept = [assignments.c.annotator_id == annotator_id, assignments.c.expires_at > study.around.now()]
    if campaign is not None:
        kept.append(assignments.c.task_id.in_(select(tasks.c.id).where(tasks.c.campaign_id == campaign.id)))
    if without:
        kept.append(assignments.c.task_id.in_(select(tasks.c.id).where(tasks.c.campaign_id.not_in(list(without)))))
    n_open = select(func.count()).select_from(assignments).where(*kept, ~has_answer())
    n = study.connection.scalar(n_open) or 0
    study.connection.execute(update(assignments).where(*kept).values(expires_at=study.around.now()))
    return n


def end_all_leases(study: Study) -> None:
    """Let go of the tasks that anybody keeps, in all campaigns."""
    now = study.around.now()
    study.connection.execute(update(assignments).where(assignments.c.expires_at > now).values(expires_at=now))


def note_shown(study: Study, assignment_id: AssignmentId, *, at: str) -> None:
    """Keep when a page first showed a task to whoever has it; of several moments the earliest, none before it was given."""
    is_first = or_(assignments.c.shown_at.is_(None), assignments.c.shown_at > at)
    moment = case((assignments.c.leased_at > at, assignments.c.leased_at), else_=at)
    mine = assignments.c.id == assignment_id
    study.connection.execute(update(assignments).where(mine, is_first).values(shown_at=moment))


def find_unanswered(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> tuple[Assignment, ...]:
    """What the annotator was given, has not answered and can still work on, the oldest first.

    A task whose lease has ended comes back to whoever had it, unless others have taken the room. A repeat needs no room.
    """
    is_repeat = tasks.c.role == TaskRole.REPEAT.value
    query = _select_assignments().where(
        tasks.c.campaign_id == campaign.id,
        assignments.c.annotator_id == annotator_id,
        ~has_answer(),
        or_(is_leased(study, campaign), is_repeat, _has_room(study, campaign)),
    )
    return tuple(
        _make(row) for row in study.connection.execute(query.order_by(assignments.c.leased_at, tasks.c.position))
    )


def find_assignment(study: Study, assignment_id: AssignmentId) -> Assignment | None:
    """The assignment of that id with its last answer, or None."""
    row = study.connection.execute(_select_assignments().where(assignments.c.id == assignment_id)).one_or_none()
    return None if row is None else _with_answer(study, _make(row))


def find_given_ids(study: Study, annotator_id: int, task_ids: Sequence[int]) -> dict[int, AssignmentId]:
    """Under which id somebody was given each of some tasks; those that they were not given are left out."""
    if not task_ids:
        return {}
    mine = and_(assignments.c.annotator_id == annotator_id, assignments.c.task_id.in_(task_ids))
    query = select(assignments.c.task_id, assignments.c.id).where(mine)
    return {row.task_id: AssignmentId(row.id) for row in study.connection.execute(query)}


def find_last_answered(
    study: Study, campaign: CampaignEntry, *, annotator_id: int, since: str = ""
) -> Assignment | None:
    """What the annotator answered last, from a moment on, with the answer that holds; None before the first."""
    query = (
        _select_assignments()
        .join(responses, is_answer_to())
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
    wanted = query.join(responses, is_answer_to()).where(was_shown()) if is_answered else query
    mine = wanted if annotator_id is None else wanted.where(assignments.c.annotator_id == annotator_id)
    positions: dict[int, set[int]] = defaultdict(set)
    for row in study.connection.execute(mine):
        positions[row.annotator_id].add(row.position)
    return positions


def list_finished(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> frozenset[int]:
    """The positions of the tasks that somebody has answered, but for the last, which they may still change."""
    query = (
        select(tasks.c.position)
        .select_from(assignments.join(responses, is_answer_to()).join(tasks, tasks.c.id == assignments.c.task_id))
        .where(tasks.c.campaign_id + 0 == campaign.id, assignments.c.annotator_id == annotator_id)
        .where(responses.c.revision == 0, was_shown(), is_work())
        .order_by(responses.c.id.desc())
    )
    return frozenset(list(study.connection.scalars(query))[1:])


def count_answered(study: Study, campaign: CampaignEntry, *, annotator_id: int, since: str = "") -> int:
    """How many tasks the annotator has answered, from a moment on; those that could not be shown are none of them."""
    query = (
        select(func.count(responses.c.task_id.distinct()))
        .select_from(assignments.join(responses, is_answer_to()).join(tasks, tasks.c.id == assignments.c.task_id))
        .where(tasks.c.campaign_id == campaign.id, assignments.c.annotator_id == annotator_id, was_shown())
    )
    if since:
        # A change of an answer from before is none of them either.
        query = query.where(responses.c.revision == 0, responses.c.received_at >= since)
    return study.connection.scalar(query) or 0


def count_own_work(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> int:
    """How many tasks the annotator has answered or can still answer of those that they were given; without hidden repeats."""
    was_answered = select(responses.c.id).where(is_answer_to(), was_shown()).exists()
    is_open = and_(~has_answer(), or_(is_leased(study, campaign), _has_room(study, campaign)))
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
        assignments.c.shown_at,
    ).join(tasks, tasks.c.id == assignments.c.task_id)


def _make(row: Row[Any]) -> Assignment:
    given = (AssignmentId(row.id), row.task_id, row.campaign_id, row.annotator_id, row.payload, row.expires_at)
    return Assignment(*given, shown_at=row.shown_at)


def _with_answer(study: Study, assignment: Assignment) -> Assignment:
    columns = [responses.c[name] for name in ("answer", "revision", "claimed_seconds", "shown_seconds")]
    query = (
        select(*columns)
        .where(responses.c.task_id == assignment.task_id, responses.c.annotator_id == assignment.annotator_id)
        .order_by(responses.c.revision.desc(), responses.c.id.desc())
        .limit(1)
    )
    row = study.connection.execute(query).one_or_none()
    if row is None:
        return assignment
    answer, revision, seconds, shown_seconds = row
    return replace(assignment, answer=answer, revision=revision, seconds=seconds, shown_seconds=shown_seconds)


def _has_room(study: Study, campaign: CampaignEntry) -> ColumnElement[bool]:
    """Whether a task needs more people than have answered it or are at it."""
    n_leased = (
        select(func.count())
        .where(_OTHERS.c.task_id == tasks.c.id, is_leased(study, campaign, _OTHERS), ~has_answer(_OTHERS))
        .scalar_subquery()
    )
    return _count_counted() + n_leased < count_wanted(campaign)


@cache
def _count_counted() -> ColumnElement[int]:
    """People whose answer to the task counts."""
    is_counted = and_(responses.c.task_id == tasks.c.id, responses.c.status == ResponseStatus.COUNTED.value)
    return select(func.count(responses.c.annotator_id.distinct())).where(is_counted).scalar_subquery()
