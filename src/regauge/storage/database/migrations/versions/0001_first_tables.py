"""The first tables: a new study starts with them, so there is nothing to do."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Nothing is older than this."""
