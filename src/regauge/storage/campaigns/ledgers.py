"""What a ledger of a campaign is filled from: tasks and answers as columns, from a number on ← rows.

Writers come one at a time, so numbers are committed in their order: whoever has read up to one has missed none below it. When
answers are erased, SQLite may give their numbers to others later; the generation of their campaign has grown then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import BindParameter, ColumnElement, Row, Select, String, and_, bindparam, cast, func, select

from regauge.arrays import IdArray
from regauge.records.campaigns.campaign import (
    AnnotatorEntry,
    CampaignEntry,
    CampaignState,
    Decision,
    ResponseStatus,
    TaskRole,
)
from regauge.records.campaigns.discussions import CHAIRS
from regauge.records.campaigns.terms import Terms, parse_terms
from regauge.records.campaigns.times import code_flags
from regauge.records.responses.ledgers import AS_PLANNED, CODE_OF, NO_SOURCE, AnswerColumns
from regauge.storage.campaigns.campaign import has_answer, is_leased, is_work, was_shown
from regauge.storage.campaigns.decisions import list_decisions
from regauge.storage.campaigns.payloads import TASK_TEXT
from regauge.storage.database.batches import is_among
from regauge.storage.database.schema import (
    annotators,
    assignments,
    campaign_images,
    campaigns,
    decisions,
    image_failures,
    images,
    responses,
    tasks,
    test_sets,
)
from regauge.storage.discussions.entries import came_in_time
from regauge.storage.people.annotators import list_annotators
from regauge.storage.study import Study

CHUNK = 20_000
"""Answers that are turned into columns at a time, so that a million of them need not lie in memory as texts."""
N_TIMED_TASKS = 1_000
_MOMENT_LENGTH = 23
_ANSWER = (
    *(responses.c[name] for name in ("id", "task_id", "annotator_id", "status", "revision", "received_at")),
    *(responses.c[name] for name in ("seconds", "claimed_seconds", "shown_seconds", "time_flags")),
    cast(responses.c.answer, String),
)
_HAS_ROLE = tasks.c.role.in_((TaskRole.WORK.value, TaskRole.REPEAT.value))
_IS_SAME = and_(images.c.test_set_id == campaign_images.c.test_set_id, images.c.row == campaign_images.c.row)
"""Whether a row of a test set is an image of a campaign."""
_CODES = {status.value: code for status, code in CODE_OF.items()}


class LedgerState(NamedTuple):
    """What of a campaign changes while it runs, and how far the tables have grown.

    Attributes:
        state: whether people can work on it.
        opened_at: since when; None before.
        terms: pay and the like.
        generation: grows with every change of what answers are good for.
        last_response: the number of the last answer to any campaign; 0 before the first.
        last_task: the number of the last task of any campaign.
        last_decision: the number of the last decision about annotators of this campaign; 0 before the first.
        epoch: the generations of all campaigns together.
        first_failed: the number of the first annotator for whom an image of the campaign was not shown; 0 where there is none.
    """

    state: CampaignState
    opened_at: str | None
    terms: Terms
    generation: int
    last_response: int
    last_task: int
    last_decision: int
    epoch: int
    first_failed: int


class TaskTexts(NamedTuple):
    """Tasks as they are stored: numbers, which task each repeats, how many answer it, and what they show."""

    ids: Sequence[int]
    sources: Sequence[int]
    wanted: Sequence[int]
    texts: Sequence[str]


def _select_standing() -> Select[Any]:
    campaign: BindParameter[int] = bindparam("campaign")
    last_decision = select(func.max(decisions.c.id)).where(decisions.c.campaign_id == campaign)
    epoch = select(func.sum(campaigns.alias("others").c.generation))
    failed = select(func.min(image_failures.c.annotator_id)).where(image_failures.c.campaign_id == campaign)
    numbers = (select(func.max(responses.c.id)), select(func.max(tasks.c.id)), last_decision, epoch, failed)
    return select(
        *(campaigns.c[name] for name in ("state", "opened_at", "terms", "generation")),
        *(func.coalesce(one.scalar_subquery(), 0) for one in numbers),
    ).where(campaigns.c.id == campaign)


_STANDING = _select_standing()
"""Every page that is open asks this every few seconds: to put it together takes longer than to answer it."""


def find_standing(study: Study, campaign: CampaignEntry) -> LedgerState:
    """Where a campaign stands at this moment, without counting anything."""
    state, opened_at, terms, *numbers = study.connection.execute(_STANDING, {"campaign": campaign.id}).one()
    return LedgerState(CampaignState(state), opened_at, parse_terms(terms), *numbers)


def load_task_texts(study: Study, campaign: CampaignEntry, *, after: int = 0) -> TaskTexts:
    """The tasks above a number that people answer, hidden repeats among them, in the order of their numbers."""
    source, wanted = func.coalesce(tasks.c.source_id, NO_SOURCE), func.coalesce(tasks.c.n_wanted, AS_PLANNED)
    is_mine = _is_asked(campaign) if not after else and_(_is_mine(campaign), _HAS_ROLE)
    query = select(tasks.c.id, source, wanted, TASK_TEXT).where(is_mine, tasks.c.id > after).order_by(tasks.c.id)
    rows = study.connection.execute(query).all()
    return TaskTexts(*zip(*rows, strict=True)) if rows else TaskTexts((), (), (), ())


def load_answer_texts(study: Study, ids: Sequence[int]) -> tuple[str, ...]:
    """What the answers of some numbers say, as they are stored, in the order of the numbers."""
    found: dict[int, str] = {}
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        query = select(responses.c.id, cast(responses.c.answer, String)).where(responses.c.id.in_(part))
        found |= {row[0]: row[1] for row in study.connection.execute(query)}
    return tuple(found[one] for one in ids)


def find_shown_ids(study: Study, ids: Sequence[int]) -> dict[int, str]:
    """Under which id the task of each answer was shown to whoever answered it, by the number of the answer."""
    if not ids:
        return {}
    query = select(responses.c.id, responses.c.assignment_id).where(is_among(study, responses.c.id, ids))
    return {row.id: row.assignment_id for row in study.connection.execute(query)}


def load_answer_columns(study: Study, campaign: CampaignEntry, *, after: int = 0) -> Iterator[AnswerColumns]:
    """The answers above a number, in the order in which they came, some at a time.

    Above a number that is not 0 those to other campaigns are among them: to leave them out, a database may go through all the
    tasks of the campaign for a handful of answers.
    """
    query = _select_answers(campaign)
    if after:
        query = _leave_out_late(campaign, select(*_ANSWER).where(responses.c.id > after, was_shown()))
    for rows in study.connection.execute(query.order_by(responses.c.id)).partitions(CHUNK):
        yield _make_columns(rows)


def load_answers_to(study: Study, campaign: CampaignEntry, task_ids: Sequence[int]) -> Iterator[AnswerColumns]:
    """All answers to some tasks, in the order in which they came."""
    rows: list[Row[Any]] = []
    for start in range(0, len(task_ids), 500):
        wanted = responses.c.task_id.in_(task_ids[start : start + 500])
        rows.extend(study.connection.execute(_select_answers(campaign).where(wanted)))
    if rows:
        yield _make_columns(sorted(rows, key=lambda row: int(row[0])))


def count_leased(study: Study, campaign: CampaignEntry) -> int:
    """How many tasks people are at: given out for a time that has not ended, and not answered."""
    query = (
        select(func.count())
        .select_from(assignments.join(tasks, tasks.c.id == assignments.c.task_id))
        .where(_is_mine(campaign), is_work(), is_leased(study, campaign), ~has_answer())
    )
    return study.connection.scalar(query) or 0


def find_decided(study: Study, campaign: CampaignEntry, *, after: int) -> frozenset[int]:
    """Whom decisions above a number are about."""
    mine = (decisions.c.campaign_id == campaign.id, decisions.c.id > after)
    return frozenset(study.connection.scalars(select(decisions.c.annotator_id).where(*mine)))


def count_decisions(study: Study, campaign: CampaignEntry, *, after: int) -> int:
    """How many decisions above a number there are."""
    mine = (decisions.c.campaign_id == campaign.id, decisions.c.id > after)
    return study.connection.scalar(select(func.count()).select_from(decisions).where(*mine)) or 0


def load_people(study: Study, campaign: CampaignEntry) -> tuple[dict[int, AnnotatorEntry], dict[str, Decision]]:
    """Everybody by number, and the last decision about each by name."""
    people = {entry.id: entry for entry in list_annotators(study)}
    return people, {decision.annotator: decision for decision in list_decisions(study, campaign)}


def find_names(study: Study, annotator_ids: Iterable[int]) -> dict[int, str]:
    """What some annotators are called, by number."""
    query = select(annotators.c.id, annotators.c.name).where(annotators.c.id.in_(set(annotator_ids)))
    return {row.id: row.name for row in study.connection.execute(query)}


def load_names(study: Study) -> dict[int, str]:
    """What everybody is called, by number."""
    return {row.id: row.name for row in study.connection.execute(select(annotators.c.id, annotators.c.name))}


class CampaignImageRow(NamedTuple):
    """An image of a campaign: its number there, its id, test set and row, and the class that the test set gives it."""

    number: int
    image_id: str
    test_set: str
    row: int
    label: int


def find_images(study: Study, campaign: CampaignEntry, *, numbers: Sequence[int]) -> dict[int, CampaignImageRow]:
    """Images of a campaign by their numbers."""
    found = study.connection.execute(_select_images(campaign).where(campaign_images.c.number.in_(numbers)))
    return {row.number: CampaignImageRow(*row) for row in found}


def load_image_ids(study: Study, campaign: CampaignEntry) -> IdArray:
    """Per number of an image of a campaign, its id."""
    mine = campaign_images.c.campaign_id == campaign.id
    query = select(images.c.image_id).select_from(campaign_images.join(images, _IS_SAME)).where(mine)
    return np.array(study.connection.scalars(query.order_by(campaign_images.c.number)).all(), np.str_)


def list_labelled(study: Study, campaign: CampaignEntry, labels: Sequence[int]) -> list[int]:
    """The numbers of the images of a campaign that have one of some dataset labels."""
    mine = (campaign_images.c.campaign_id == campaign.id, is_among(study, images.c.label, labels))
    query = select(campaign_images.c.number).select_from(campaign_images.join(images, _IS_SAME)).where(*mine)
    return list(study.connection.scalars(query))


def load_image_keys(study: Study, campaign: CampaignEntry) -> tuple[tuple[str, str], ...]:
    """Per number of an image of a campaign, its id and its SHA-256, empty where that is not known."""
    mine = campaign_images.c.campaign_id == campaign.id
    query = select(images.c.image_id, images.c.sha256).select_from(campaign_images.join(images, _IS_SAME)).where(mine)
    rows = study.connection.execute(query.order_by(campaign_images.c.number))
    return tuple((image_id, sha256 or "") for image_id, sha256 in rows)


def find_images_called(study: Study, campaign: CampaignEntry, image_id: str) -> tuple[CampaignImageRow, ...]:
    """Images of a campaign by their id; several where test sets share it, none where it is unknown."""
    found = study.connection.execute(_select_images(campaign).where(images.c.image_id == image_id))
    return tuple(CampaignImageRow(*row) for row in found)


def list_seconds(study: Study, campaign: CampaignEntry) -> list[float]:
    """How long answers to the first tasks of a campaign took, without those of people who were dropped.

    Some thousand tasks tell as much as all of them, and are found at once in a campaign of a million answers.
    """
    is_first = and_(tasks.c.campaign_id == campaign.id, is_work(), tasks.c.position < N_TIMED_TASKS)
    is_timed = and_(responses.c.seconds.is_not(None), responses.c.revision == 0)
    is_valid = and_(is_timed, was_shown(), responses.c.status != ResponseStatus.DROPPED.value)
    query = select(responses.c.seconds).join(tasks, tasks.c.id == responses.c.task_id).where(is_first, is_valid)
    return list(study.connection.scalars(query))


def _is_mine(campaign: CampaignEntry) -> ColumnElement[bool]:
    """Whether a task is of a campaign, where few rows are in question.

    A sum is looked up in no index: a database begins with those few rows, and not with all tasks of the campaign.
    """
    return tasks.c.campaign_id + 0 == campaign.id


def _is_asked(campaign: CampaignEntry) -> ColumnElement[bool]:
    return and_(tasks.c.campaign_id == campaign.id, _HAS_ROLE)


def _select_images(campaign: CampaignEntry) -> Select[Any]:
    return (
        select(campaign_images.c.number, images.c.image_id, test_sets.c.name, images.c.row, images.c.label)
        .join(images, _IS_SAME)
        .join(test_sets, test_sets.c.id == images.c.test_set_id)
        .where(campaign_images.c.campaign_id == campaign.id)
        .order_by(campaign_images.c.number)
    )


def _select_answers(campaign: CampaignEntry) -> Select[Any]:
    query = select(*_ANSWER).join(tasks, tasks.c.id == responses.c.task_id).where(_is_asked(campaign), was_shown())
    return _leave_out_late(campaign, query)


def _leave_out_late(campaign: CampaignEntry, query: Select[Any]) -> Select[Any]:
    """Without answers of a discussion that came after their item was locked; of other campaigns, all."""
    return query.where(came_in_time()) if CHAIRS in campaign.plan.settings else query


def _make_columns(rows: Iterable[Row[Any]]) -> AnswerColumns:
    ids, task_ids, annotator_ids, statuses, revisions, received, *times, flags, texts = zip(*rows, strict=True)
    seconds, claimed, shown = (np.array([np.nan if one is None else one for one in own], np.float64) for own in times)
    return AnswerColumns(
        ids=np.array(ids, np.int64),
        tasks=np.array(task_ids, np.int64),
        annotators=np.array(annotator_ids, np.int64),
        statuses=np.array([_CODES[status] for status in statuses], np.uint8),
        revisions=np.array(revisions, np.int32),
        received=np.array([at[:_MOMENT_LENGTH] for at in received], "datetime64[ms]").astype(np.int64),
        seconds=seconds,
        claimed=claimed,
        texts=texts,
        shown_seconds=shown,
        time_flags=np.array([0 if one is None else code_flags(one) for one in flags], np.uint8),
    )
