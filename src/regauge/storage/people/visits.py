"""Visits from platforms ↔ rows. A platform's own ids are never among them: references come in as checksums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, Select, func, insert, select, update

from regauge.records.campaigns.campaign import CampaignEntry, Platform
from regauge.records.campaigns.visits import Visit, VisitState
from regauge.storage.campaigns.campaign import was_shown
from regauge.storage.database.schema import annotators, assignments, responses, tasks, visits
from regauge.storage.study import Study


def insert_visit(
    study: Study, campaign: CampaignEntry, *, annotator_id: int, platform: Platform, reference: str
) -> Visit:
    """Store that somebody has come."""
    row = {
        "campaign_id": campaign.id,
        "annotator_id": annotator_id,
        "platform": platform.value,
        "reference": reference,
        "state": VisitState.STARTED.value,
        "n_done": 0,
        "began_at": study.around.now(),
    }
    new_id = study.connection.execute(insert(visits).returning(visits.c.id), row).scalar_one()
    return _make(study.connection.execute(_select().where(visits.c.id == new_id)).one())


def list_visits(study: Study, campaign: CampaignEntry, *, annotator_id: int | None = None) -> tuple[Visit, ...]:
    """The visits to a campaign, of everybody or of one person, the oldest first."""
    query = _select().where(visits.c.campaign_id == campaign.id).order_by(visits.c.id)
    if annotator_id is not None:
        query = query.where(visits.c.annotator_id == annotator_id)
    return tuple(_make(row) for row in study.connection.execute(query))


def end_visit(study: Study, visit: Visit, state: VisitState, *, n_done: int) -> Visit:
    """Store how a visit ended and what it is paid for; `STARTED` opens it again."""
    ended_at = None if state is VisitState.STARTED else study.around.now()
    change = update(visits).where(visits.c.id == visit.id)
    study.connection.execute(change.values(state=state.value, n_done=n_done, ended_at=ended_at))
    return _make(study.connection.execute(_select().where(visits.c.id == visit.id)).one())


def list_visited(study: Study, annotator_id: int) -> frozenset[int]:
    """The campaigns that somebody came to from a platform."""
    query = select(visits.c.campaign_id).where(visits.c.annotator_id == annotator_id)
    return frozenset(study.connection.scalars(query))


def count_visits(study: Study, campaign: CampaignEntry) -> Mapping[VisitState, int]:
    """How many visits there are in each state; 0 where there is none."""
    query = select(visits.c.state, func.count()).where(visits.c.campaign_id == campaign.id).group_by(visits.c.state)
    found = {VisitState(state): n for state, n in study.connection.execute(query)}
    return {state: found.get(state, 0) for state in VisitState}


def count_answered_by_each(study: Study, campaign: CampaignEntry) -> Mapping[int, int]:
    """Per annotator who came from a platform, how many tasks of a campaign they have answered."""
    came = select(visits.c.annotator_id).where(visits.c.campaign_id == campaign.id)
    query = (
        select(assignments.c.annotator_id, func.count(responses.c.task_id.distinct()))
        .join(tasks, tasks.c.id == assignments.c.task_id)
        .join(
            responses,
            (responses.c.task_id == assignments.c.task_id) & (responses.c.annotator_id == assignments.c.annotator_id),
        )
        .where(tasks.c.campaign_id == campaign.id, assignments.c.annotator_id.in_(came), was_shown())
        .group_by(assignments.c.annotator_id)
    )
    return {int(annotator_id): int(n) for annotator_id, n in study.connection.execute(query)}


def forget_references(study: Study, annotator: str) -> None:
    """Take off from somebody's visits what ties them to the platform's records."""
    mine = select(annotators.c.id).where(annotators.c.name == annotator).scalar_subquery()
    study.connection.execute(update(visits).where(visits.c.annotator_id == mine).values(reference=""))


def _select() -> Select[Any]:
    return select(visits, annotators.c.name.label("annotator")).join(
        annotators, annotators.c.id == visits.c.annotator_id
    )


def _make(row: Row[Any]) -> Visit:
    return Visit(
        row.id,
        row.campaign_id,
        row.annotator_id,
        row.annotator,
        Platform(row.platform),
        row.reference,
        VisitState(row.state),
        row.n_done,
        row.began_at,
        row.ended_at,
    )
