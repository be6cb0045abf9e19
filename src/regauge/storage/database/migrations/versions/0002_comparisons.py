"""Comparisons of two test sets are kept, as evaluations are."""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, String

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the table of comparisons."""
    texts = ("inputs", "settings", "result", "notes", "warnings")
    op.create_table(
        "comparisons",
        Column("id", Integer, nullable=False),
        Column("original_id", Integer, nullable=False),
        Column("new_id", Integer, nullable=False),
        *(Column(name, JSON, nullable=False) for name in texts),
        Column("code_version", String, nullable=False),
        Column("created_at", String(24), nullable=False),
        PrimaryKeyConstraint("id", name="pk_comparisons"),
        ForeignKeyConstraint(["original_id"], ["test_sets.id"], name="fk_comparisons_original_id_test_sets"),
        ForeignKeyConstraint(["new_id"], ["test_sets.id"], name="fk_comparisons_new_id_test_sets"),
    )
