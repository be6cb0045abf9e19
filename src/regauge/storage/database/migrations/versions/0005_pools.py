"""Rebuilding a test set: batches of a pool, why candidates are excluded, and what was drawn."""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, Boolean, Column, ForeignKeyConstraint, Integer, PrimaryKeyConstraint, String

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns and tables."""
    op.add_column("test_sets", Column("role", String, nullable=False, server_default="test"))
    op.add_column("test_sets", Column("parent_id", Integer))
    op.create_table(
        "pool_images",
        *_begin("pool_images", "test_set_id", "row"),
        Column("keyword", String, nullable=False),
        *(Column(name, String) for name in ("taken_at", "uploaded_at")),
        *(Column(name, String, nullable=False) for name in ("source", "licence", "url")),
        Column("pixels_sha256", String(64)),
    )
    op.create_table(
        "exclusions",
        Column("id", Integer, nullable=False),
        *(Column(name, Integer, nullable=False) for name in ("test_set_id", "row")),
        Column("rule", String, nullable=False),
        Column("is_excluded", Boolean, nullable=False),
        *(Column(name, String, nullable=False) for name in ("reason", "who")),
        Column("at", String(24), nullable=False),
        PrimaryKeyConstraint("id", name="pk_exclusions"),
        _refer("exclusions", "test_set_id"),
    )
    op.create_index("ix_exclusions_test_set_id_row", "exclusions", ["test_set_id", "row"])
    op.create_table(
        "draws",
        *_begin("draws", "test_set_id"),
        *(Column(name, JSON, nullable=False) for name in ("plan", "sources", "shortfalls", "excluded")),
    )
    op.create_table(
        "drawn_images",
        *_begin("drawn_images", "test_set_id", "row"),
        *(Column(name, Integer, nullable=False) for name in ("pool_id", "pool_row", "n_shown", "n_selected")),
        Column("keyword", String, nullable=False),
        *(Column(name, Boolean, nullable=False) for name in ("is_carried", "is_upward")),
        _refer("drawn_images", "pool_id"),
    )


def _begin(table: str, *keys: str) -> tuple[Column[int] | PrimaryKeyConstraint | ForeignKeyConstraint, ...]:
    """The key of a table, which begins with a test set."""
    return (
        *(Column(name, Integer, nullable=False) for name in keys),
        PrimaryKeyConstraint(*keys, name=f"pk_{table}"),
        _refer(table, "test_set_id"),
    )


def _refer(table: str, column: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint([column], ["test_sets.id"], name=f"fk_{table}_{column}_test_sets")
