"""Campaigns and their tasks ↔ rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Row, Select, and_, func, insert, select, update

from regauge.errors import InputError
from regauge.records.campaigns.campaign import (
    CampaignEntry,
    CampaignImage,
    CampaignPlan,
    CampaignProgress,
    CampaignState,
    CampaignTexts,
    Kind,
    Payload,
    ResponseStatus,
    TaskRole,
)
from regauge.records.campaigns.terms import Terms, parse_terms
from regauge.records.names import check_new_names
from regauge.storage.database.schema import assignments, campaign_images, campaign_texts, campaigns, responses, tasks
from regauge.storage.study import Study

MAX_ID = 2**31 - 1
"""The largest number that a table counts up to."""
NO_CAMPAIGN = "There is no such campaign."
_TEXTS = [campaign_texts.c[name] for name in ("instructions", "consent", "version", "warning", "training")]
_MOMENT_OF = {CampaignState.OPEN: "opened_at", CampaignState.CLOSED: "closed_at"}


def insert_campaign(
    study: Study, plan: CampaignPlan, *, images: Sequence[CampaignImage], payloads: Iterable[Payload]
) -> CampaignEntry:
    """Store a campaign with its images and its tasks, in the order in which they are to be worked on.

    Raises:
        InputError: the study has a campaign of that name, or of one that looks like it.
    """
    check_campaign_name(study, plan.name)
    row = {
        "name": plan.name,
        "kind": str(plan.kind),
        "state": CampaignState.DRAFT.value,
        "n_annotators": plan.n_annotators,
        "lease_seconds": plan.lease_seconds,
        "settings": dict(plan.settings),
        "terms": plan.terms.to_json(),
        "created_at": study.around.now(),
    }
    new_id = study.connection.execute(insert(campaigns).returning(campaigns.c.id), row).scalar_one()
    insert_texts(study, new_id, plan.texts)
    study.connection.execute(
        insert(campaign_images),
        [
            {"campaign_id": new_id, "number": number, "test_set_id": image.test_set_id, "row": image.row}
            for number, image in enumerate(images)
        ],
    )
    study.connection.execute(
        insert(tasks),
        [
            {"campaign_id": new_id, "position": position, "payload": dict(payload)}
            for position, payload in enumerate(payloads)
        ],
    )
    return get_campaign(study, plan.name)


def check_campaign_name(study: Study, name: str) -> None:
    """Make sure that a new campaign can be called that.

    Raises:
        InputError: another campaign has that name or one that looks like it, or part of the name cannot be seen.
    """
    taken = study.connection.scalars(select(campaigns.c.name)).all()
    if name in taken:
        raise InputError(f"The study already has a campaign {name!r}; give the new one another name.")
    check_new_names([name], taken, what="A campaign")


def insert_texts(study: Study, campaign_id: int, texts: CampaignTexts) -> None:
    """Store a version of what annotators read first."""
    row = {
        "campaign_id": campaign_id,
        "version": texts.version,
        "instructions": texts.instructions,
        "consent": texts.consent,
        "warning": texts.warning,
        "training": texts.training,
        "created_at": study.around.now(),
    }
    study.connection.execute(insert(campaign_texts), row)


def set_state(study: Study, campaign: CampaignEntry, state: CampaignState) -> CampaignEntry:
    """Open or close a campaign."""
    moment = {_MOMENT_OF[state]: study.around.now()} if state in _MOMENT_OF else {}
    change = update(campaigns).where(campaigns.c.id == campaign.id).values(state=state.value, **moment)
    study.connection.execute(change)
    return get_campaign(study, campaign.name)


def list_campaigns(study: Study) -> tuple[CampaignEntry, ...]:
    """All campaigns, the oldest first."""
    return tuple(_make_entry(study, row) for row in study.connection.execute(_select_campaigns()))


def get_campaign(study: Study, name: str | int) -> CampaignEntry:
    """The campaign of that name or number.

    Raises:
        InputError: there is no such campaign.
    """
    if isinstance(name, int):
        return _get_by_number(study, name)
    row = study.connection.execute(_select_campaigns().where(campaigns.c.name == name)).one_or_none()
    if row is None:
        names = ", ".join(entry.name for entry in list_campaigns(study)) or "none yet"
        raise InputError(f"The study has no campaign {name!r}; it has: {names}.")
    return _make_entry(study, row)


def _get_by_number(study: Study, number: int) -> CampaignEntry:
    """By number, as pages ask; they do not learn what other campaigns there are."""
    query = _select_campaigns().where(campaigns.c.id == number)
    row = study.connection.execute(query).one_or_none() if 0 < number <= MAX_ID else None
    if row is None:
        raise InputError(NO_CAMPAIGN)
    return _make_entry(study, row)


def list_task_ids(study: Study, campaign: CampaignEntry) -> list[int]:
    """The numbers of all tasks, in the order in which they are worked on."""
    query = select(tasks.c.id).where(tasks.c.campaign_id == campaign.id, is_work()).order_by(tasks.c.position)
    return list(study.connection.scalars(query))


def find_task(study: Study, task_id: int) -> tuple[int, Payload] | None:
    """The campaign of a task and what it shows, or None."""
    row = study.connection.execute(
        select(tasks.c.campaign_id, tasks.c.payload).where(tasks.c.id == task_id)
    ).one_or_none()
    return None if row is None else (row.campaign_id, row.payload)


def get_shown(study: Study, task_id: int) -> Payload:
    """What a task shows, by a number that stands in another table."""
    return study.connection.execute(select(tasks.c.payload).where(tasks.c.id == task_id)).scalar_one()  # type: ignore[no-any-return]


def load_campaign_images(study: Study, campaign_id: int) -> tuple[CampaignImage, ...]:
    """The images that the tasks of a campaign show, by number."""
    columns = (campaign_images.c.test_set_id, campaign_images.c.row)
    query = select(*columns).where(campaign_images.c.campaign_id == campaign_id).order_by(campaign_images.c.number)
    return tuple(CampaignImage(*row) for row in study.connection.execute(query))


def measure_progress(study: Study, campaign: CampaignEntry) -> CampaignProgress:
    """How far the campaign is at this moment."""
    mine = and_(tasks.c.campaign_id == campaign.id, is_work())
    campaign = campaign.count_people(_count_people(study, campaign))
    n_counted, n_done = _count_answered(study, campaign)
    n_leased = study.connection.scalar(
        select(func.count())
        .select_from(assignments.join(tasks, tasks.c.id == assignments.c.task_id))
        .where(mine, is_leased(study, campaign), ~has_answer())
    )
    n_surplus, n_annotators = study.connection.execute(
        select(
            func.count(responses.c.assignment_id.distinct()).filter(responses.c.status == ResponseStatus.SURPLUS.value),
            func.count(responses.c.annotator_id.distinct()),
        )
        .select_from(responses.join(tasks, tasks.c.id == responses.c.task_id))
        .where(mine, was_shown())
    ).one()
    return CampaignProgress(
        n_tasks=campaign.n_tasks,
        n_done=n_done,
        n_needed=_count_needed(study, campaign),
        n_counted=n_counted,
        n_surplus=n_surplus,
        n_leased=n_leased or 0,
        n_annotators=n_annotators,
    )


def _count_people(study: Study, campaign: CampaignEntry) -> int:
    """How many people's answers count so far; only where everybody answers everything does it matter."""
    if not campaign.plan.is_for_everybody:
        return 0
    query = select(func.count(responses.c.annotator_id.distinct())).join(tasks, tasks.c.id == responses.c.task_id)
    is_counted = responses.c.status == ResponseStatus.COUNTED.value
    return study.connection.scalar(query.where(tasks.c.campaign_id == campaign.id, is_work(), is_counted)) or 0


