"""What chairs enter in discussions of panels."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
_REFERENCES = (
    ("campaign_id", "campaigns"),
    ("task_id", "tasks"),
    ("subject_id", "annotators"),
    ("annotator_id", "annotators"),
)


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "discussion_entries",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("id", "campaign_id")),
        sa.Column("act", sa.String, nullable=False),
        *(sa.Column(name, sa.Integer) for name in ("task_id", "subject_id", "annotator_id")),
        *(sa.Column(name, sa.String, nullable=False) for name in ("who", "reason")),
        sa.Column("batch", sa.String(32), nullable=False),
        sa.Column("until", sa.Integer, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_discussion_entries"),
        *(
            sa.ForeignKeyConstraint([column], [f"{table}.id"], name=f"fk_discussion_entries_{column}_{table}")
            for column, table in _REFERENCES
        ),
    )
    op.create_index("ix_discussion_entries_campaign_id_task_id", "discussion_entries", ["campaign_id", "task_id"])
