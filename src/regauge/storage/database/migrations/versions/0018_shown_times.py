"""When an image was first shown to somebody, and how long it was from then to the answer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add the columns; of what was answered before nobody knows it."""
    op.add_column("assignments", sa.Column("shown_at", sa.String(24)))
    op.add_column("responses", sa.Column("shown_seconds", sa.Double))
    op.add_column("responses", sa.Column("time_flags", sa.String))
