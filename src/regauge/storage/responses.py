"""Answers ↔ rows; only ever added to.

Many answers are stored by a handful of statements, whatever their number: that is what makes one sync to disk per batch pay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, select

from regauge.errors import InputError
from regauge.records.campaigns import (
    NOT_YOURS,
    AssignmentId,
    CampaignEntry,
    Kind,
    NewAnswer,
    Payload,
    Receipt,
    ResponseStatus,
    StoredResponse,
    TaskRole,
)
from regauge.storage.batches import fetch_rows, insert_rows, pad
from regauge.storage.campaigns import is_work
from regauge.storage.decisions import is_dropped
from regauge.storage.payloads import TASK_TEXT, parse_task
from regauge.storage.schema import annotators, assignments, campaigns, responses, tasks
from regauge.storage.study import Study

Parse = Callable[[Kind, Payload, Payload], Payload]
"""From the kind, the task and an answer to the answer in its canonical form; raises InputError."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What an answer must know of its assignment."""

    assignment_id: AssignmentId
    annotator_id: int
    task_id: int
    payload: Payload
    kind: Kind
    n_annotators: int
    role: TaskRole
    is_dropped: bool
    is_erased: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """What is known before a batch is stored; kept up to date while it is decided on.

    Attributes:
        given: the assignments that are answered.
        known: the answers that are there already, by assignment and the id that the page made.
        counted: per task, who has an answer that counts.
        status_of: per assignment that has answers, what they are good for.
    """

    given: dict[AssignmentId, _Given]
    known: set[tuple[AssignmentId, str]]
    counted: dict[int, set[int]]
    status_of: dict[AssignmentId, ResponseStatus]


def insert_answers(study: Study, answers: Sequence[NewAnswer], *, parse: Parse) -> tuple[Receipt, ...]:
    """Store answers, each exactly once however often it comes, and say what became of each.

    An answer counts while its task has room; after that it is stored as surplus. Answers of somebody who was dropped, and to a
    hidden repeat, are stored as what they are. A revision has the status of what it revises.
    An answer that cannot be taken is refused with a reason, and the others are stored all the same.
    """
    batch = _load_batch(study, answers)
    now = study.around.now()
    rows: list[dict[str, Any]] = []
    receipts = [_decide(batch, answer, parse, rows, now) for answer in answers]
    insert_rows(study, responses, rows)
    return tuple(receipts)


def list_responses(study: Study, campaign: CampaignEntry) -> Iterator[StoredResponse]:
    """Every answer to the campaign in the order in which they came, revisions included."""
    query = _select_responses().where(tasks.c.campaign_id == campaign.id, is_work()).order_by(responses.c.id)
    for row in study.connection.execute(query).mappings():
        yield _make_response(dict(row))


def list_recent_responses(study: Study, *, limit: int) -> tuple[tuple[str, StoredResponse], ...]:
    """The last answers to any campaign, the newest first, each with the name of its campaign."""
    query = (
        _select_responses()
        .add_columns(campaigns.c.name.label("campaign"))
        .join(campaigns, campaigns.c.id == tasks.c.campaign_id)
        .order_by(responses.c.id.desc())
        .limit(limit)
    )
    found = [dict(row) for row in study.connection.execute(query).mappings()]
    return tuple((row.pop("campaign"), _make_response(row)) for row in found)


def _select_responses() -> Select[Any]:
    return (
        select(
            responses.c.id,
            responses.c.client_id,
            responses.c.task_id,
            annotators.c.name.label("annotator"),
            responses.c.answer,
            responses.c.seconds,
            responses.c.revision,
            responses.c.status,
            responses.c.received_at,
        )
        .join(tasks, tasks.c.id == responses.c.task_id)
        .join(annotators, annotators.c.id == responses.c.annotator_id)
    )


def _make_response(row: Mapping[str, Any]) -> StoredResponse:
    return StoredResponse(**{**row, "status": ResponseStatus(row["status"])})


