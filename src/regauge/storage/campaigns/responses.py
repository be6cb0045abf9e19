"""Answers ↔ rows; only ever added to.

Many answers are stored by a handful of statements, whatever their number: that is what makes one sync to disk per batch pay.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    FromClause,
    ScalarSelect,
    Select,
    String,
    bindparam,
    cast,
    func,
    select,
)

from regauge.records.campaigns.campaign import (
    AssignmentId,
    CampaignEntry,
    Kind,
    NewAnswer,
    Payload,
    ResponseStatus,
    StoredResponse,
    TaskRole,
)
from regauge.records.campaigns.discussions import DISCUSSED
from regauge.records.campaigns.times import write_flags
from regauge.records.responses.submissions import (
    MAX_REVISIONS,
    AnswerContent,
    AnswerContext,
    AnsweredAssignment,
    AnswerTime,
    Intake,
    TakenAnswer,
)
from regauge.storage.campaigns.campaign import has_answer, is_answer_to
from regauge.storage.campaigns.credits import FREE_TEXT, parse_free_time, save_free_times
from regauge.storage.campaigns.decisions import is_dropped
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.batches import fetch_rows, insert_rows
from regauge.storage.database.schema import annotators, assignments, campaigns, free_times, responses, tasks
from regauge.storage.discussions.entries import find_discussed
from regauge.storage.moments import parse_moment
from regauge.storage.study import Study


def load_answer_context(study: Study, answers: Sequence[NewAnswer]) -> AnswerContext:
    """What must be known of answers to decide what becomes of them."""
    rows = fetch_rows(study, _SELECT_GIVEN, {"ids": {answer.assignment_id for answer in answers}})
    given = {row[0]: _make_given(row) for row in rows}
    answered = _fetch(study, _SELECT_ANSWERED, [row[0] for row in rows if row[10]])
    status_of = {one: ResponseStatus(status) for one, status, _ in answered}
    n_rows = dict.fromkeys(given, 0) | {one: n for one, _, n in answered}
    unanswered = {one.task_id for one in given.values() if one.assignment_id not in status_of}
    revised = [one for one in status_of if n_rows[one] <= MAX_REVISIONS]
    now = study.around.now()
    return AnswerContext(
        now=now,
        moment=parse_moment(now),
        given=given,
        known=_load_known(study, [answer for answer in answers if answer.assignment_id in status_of]),
        status_of=status_of,
        n_rows=n_rows,
        times={one: AnswerTime(*found) for one, *found in _fetch(study, _SELECT_TIMES, revised)},
        n_counted=dict.fromkeys(unanswered, 0) | {row[0]: row[1] for row in _fetch(study, _SELECT_COUNTED, unanswered)},
        free={row[1]: parse_free_time(row[11]) for row in rows},
        discussed=find_discussed(study, [one for one in given.values() if one.payload.get(DISCUSSED)]),
    )


def insert_answers(study: Study, intake: Intake) -> None:
    """Store the answers that are taken, and what is left of people's free time."""
    insert_rows(study, responses, [_make_row(one, intake.received_at) for one in intake.taken])
    save_free_times(study, intake.free)


