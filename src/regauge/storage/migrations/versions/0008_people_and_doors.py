"""What was read back from the log gets rows of its own; sessions that ended, images that fail and claimed times are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

CHUNK = 5_000
"""Rows that are rewritten at a time."""


def upgrade() -> None:
    """Make the tables and columns, and fill them from what the study has."""
    _add_tables()
    op.add_column("responses", sa.Column("claimed_seconds", sa.Double))
    op.execute("UPDATE responses SET claimed_seconds = seconds")
    _sort_candidates()


def _add_tables() -> None:
    op.create_table(
        "erasure_requests",
        sa.Column("annotator_id", sa.Integer, sa.ForeignKey("annotators.id"), primary_key=True),
        sa.Column("with_answers", sa.Boolean, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
    )
    op.create_table(
        "campaign_rounds",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("campaign_id", sa.Integer, sa.ForeignKey("campaigns.id"), nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
    )
    op.create_table(
        "class_reviews",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("test_set_id", sa.Integer, sa.ForeignKey("test_sets.id"), nullable=False),
        sa.Column("class_index", sa.Integer, nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
    )
    op.create_table(
        "hit_batches",
        sa.Column("token", sa.String, primary_key=True),
        sa.Column("campaign_id", sa.Integer, sa.ForeignKey("campaigns.id"), nullable=False),
        sa.Column("is_production", sa.Boolean, nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("begun_at", sa.String(24), nullable=False),
        sa.Column("made_at", sa.String(24)),
    )
    op.create_table(
        "ended_sessions",
        sa.Column("nonce_sha256", sa.String(64), primary_key=True),
        sa.Column("ended_at", sa.String(24), nullable=False),
    )
    op.create_table(
        "image_failures",
        sa.Column("campaign_id", sa.Integer, sa.ForeignKey("campaigns.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("n_times", sa.Integer, nullable=False),
        sa.Column("first_at", sa.String(24), nullable=False),
        sa.Column("last_at", sa.String(24), nullable=False),
    )


def _sort_candidates() -> None:
    """Put candidates and the labels of answers in the order of their numbers: as given, the dataset label came first."""
    _rewrite("tasks", "payload", lambda task: {**task, "candidates": sorted(task["candidates"])})
    _rewrite("responses", "answer", _sort_selected)
    _rewrite("attempts", "questions", lambda asked: [{**one, "answer": _sort_selected(one["answer"])} for one in asked])


def _sort_selected(answer: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if answer is None else {**answer, "selected": sorted(answer["selected"])}


def _rewrite(table: str, column: str, change: Callable[[Any], Any]) -> None:
    """Change a JSON column of all rows that belong to CLASSIFY campaigns, some at a time."""
    connection = op.get_bind()
    rows = sa.table(table, sa.column("id"), sa.column("campaign_id"), sa.column("task_id"), sa.column(column, sa.JSON))
    tasks, campaigns = (sa.table(name, sa.column("id"), sa.column("campaign_id")) for name in ("tasks", "campaigns"))
    mine = sa.select(campaigns.c.id).where(sa.literal_column("kind") == "classify")
    is_mine = rows.c.campaign_id.in_(mine)
    if table == "responses":
        is_mine = rows.c.task_id.in_(sa.select(tasks.c.id).where(tasks.c.campaign_id.in_(mine)))
    query = sa.select(rows.c.id, rows.c[column]).where(is_mine).order_by(rows.c.id).limit(CHUNK)
    update = sa.update(rows).where(rows.c.id == sa.bindparam("at")).values({column: sa.bindparam("new", type_=sa.JSON)})
    last = 0
    while found := connection.execute(query.where(rows.c.id > last)).all():
        changed = [{"at": number, "new": new} for number, old in found if (new := change(old)) != old]
        if changed:
            connection.execute(update, changed)
        last = found[-1][0]
