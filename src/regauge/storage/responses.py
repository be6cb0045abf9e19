"""Answers ↔ rows; only ever added to.

Many answers are stored by a handful of statements, whatever their number: that is what makes one sync to disk per batch pay.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    FromClause,
    ScalarSelect,
    Select,
    String,
    and_,
    bindparam,
    cast,
    func,
    select,
)

from regauge.errors import InputError
from regauge.records.campaigns import (
    NOT_SHOWN,
    NOT_YOURS,
    AssignmentId,
    FreeTime,
    Kind,
    NewAnswer,
    Payload,
    Receipt,
    ResponseStatus,
    StoredResponse,
    TaskRole,
    is_report,
)
from regauge.storage.answer_rules import Credit, Rules
from regauge.storage.batches import fetch_rows, insert_rows
from regauge.storage.credits import FREE_TEXT, parse_free_time, save_free_times
from regauge.storage.decisions import is_dropped
from regauge.storage.payloads import TASK_TEXT, parse_task
from regauge.storage.schema import annotators, assignments, campaigns, free_times, responses, tasks
from regauge.storage.study import Study

MAX_REVISIONS = 50
"""How often an answer can be changed."""
TOO_MANY = f"An answer can be changed {MAX_REVISIONS} times; what you sent before this holds."
OTHER_CONTENT = "An answer was stored under the same id before, and it says something else than this one."
REPORTED = "You have reported that this task could not be shown, so it was given to somebody else."
ANSWERED = "This task was answered before."


class _Given(NamedTuple):
    """What an answer must know of its assignment."""

    assignment_id: AssignmentId
    annotator_id: int
    task_id: int
    payload: Payload
    kind: Kind
    n_annotators: int
    role: TaskRole
    leased_at: int
    is_dropped: bool
    is_erased: bool


class _Time(NamedTuple):
    """Seconds of an answer: claimed, and credited."""

    claimed: float
    credited: float


_NO_TIME = _Time(0.0, 0.0)


class _Content(NamedTuple):
    """What an answer says."""

    answer: Payload
    claimed: float | None
    revision: int


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """What is known before a batch is stored; kept up to date while it is decided on.

    Only rows of the assignments that are answered are read, and of these as few as it takes: whoever changes an answer again and
    again must not slow others down.

    Attributes:
        now: when the answers are stored.
        moment: the same in milliseconds since 1970.
        given: the assignments that are answered.
        known: those of the answers that are there already, by assignment and the id that the page made.
        status_of: per assignment that has answers, what they are good for.
        n_rows: per assignment, how many answers it has; not more exactly than needed to see that these are too many.
        times: per assignment that has answers with times, the longest.
        n_counted: per task that is answered for the first time by somebody, how many people's answers to it count.
        free: per person, what of their time is not credited yet.
    """

    now: str
    moment: int
    given: dict[AssignmentId, _Given]
    known: dict[tuple[AssignmentId, str], _Content]
    status_of: dict[AssignmentId, ResponseStatus]
    n_rows: dict[AssignmentId, int]
    times: dict[AssignmentId, _Time]
    n_counted: dict[int, int]
    free: dict[int, FreeTime]


def insert_answers(study: Study, answers: Sequence[NewAnswer], *, rules: Rules) -> tuple[Receipt, ...]:
    """Store answers, each exactly once however often it comes, and say what became of each.

    An answer counts while its task has room; after that it is stored as surplus. Answers of somebody who was dropped, to a
    hidden repeat, and of those who were shown nothing that is asked are stored as what they are. A revision has the status of
    what it revises.
    An answer that cannot be taken is refused with a reason, and the others are stored all the same.
    """
    batch = _load_batch(study, answers)
    before = dict(batch.free)
    rows: list[dict[str, Any]] = []
    receipts = [_decide(batch, answer, rules, rows) for answer in answers]
    insert_rows(study, responses, rows)
    save_free_times(study, {who: free for who, free in batch.free.items() if free != before[who]})
    return tuple(receipts)


def list_recent_responses(study: Study, *, limit: int) -> tuple[tuple[str, StoredResponse], ...]:
    """The last answers to any campaign, the newest first, each with the name of its campaign."""
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
    found = [dict(row) for row in study.connection.execute(query).mappings()]
    return tuple((row.pop("campaign"), _make_response(row)) for row in found)


def _make_response(row: Mapping[str, Any]) -> StoredResponse:
    return StoredResponse(**{**row, "status": ResponseStatus(row["status"])})


def _is_to(given: FromClause) -> ColumnElement[bool]:
    """Whether a response is to an assignment: nobody is given a task twice, and this way there is an index."""
    return and_(responses.c.task_id == given.c.task_id, responses.c.annotator_id == given.c.annotator_id)


def _find_status(given: FromClause) -> ScalarSelect[Any]:
    """What the answers to an assignment are good for; all of them are good for the same."""
    return select(responses.c.status).where(_is_to(given)).limit(1).scalar_subquery()


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_SOME_ROWS = (
    select(responses.c.id).where(_is_to(assignments)).limit(MAX_REVISIONS + 1).correlate(assignments).subquery()
)
_SELECT_GIVEN = (
    select(
        assignments.c.id,
        assignments.c.annotator_id,
        assignments.c.task_id,
        TASK_TEXT,
        campaigns.c.kind,
        campaigns.c.n_annotators,
        tasks.c.role,
        assignments.c.leased_at,
        is_dropped(campaigns.c.id, assignments.c.annotator_id).label("is_dropped"),
        annotators.c.erased_at.is_not(None).label("is_erased"),
        select(responses.c.id).where(_is_to(assignments)).exists().label("is_answered"),
        FREE_TEXT,
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
    .join(responses, _is_to(assignments))
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
    .join(responses, _is_to(assignments))
    .where(assignments.c.id.in_(_IDS), responses.c.client_id.in_(bindparam("client_ids", expanding=True)))
)


def _load_batch(study: Study, answers: Sequence[NewAnswer]) -> _Batch:
    rows = fetch_rows(study, _SELECT_GIVEN, {"ids": {answer.assignment_id for answer in answers}})
    given = {row[0]: _make_given(row) for row in rows}
    answered = _fetch(study, _SELECT_ANSWERED, [row[0] for row in rows if row[10]])
    status_of = {one: ResponseStatus(status) for one, status, _ in answered}
    n_rows = dict.fromkeys(given, 0) | {one: n for one, _, n in answered}
    unanswered = {one.task_id for one in given.values() if one.assignment_id not in status_of}
    revised = [one for one in status_of if n_rows[one] <= MAX_REVISIONS]
    now = study.around.now()
    return _Batch(
        now=now,
        moment=_parse_moment(now),
        given=given,
        known=_load_known(study, [answer for answer in answers if answer.assignment_id in status_of]),
        status_of=status_of,
        n_rows=n_rows,
        times={one: _Time(*found) for one, *found in _fetch(study, _SELECT_TIMES, revised)},
        n_counted=dict.fromkeys(unanswered, 0) | {row[0]: row[1] for row in _fetch(study, _SELECT_COUNTED, unanswered)},
        free={row[1]: parse_free_time(row[11]) for row in rows},
    )


def _fetch(study: Study, query: Select[Any], ids: Collection[Any]) -> Sequence[Sequence[Any]]:
    return fetch_rows(study, query, {"ids": ids}) if ids else ()


def _load_known(study: Study, answers: Sequence[NewAnswer]) -> dict[tuple[AssignmentId, str], _Content]:
    if not answers:
        return {}
    ids, client_ids = {one.assignment_id for one in answers}, {one.client_id for one in answers}
    rows = fetch_rows(study, _SELECT_KNOWN, {"ids": ids, "client_ids": client_ids})
    return {(row[0], row[1]): _Content(json.loads(row[2]), row[3], row[4]) for row in rows}


def _make_given(row: Sequence[Any]) -> _Given:
    assignment_id, annotator_id, task_id, payload, kind, n_annotators, role, leased_at, is_out, is_erased, *_ = row
    return _Given(
        assignment_id,
        annotator_id,
        task_id,
        parse_task(payload),
        Kind(kind),
        n_annotators,
        TaskRole(role),
        _parse_moment(leased_at),
        bool(is_out),
        bool(is_erased),
    )


def _parse_moment(text: str) -> int:
    return round(1_000 * datetime.fromisoformat(text).timestamp())


def _decide(batch: _Batch, answer: NewAnswer, rules: Rules, rows: list[dict[str, Any]]) -> Receipt:
    given = batch.given.get(answer.assignment_id)
    if given is None or given.annotator_id != answer.annotator_id:
        return Receipt(answer.client_id, None, NOT_YOURS)
    if given.is_erased:
        # A page that was open when they were erased may send what it still has.
        return Receipt(answer.client_id, None, "You were erased from this study, so nothing more is stored.")
    try:
        content = _Content(rules.parse(given.kind, given.payload, answer.answer), answer.seconds, answer.revision)
    except InputError as error:
        return Receipt(answer.client_id, None, str(error))
    key = (given.assignment_id, answer.client_id)
    if key in batch.known:
        is_same = _is_same(batch.known[key], content)
        return Receipt(answer.client_id, batch.status_of[key[0]]) if is_same else Receipt(key[1], None, OTHER_CONTENT)
    is_change = given.assignment_id in batch.status_of
    refusal = _find_refusal(batch, given.assignment_id, content) or (is_change and rules.find_lock(given.payload))
    if refusal:
        return Receipt(answer.client_id, None, refusal)
    status = batch.status_of.get(given.assignment_id) or _find_status_of(batch, given, content, rules)
    batch.status_of[given.assignment_id] = status
    batch.known[key] = content
    batch.n_rows[given.assignment_id] += 1
    rows.append(_make_row(batch, given, answer.client_id, content, rules.credit))
    return Receipt(answer.client_id, status, is_new=True)


def _is_same(stored: _Content, sent: _Content) -> bool:
    """Whether two answers say the same; a later version of Regauge may write it down otherwise."""
    answers = [{key: value for key, value in one.answer.items() if key != "version"} for one in (stored, sent)]
    return answers[0] == answers[1] and stored.revision == sent.revision and _is_as_long(stored.claimed, sent.claimed)


def _is_as_long(stored: float | None, sent: float | None) -> bool:
    """Whether two times are the same; SQLite gives back fifteen digits of what it was given, and not all that there were."""
    if stored is None or sent is None:
        return stored is sent
    return math.isclose(stored, sent, rel_tol=1e-9, abs_tol=1e-9)


def _find_refusal(batch: _Batch, assignment_id: AssignmentId, content: _Content) -> str:
    """Why a further answer to an assignment is not taken; empty where it is."""
    if batch.n_rows[assignment_id] > MAX_REVISIONS:
        return TOO_MANY
    before = batch.status_of.get(assignment_id)
    if before is None or (before is ResponseStatus.NOT_SHOWN) is is_report(content.answer):
        return ""
    return REPORTED if before is ResponseStatus.NOT_SHOWN else ANSWERED


def _find_status_of(batch: _Batch, given: _Given, content: _Content, rules: Rules) -> ResponseStatus:
    """What a first answer is good for."""
    if is_report(content.answer):
        return ResponseStatus.NOT_SHOWN
    if given.role is TaskRole.REPEAT:
        return ResponseStatus.REPEAT
    if NOT_SHOWN in content.answer and rules.is_unseen(given.kind, given.payload, content.answer):
        return ResponseStatus.UNSEEN
    return _find_room(batch, given)


def _find_room(batch: _Batch, given: _Given) -> ResponseStatus:
    if given.is_dropped:
        return ResponseStatus.DROPPED
    if batch.n_counted[given.task_id] >= given.n_annotators:
        return ResponseStatus.SURPLUS
    batch.n_counted[given.task_id] += 1
    return ResponseStatus.COUNTED


def _find_seconds(batch: _Batch, given: _Given, claimed: float | None, credit: Credit) -> float | None:
    """The seconds that an answer is credited with; a revision claims those of the answer before it, too."""
    if claimed is None:
        return None
    earlier = batch.times.get(given.assignment_id, _NO_TIME)
    more = max(0.0, claimed - earlier.claimed)
    credited, free = credit(batch.free[given.annotator_id], more, leased_at=given.leased_at, now=batch.moment)
    batch.free[given.annotator_id] = free
    longest = _Time(max(claimed, earlier.claimed), earlier.credited + credited)
    batch.times[given.assignment_id] = longest
    return min(claimed, longest.credited)


def _make_row(batch: _Batch, given: _Given, client_id: str, content: _Content, credit: Credit) -> dict[str, Any]:
    return {
        "client_id": client_id,
        "assignment_id": given.assignment_id,
        "task_id": given.task_id,
        "annotator_id": given.annotator_id,
        "answer": dict(content.answer),
        "seconds": _find_seconds(batch, given, content.claimed, credit),
        "revision": content.revision,
        "status": batch.status_of[given.assignment_id].value,
        "received_at": batch.now,
        "claimed_seconds": content.claimed,
    }