def list_recent_responses(
    study: Study, *, limit: int, without: Collection[str] = ()
) -> tuple[tuple[str, StoredResponse], ...]:
    """The last answers to any campaign but some, the newest first, each with the name of its campaign."""
    query = (
        select(
            campaigns.c.name.label("campaign"),
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
        .select_from(responses)
        .join(tasks, tasks.c.id == responses.c.task_id)
        .join(campaigns, campaigns.c.id == tasks.c.campaign_id)
        .join(annotators, annotators.c.id == responses.c.annotator_id)
        .order_by(responses.c.id.desc())
        .limit(limit)
    )
    if without:
        query = query.where(campaigns.c.name.not_in(without))
    found = [dict(row) for row in study.connection.execute(query).mappings()]
    return tuple((row.pop("campaign"), _make_response(row)) for row in found)


def list_votes(study: Study, campaign: CampaignEntry, *, positions: Sequence[int], but: int) -> tuple[Payload, ...]:
    """The answers that count to tasks at some positions, in their last revision and in an order that tells nobody's.

    Args:
        study: the study.
        campaign: which campaign.
        positions: of the tasks; where there are none, no table is looked at.
        but: whose own answers are left out.
    """
    if not positions:
        return ()
    query = (
        select(responses.c.task_id, responses.c.annotator_id, responses.c.answer)
        .join(tasks, tasks.c.id == responses.c.task_id)
        .where(
            tasks.c.campaign_id == campaign.id,
            tasks.c.position.in_(positions),
            responses.c.status == ResponseStatus.COUNTED.value,
            responses.c.annotator_id != but,
        )
        .order_by(responses.c.revision, responses.c.id)
    )
    last = {(row.task_id, row.annotator_id): row.answer for row in study.connection.execute(query)}
    return tuple(sorted(last.values(), key=lambda answer: json.dumps(answer, sort_keys=True)))


def _make_response(row: Mapping[str, Any]) -> StoredResponse:
    return StoredResponse(**{**row, "status": ResponseStatus(row["status"])})


def _find_status(given: FromClause) -> ScalarSelect[Any]:
    """What the answers to an assignment are good for; all of them are good for the same."""
    return select(responses.c.status).where(is_answer_to(given)).limit(1).scalar_subquery()


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_SOME_ROWS = select(responses.c.id).where(is_answer_to()).limit(MAX_REVISIONS + 1).correlate(assignments).subquery()
_SELECT_GIVEN = (
    select(
        assignments.c.id,
        assignments.c.annotator_id,
        assignments.c.task_id,
        TASK_TEXT,
        campaigns.c.kind,
        func.coalesce(tasks.c.n_wanted, campaigns.c.n_annotators).label("n_annotators"),
        tasks.c.role,
        assignments.c.leased_at,
        is_dropped(campaigns.c.id, assignments.c.annotator_id).label("is_dropped"),
        annotators.c.erased_at.is_not(None).label("is_erased"),
        has_answer().label("is_answered"),
        FREE_TEXT,
        assignments.c.shown_at,
    )
    .join(tasks, tasks.c.id == assignments.c.task_id)
    .join(campaigns, campaigns.c.id == tasks.c.campaign_id)
    .join(annotators, annotators.c.id == assignments.c.annotator_id)
    .outerjoin(free_times, free_times.c.annotator_id == assignments.c.annotator_id)
    .where(assignments.c.id.in_(_IDS))
)
_SELECT_ANSWERED = select(
    assignments.c.id,
    _find_status(assignments).label("status"),
    select(func.count()).select_from(_SOME_ROWS).correlate(assignments).scalar_subquery().label("n_rows"),
).where(assignments.c.id.in_(_IDS))
_others = assignments.alias("others")
_SELECT_COUNTED = (
    select(_others.c.task_id, func.count())
    .where(_others.c.task_id.in_(_IDS), _find_status(_others) == ResponseStatus.COUNTED.value)
    .group_by(_others.c.task_id)
)
_SELECT_TIMES = (
    select(assignments.c.id, func.max(responses.c.claimed_seconds), func.max(responses.c.seconds))
    .join(responses, is_answer_to())
    .where(assignments.c.id.in_(_IDS), responses.c.claimed_seconds.is_not(None))
    .group_by(assignments.c.id)
)
_SELECT_KNOWN = (
    select(
        assignments.c.id,
        responses.c.client_id,
        cast(responses.c.answer, String),
        responses.c.claimed_seconds,
        responses.c.revision,
    )
    .join(responses, is_answer_to())
    .where(assignments.c.id.in_(_IDS), responses.c.client_id.in_(bindparam("client_ids", expanding=True)))
)


def _fetch(study: Study, query: Select[Any], ids: Collection[Any]) -> Sequence[Sequence[Any]]:
    return fetch_rows(study, query, {"ids": ids}) if ids else ()


def _load_known(study: Study, answers: Sequence[NewAnswer]) -> dict[tuple[AssignmentId, str], AnswerContent]:
    if not answers:
        return {}
    ids, client_ids = {one.assignment_id for one in answers}, {one.client_id for one in answers}
    rows = fetch_rows(study, _SELECT_KNOWN, {"ids": ids, "client_ids": client_ids})
    return {(row[0], row[1]): AnswerContent(json.loads(row[2]), row[3], row[4]) for row in rows}


def _make_given(row: Sequence[Any]) -> AnsweredAssignment:
    assignment_id, annotator_id, task_id, payload, kind, n_annotators, role, leased_at, is_out, is_erased, *_ = row
    shown_at = row[12]
    return AnsweredAssignment(
        assignment_id,
        annotator_id,
        task_id,
        parse_task(payload),
        Kind(kind),
        n_annotators,
        TaskRole(role),
        parse_moment(leased_at),
        bool(is_out),
        bool(is_erased),
        None if shown_at is None else parse_moment(shown_at),
    )


def _make_row(taken: TakenAnswer, received_at: str) -> dict[str, Any]:
    given, content = taken.given, taken.content
    return {
        "client_id": taken.client_id,
        "assignment_id": given.assignment_id,
        "task_id": given.task_id,
        "annotator_id": given.annotator_id,
        "answer": dict(content.answer),
        "seconds": taken.seconds,
        "revision": content.revision,
        "status": taken.status.value,
        "received_at": received_at,
        "claimed_seconds": content.claimed,
        "shown_seconds": None if taken.shown is None else taken.shown.seconds,
        "time_flags": None if taken.shown is None else write_flags(taken.shown.flags),
    }
