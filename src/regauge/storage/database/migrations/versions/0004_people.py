"""Working with people: terms, decisions about annotators, quizzes, hidden repeats, and visits from platforms."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    String,
)

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns and tables."""
    op.add_column("campaigns", Column("terms", JSON, nullable=False, server_default="{}"))
    op.add_column("campaigns", Column("generation", Integer, nullable=False, server_default="0"))
    for name in ("warning", "training"):
        op.add_column("campaign_texts", Column(name, String, nullable=False, server_default=""))
    op.add_column("tasks", Column("role", String, nullable=False, server_default="work"))
    op.add_column("tasks", Column("source_id", Integer))
    op.add_column("annotators", Column("platform", String, nullable=False, server_default="link"))
    op.add_column("annotators", Column("sessions_from", String(24)))
    op.add_column("annotators", Column("erased_at", String(24)))
    op.create_index("ix_assignments_expires_at", "assignments", ["expires_at"])
    op.create_index("ix_tasks_campaign_id_role_position", "tasks", ["campaign_id", "role", "position"])
    _create_tables()


def _create_tables() -> None:
    op.create_table(
        "decisions",
        *_refer_both("decisions"),
        Column("is_dropped", Boolean, nullable=False),
        *(Column(name, String, nullable=False) for name in ("reason", "who")),
        Column("at", String(24), nullable=False),
    )
    op.create_table(
        "attempts",
        *_refer_both("attempts"),
        *(Column(name, Integer, nullable=False) for name in ("number", "n_right", "n_asked")),
        Column("has_passed", Boolean),
        Column("questions", JSON, nullable=False),
        Column("began_at", String(24), nullable=False),
        Column("ended_at", String(24)),
    )
    op.create_table(
        "visits",
        *_refer_both("visits"),
        *(Column(name, String, nullable=False) for name in ("platform", "reference", "state")),
        Column("n_done", Integer, nullable=False),
        Column("began_at", String(24), nullable=False),
        Column("ended_at", String(24)),
    )
    for table in ("decisions", "attempts", "visits"):
        op.create_index(f"ix_{table}_campaign_id_annotator_id", table, ["campaign_id", "annotator_id"])


def _refer_both(table: str) -> tuple[Column[int] | PrimaryKeyConstraint | ForeignKeyConstraint, ...]:
    """The columns that the three tables share: a number, the campaign and the annotator."""
    return (
        *(Column(name, Integer, nullable=False) for name in ("id", "campaign_id", "annotator_id")),
        PrimaryKeyConstraint("id", name=f"pk_{table}"),
        ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name=f"fk_{table}_campaign_id_campaigns"),
        ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name=f"fk_{table}_annotator_id_annotators"),
    )