_SELECT_GIVEN = (
    select(
        assignments.c.id,
        assignments.c.annotator_id,
        assignments.c.task_id,
        TASK_TEXT,
        campaigns.c.kind,
        campaigns.c.n_annotators,
        tasks.c.role,
        is_dropped(campaigns.c.id, assignments.c.annotator_id).label("is_dropped"),
        annotators.c.erased_at.is_not(None).label("is_erased"),
    )
    .join(tasks, tasks.c.id == assignments.c.task_id)
    .join(campaigns, campaigns.c.id == tasks.c.campaign_id)
    .join(annotators, annotators.c.id == assignments.c.annotator_id)
    .where(assignments.c.id.in_(bindparam("ids", expanding=True)))
)
_SELECT_KNOWN = select(
    responses.c.assignment_id,
    responses.c.client_id,
    responses.c.task_id,
    responses.c.annotator_id,
    responses.c.status,
).where(responses.c.task_id.in_(bindparam("ids", expanding=True)))


def _load_batch(study: Study, answers: Sequence[NewAnswer]) -> _Batch:
    ids = {answer.assignment_id for answer in answers}
    given = {row[0]: _make_given(row) for row in fetch_rows(study, _SELECT_GIVEN, {"ids": pad(ids)})}
    wanted = {one.task_id for one in given.values()}
    batch = _Batch(given, set(), {task_id: set() for task_id in wanted}, {})
    for assignment_id, client_id, task_id, annotator_id, status in fetch_rows(
        study, _SELECT_KNOWN, {"ids": pad(wanted)}
    ):
        batch.known.add((assignment_id, client_id))
        batch.status_of[assignment_id] = ResponseStatus(status)
        if status == ResponseStatus.COUNTED:
            batch.counted[task_id].add(annotator_id)
    return batch


def _make_given(row: Sequence[Any]) -> _Given:
    assignment_id, annotator_id, task_id, payload, kind, n_annotators, role, is_out, is_erased = row
    return _Given(
        assignment_id,
        annotator_id,
        task_id,
        parse_task(payload),
        Kind(kind),
        n_annotators,
        TaskRole(role),
        bool(is_out),
        bool(is_erased),
    )


def _decide(batch: _Batch, answer: NewAnswer, parse: Parse, rows: list[dict[str, Any]], now: str) -> Receipt:
    given = batch.given.get(answer.assignment_id)
    if given is None or given.annotator_id != answer.annotator_id:
        return Receipt(answer.client_id, None, NOT_YOURS)
    if given.is_erased:
        # A page that was open when they were erased may send what it still has.
        return Receipt(answer.client_id, None, "You were erased from this study, so nothing more is stored.")
    if (given.assignment_id, answer.client_id) in batch.known:
        return Receipt(answer.client_id, batch.status_of[given.assignment_id])
    try:
        parsed = parse(given.kind, given.payload, answer.answer)
    except InputError as error:
        return Receipt(answer.client_id, None, str(error))
    status = batch.status_of.get(given.assignment_id) or _find_room(batch, given)
    batch.status_of[given.assignment_id] = status
    batch.known.add((given.assignment_id, answer.client_id))
    rows.append(_make_row(answer, given, parsed, status, now))
    return Receipt(answer.client_id, status)


def _find_room(batch: _Batch, given: _Given) -> ResponseStatus:
    if given.role is TaskRole.REPEAT:
        return ResponseStatus.REPEAT
    if given.is_dropped:
        return ResponseStatus.DROPPED
    counted = batch.counted[given.task_id]
    if len(counted) >= given.n_annotators:
        return ResponseStatus.SURPLUS
    counted.add(given.annotator_id)
    return ResponseStatus.COUNTED


def _make_row(answer: NewAnswer, given: _Given, parsed: Payload, status: ResponseStatus, now: str) -> dict[str, Any]:
    return {
        "client_id": answer.client_id,
        "assignment_id": given.assignment_id,
        "task_id": given.task_id,
        "annotator_id": given.annotator_id,
        "answer": dict(parsed),
        "seconds": answer.seconds,
        "revision": answer.revision,
        "status": status.value,
        "received_at": now,
    }
