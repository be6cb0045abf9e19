"""Attempts at quizzes ↔ rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, insert, select, update

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.quizzes import AskedQuestion, Attempt
from regauge.storage.database.schema import attempts
from regauge.storage.study import Study

_COLUMNS = [
    attempts.c[name]
    for name in ("id", "campaign_id", "annotator_id", "number", "questions", "has_passed", "began_at", "ended_at")
]


def insert_attempt(
    study: Study, campaign: CampaignEntry, *, annotator_id: int, number: int, questions: Sequence[AskedQuestion]
) -> None:
    """Store an attempt that begins."""
    row = {
        "campaign_id": campaign.id,
        "annotator_id": annotator_id,
        "number": number,
        "n_right": 0,
        "n_asked": len(questions),
        "questions": [asdict(question) for question in questions],
        "began_at": study.around.now(),
    }
    study.connection.execute(insert(attempts), row)


def update_attempt(study: Study, attempt: Attempt) -> None:
    """Store what was answered since."""
    mine = attempts.c.id == attempt.id
    values = {
        "n_right": attempt.n_right,
        "questions": [asdict(question) for question in attempt.questions],
        "has_passed": attempt.has_passed,
        "ended_at": attempt.ended_at,
    }
    study.connection.execute(update(attempts).where(mine).values(**values))


def list_attempts(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> tuple[Attempt, ...]:
    """Somebody's attempts at the quiz of a campaign, the first one first."""
    mine = (attempts.c.campaign_id == campaign.id, attempts.c.annotator_id == annotator_id)
    query = select(*_COLUMNS).where(*mine).order_by(attempts.c.number)
    return tuple(_make_attempt(row) for row in study.connection.execute(query))


def list_own_attempts(study: Study, annotator_id: int) -> tuple[Attempt, ...]:
    """Somebody's attempts at the quizzes of all campaigns, the oldest first."""
    query = select(*_COLUMNS).where(attempts.c.annotator_id == annotator_id).order_by(attempts.c.id)
    return tuple(_make_attempt(row) for row in study.connection.execute(query))


def _make_attempt(row: Row[Any]) -> Attempt:
    questions = tuple(AskedQuestion(**question) for question in row.questions)
    return Attempt(
        row.id,
        row.campaign_id,
        row.annotator_id,
        row.number,
        questions,
        row.has_passed,
        row.began_at,
        row.ended_at,
    )