def _count_answered(study: Study, campaign: CampaignEntry) -> tuple[int, int]:
    """How many answers count, and how many tasks have all theirs."""
    n = func.count(responses.c.annotator_id.distinct()).label("n")
    per_task = (
        select(responses.c.task_id, n)
        .join(tasks, tasks.c.id == responses.c.task_id)
        .where(tasks.c.campaign_id == campaign.id, is_work(), responses.c.status == ResponseStatus.COUNTED.value)
        .group_by(responses.c.task_id)
        .subquery()
    )
    # How many a task needs is asked once for each, not for each of its answers.
    is_done = per_task.c.n >= count_wanted(campaign)
    query = select(func.coalesce(func.sum(per_task.c.n), 0), func.count().filter(is_done)).select_from(
        per_task.join(tasks, tasks.c.id == per_task.c.task_id)
    )
    n_counted, n_done = study.connection.execute(query).one()
    return int(n_counted), n_done


def _count_needed(study: Study, campaign: CampaignEntry) -> int:
    """How many answers all tasks need together."""
    usual, mine = campaign.plan.n_annotators, and_(tasks.c.campaign_id == campaign.id, is_work())
    more = select(func.sum(tasks.c.n_wanted - usual)).where(mine, tasks.c.n_wanted.is_not(None))
    return campaign.n_tasks * usual + int(study.connection.scalar(more) or 0)


