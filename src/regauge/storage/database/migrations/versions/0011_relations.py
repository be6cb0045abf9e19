"""Relations between classes: proposed, accepted and rejected."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "class_relations",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("first_class", "second_class")),
        *(sa.Column(name, sa.String, nullable=False) for name in ("status", "reason", "source", "who")),
        sa.Column("at", sa.String(24), nullable=False),
        sa.Column("support", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_class_relations"),
    )
