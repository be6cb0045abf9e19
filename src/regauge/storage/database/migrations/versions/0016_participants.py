"""Participants are models or people, of families, and their answers have seconds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the table and the column; whoever has answers already is a model."""
    op.create_table(
        "participants",
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("family", sa.String),
        sa.PrimaryKeyConstraint("name", name="pk_participants"),
    )
    op.add_column("predictions", sa.Column("seconds_sha256", sa.String(64)))
