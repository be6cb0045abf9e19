"""Two-sample tests of features are kept, as comparisons are."""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, String

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the table of two-sample tests."""
    op.create_table(
        "two_samples",
        Column("id", Integer, nullable=False),
        Column("first_id", Integer, nullable=False),
        Column("second_id", Integer, nullable=False),
        *(Column(name, JSON, nullable=False) for name in ("inputs", "settings", "result", "notes")),
        Column("code_version", String, nullable=False),
        Column("created_at", String(24), nullable=False),
        PrimaryKeyConstraint("id", name="pk_two_samples"),
        ForeignKeyConstraint(["first_id"], ["test_sets.id"], name="fk_two_samples_first_id_test_sets"),
        ForeignKeyConstraint(["second_id"], ["test_sets.id"], name="fk_two_samples_second_id_test_sets"),
    )