def set_terms(study: Study, campaign: CampaignEntry, terms: Terms) -> None:
    """Change the terms of a campaign."""
    study.connection.execute(update(campaigns).where(campaigns.c.id == campaign.id).values(terms=terms.to_json()))


def close_platforms(study: Study) -> int:
    """Let no campaign take people from Prolific or Mechanical Turk any more; returns how many did.

    What a row says is looked at as it is: it may be one that nobody has read yet.
    """
    n = 0
    for row in study.connection.execute(select(campaigns.c.id, campaigns.c.terms)).all():
        terms = row.terms if isinstance(row.terms, dict) else {}
        if terms.get("prolific") is not None or terms.get("mturk_tasks", 0) != 0:
            closed = {**terms, "prolific": None, "mturk_tasks": 0}
            study.connection.execute(update(campaigns).where(campaigns.c.id == row.id).values(terms=closed))
            n += 1
    return n


def set_settings(study: Study, campaign: CampaignEntry, settings: Mapping[str, Any]) -> None:
    """Change what is on record about how the tasks of a campaign were made."""
    study.connection.execute(update(campaigns).where(campaigns.c.id == campaign.id).values(settings=dict(settings)))


def count_up_generation(study: Study, campaign: CampaignEntry) -> None:
    """Make every process forget which tasks of the campaign have enough answers."""
    mine = campaigns.c.id == campaign.id
    study.connection.execute(update(campaigns).where(mine).values(generation=campaigns.c.generation + 1))


@cache
def is_work() -> ColumnElement[bool]:
    """Whether a task is one of those that the campaign is there for."""
    return tasks.c.role == TaskRole.WORK.value


def count_wanted(campaign: CampaignEntry) -> ColumnElement[int]:
    """How many people answer a task of the campaign."""
    return func.coalesce(tasks.c.n_wanted, campaign.plan.n_annotators)


@cache
def was_shown() -> ColumnElement[bool]:
    """Whether a response is an answer, and not a report that nothing of its task could be shown."""
    return responses.c.status != ResponseStatus.NOT_SHOWN.value


def is_answer_to(given: FromClause = assignments) -> ColumnElement[bool]:
    """Whether a response is to an assignment: nobody is given a task twice, and this way there is an index."""
    return and_(responses.c.task_id == given.c.task_id, responses.c.annotator_id == given.c.annotator_id)


@cache
def has_answer(given: FromClause = assignments) -> ColumnElement[bool]:
    """Whether there is a response to an assignment."""
    return select(responses.c.id).where(is_answer_to(given)).exists()


def is_leased(study: Study, campaign: CampaignEntry, given: FromClause = assignments) -> ColumnElement[bool]:
    """Whether an assignment keeps its task at this moment.

    A lease that ends much later than one that begins now was made while the clock was ahead. It has ended: else a clock that is
    wrong for a minute could keep tasks for years.
    """
    latest = study.around.now(after=timedelta(seconds=2 * campaign.plan.lease_seconds))
    return and_(given.c.expires_at > study.around.now(), given.c.expires_at <= latest)


@cache
def _select_campaigns() -> Select[Any]:
    is_mine = and_(tasks.c.campaign_id == campaigns.c.id, is_work())
    n_tasks = select(func.count()).select_from(tasks).where(is_mine).scalar_subquery()
    return select(campaigns, n_tasks.label("n_tasks")).order_by(campaigns.c.id)


def _make_entry(study: Study, row: Row[Any]) -> CampaignEntry:
    mine = campaign_texts.c.campaign_id == row.id
    query = select(*_TEXTS).where(mine).order_by(campaign_texts.c.version.desc()).limit(1)
    plan = CampaignPlan(
        name=row.name,
        kind=Kind(row.kind),
        n_annotators=row.n_annotators,
        lease_seconds=row.lease_seconds,
        texts=CampaignTexts(*study.connection.execute(query).one()),
        settings=row.settings,
        terms=parse_terms(row.terms),
    )
    moments = (row.created_at, row.opened_at, row.closed_at)
    return CampaignEntry(row.id, plan, CampaignState(row.state), row.n_tasks, *moments, row.generation)


def list_planned(study: Study) -> Mapping[int, Mapping[str, Any]]:
    """The settings of all campaigns that are planned or open, by their numbers; nothing is counted, for it is asked often."""
    query = select(campaigns.c.id, campaigns.c.settings).where(campaigns.c.state != CampaignState.CLOSED.value)
    return {row[0]: row[1] for row in study.connection.execute(query.order_by(campaigns.c.id))}
