"""What people are experts of, and tasks that are answered by more or fewer people than others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the table and the column; tasks that are there go on as their campaign says."""
    op.add_column("tasks", sa.Column("n_wanted", sa.Integer))
    op.create_table(
        "expertises",
        sa.Column("annotator_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("words", sa.String, nullable=False),
        sa.Column("added_at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("annotator_id", "words", name="pk_expertises"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_expertises_annotator_id_annotators"),
    )
