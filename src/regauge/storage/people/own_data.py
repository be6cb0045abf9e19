"""What a study holds about one person ↔ rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import func, select

from regauge.records.campaigns.campaign import AssignmentId, CampaignTexts, Payload
from regauge.storage.database.schema import assignments, campaign_texts, consents, decisions, responses, tasks, visits
from regauge.storage.study import Study


class GivenConsent(NamedTuple):
    """A text that somebody agreed to, word for word, and when."""

    campaign_id: int
    texts: CampaignTexts
    given_at: str


class OwnAnswer(NamedTuple):
    """An answer of somebody, with the task that it is to and the id under which they saw it."""

    campaign_id: int
    assignment_id: AssignmentId
    task: Payload
    answer: Payload
    seconds: float | None
    revision: int
    received_at: str
    shown_seconds: float | None = None


class OwnWork(NamedTuple):
    """What somebody did in a campaign: tasks answered, the first and the last time, and the seconds that they took."""

    campaign_id: int
    n_answers: int
    first_at: str
    last_at: str
    seconds: float


def list_consents(study: Study, annotator_id: int) -> tuple[GivenConsent, ...]:
    """All texts that somebody agreed to, the oldest first."""
    texts = [campaign_texts.c[name] for name in ("instructions", "consent", "version", "warning", "training")]
    is_same = (campaign_texts.c.campaign_id == consents.c.campaign_id) & (
        campaign_texts.c.version == consents.c.version
    )
    query = (
        select(consents.c.campaign_id, consents.c.given_at, *texts)
        .join(campaign_texts, is_same)
        .where(consents.c.annotator_id == annotator_id)
        .order_by(consents.c.given_at, consents.c.campaign_id)
    )
    return tuple(GivenConsent(row[0], CampaignTexts(*row[2:]), row[1]) for row in study.connection.execute(query))


def list_work(study: Study, annotator_id: int) -> tuple[OwnWork, ...]:
    """What somebody did, campaign by campaign; revisions are counted with what they revise."""
    query = (
        select(
            tasks.c.campaign_id,
            func.count(responses.c.assignment_id.distinct()),
            func.min(responses.c.received_at),
            func.max(responses.c.received_at),
            func.coalesce(func.sum(responses.c.seconds).filter(responses.c.revision == 0), 0.0),
        )
        .select_from(_join_own())
        .where(assignments.c.annotator_id == annotator_id)
        .group_by(tasks.c.campaign_id)
        .order_by(tasks.c.campaign_id)
    )
    return tuple(OwnWork(*row) for row in study.connection.execute(query))


def list_answers(study: Study, annotator_id: int) -> Iterator[OwnAnswer]:
    """Every answer of somebody in the order in which they came, revisions included."""
    columns = [responses.c[name] for name in ("answer", "seconds", "revision", "received_at", "shown_seconds")]
    query = (
        select(tasks.c.campaign_id, assignments.c.id, tasks.c.payload, *columns)
        .select_from(_join_own())
        .where(assignments.c.annotator_id == annotator_id)
        .order_by(responses.c.id)
    )
    return (OwnAnswer(*row) for row in study.connection.execute(query))


def list_own_decisions(study: Study, annotator_id: int) -> tuple[tuple[int, bool, str, str], ...]:
    """What was decided about somebody: in which campaign, whether they were dropped, why and when."""
    columns = [decisions.c[name] for name in ("campaign_id", "is_dropped", "reason", "at")]
    query = select(*columns).where(decisions.c.annotator_id == annotator_id).order_by(decisions.c.id)
    return tuple((row[0], row[1], row[2], row[3]) for row in study.connection.execute(query))


def list_own_visits(study: Study, annotator_id: int) -> tuple[dict[str, Any], ...]:
    """When somebody came from a platform, and how that ended."""
    columns = [visits.c[name] for name in ("campaign_id", "platform", "state", "n_done", "began_at", "ended_at")]
    query = select(*columns).where(visits.c.annotator_id == annotator_id).order_by(visits.c.id)
    return tuple(dict(row) for row in study.connection.execute(query).mappings())


def _join_own() -> Any:  # noqa: ANN401 - a join
    """From what somebody was given, which has an index by annotator, to what they answered, which has one by task."""
    is_answer = (responses.c.task_id == assignments.c.task_id) & (
        responses.c.annotator_id == assignments.c.annotator_id
    )
    return assignments.join(responses, is_answer).join(tasks, tasks.c.id == assignments.c.task_id)
