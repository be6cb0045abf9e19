"""Tasks are found by whom they name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the index."""
    named = sa.column("payload", sa.JSON)["panel"].as_string()
    op.create_index("ix_tasks_campaign_id_role_panel_position", "tasks", ["campaign_id", "role", named, "position"])
