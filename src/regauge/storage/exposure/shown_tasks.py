"""What people answered or were given since exposure was last learned from it ← rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, String, and_, cast, func, select, update

from regauge.records.campaigns.campaign import NOT_SHOWN, Payload, TaskRole
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.schema import annotators, assignments, attempts, responses, studies, tasks
from regauge.storage.study import Study

ALL_GIVEN = -1
"""What is marked where tasks that were only given count, too: in a study that noted nothing of what was sent until now."""
CHUNK = 20_000

_IS_SAME = and_(responses.c.task_id == assignments.c.task_id, responses.c.annotator_id == assignments.c.annotator_id)


class ShownTask(NamedTuple):
    """A task that somebody had before them.

    Attributes:
        annotator_id: who.
        campaign_id: of which campaign.
        role: what the task is there for.
        task: what it shows.
        answer: what was answered, where that says that something was not shown; None otherwise.
        first_at: when it was given.
        last_at: when it was answered, or else given.
    """

    annotator_id: int
    campaign_id: int
    role: TaskRole
    task: Payload
    answer: Payload | None
    first_at: str
    last_at: str


def get_learned(study: Study) -> int:
    """The number of the last answer that exposure was learned from."""
    return int(study.connection.scalar(select(studies.c.exposed_until)) or 0)


def find_last_answer(study: Study) -> int:
    """The number of the last answer; 0 before the first."""
    return int(study.connection.scalar(select(func.max(responses.c.id))) or 0)


def set_learned(study: Study, until: int) -> None:
    """Remember up to which answer exposure was learned."""
    study.connection.execute(update(studies).values(exposed_until=until))


def list_answered(study: Study, *, after: int, until: int) -> Iterator[ShownTask]:
    """The tasks that answers of some numbers are to, some at a time; those of people who were erased are left out."""
    text = cast(responses.c.answer, String)
    query = (
        select(
            responses.c.annotator_id,
            tasks.c.campaign_id,
            tasks.c.role,
            TASK_TEXT,
            text,
            assignments.c.leased_at,
            responses.c.received_at,
        )
        .join(tasks, tasks.c.id == responses.c.task_id)
        .join(assignments, _IS_SAME)
        .join(annotators, annotators.c.id == responses.c.annotator_id)
        .where(responses.c.id > after, responses.c.id <= until, _is_there())
        .order_by(responses.c.id)
    )
    for rows in study.connection.execute(query).partitions(CHUNK):
        yield from map(_make, rows)


def list_only_given(study: Study) -> Iterator[ShownTask]:
    """The tasks that were given and never answered: pages fetch images ahead, and nothing says whether they were seen."""
    was_answered = select(responses.c.id).where(_IS_SAME).exists()
    query = (
        select(
            assignments.c.annotator_id,
            tasks.c.campaign_id,
            tasks.c.role,
            TASK_TEXT,
            func.coalesce(None, ""),
            assignments.c.leased_at,
            assignments.c.leased_at,
        )
        .join(tasks, tasks.c.id == assignments.c.task_id)
        .join(annotators, annotators.c.id == assignments.c.annotator_id)
        .where(~was_answered, _is_there())
    )
    for rows in study.connection.execute(query).partitions(CHUNK):
        yield from map(_make, rows)


def list_asked(study: Study) -> Iterator[ShownTask]:
    """The questions of quizzes that people were asked, and the examples of these campaigns, which came first."""
    columns = (attempts.c.annotator_id, attempts.c.campaign_id, attempts.c.questions, attempts.c.began_at)
    join = attempts.join(annotators, annotators.c.id == attempts.c.annotator_id)
    for annotator_id, campaign_id, questions, began_at in study.connection.execute(
        select(*columns).select_from(join).where(_is_there())
    ).all():
        asked = {question["task_id"] for question in questions}
        is_example = and_(tasks.c.campaign_id == campaign_id, tasks.c.role == TaskRole.EXAMPLE.value)
        for is_wanted in (tasks.c.id.in_(asked), is_example):
            query = select(tasks.c.role, TASK_TEXT).where(is_wanted)
            for role, payload in study.connection.execute(query):
                task = parse_task(payload)
                yield ShownTask(annotator_id, campaign_id, TaskRole(role), task, None, began_at, began_at)


def _is_there() -> ColumnElement[bool]:
    return annotators.c.erased_at.is_(None)


def _make(row: Row[Any]) -> ShownTask:
    annotator_id, campaign_id, role, payload, answer, first_at, last_at = tuple(row)
    # Of very many answers few say so, and the others need not be taken apart.
    said = json.loads(answer) if NOT_SHOWN in answer else None
    return ShownTask(annotator_id, campaign_id, TaskRole(role), parse_task(payload), said, first_at, last_at)
