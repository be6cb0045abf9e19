"""Pictures that panelists give as evidence."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
_REFERENCES = (("campaign_id", "campaigns"), ("task_id", "tasks"), ("annotator_id", "annotators"))


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "evidence_pictures",
        sa.Column("token", sa.String(32), nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name, _ in _REFERENCES),
        sa.Column("content", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("token", name="pk_evidence_pictures"),
        *(
            sa.ForeignKeyConstraint([column], [f"{table}.id"], name=f"fk_evidence_pictures_{column}_{table}")
            for column, table in _REFERENCES
        ),
    )
    op.create_index("ix_evidence_pictures_annotator_id_task_id", "evidence_pictures", ["annotator_id", "task_id"])
