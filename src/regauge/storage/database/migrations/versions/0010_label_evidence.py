"""A version of labels can be stored as what changed, and verdicts say what they rest on."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column and the tables; versions that are there stay whole."""
    op.add_column("label_sets", sa.Column("base_id", sa.Integer))
    state = (sa.Column(name, sa.Boolean, nullable=False) for name in ("is_removed", "is_problematic"))
    _create("label_image_changes", *state, sa.Column("main_label", sa.Integer, nullable=False))
    _create("verdict_changes", _make_class(), sa.Column("verdict", sa.SmallInteger, nullable=False))
    _create("verdict_evidence", _make_class(), sa.Column("evidence", sa.JSON, nullable=False))


def _make_class() -> sa.Column[Any]:
    return sa.Column("class_index", sa.Integer, nullable=False)


def _create(table: str, *columns: sa.Column[Any]) -> None:
    op.create_table(
        table,
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("label_set_id", "place")),
        sa.Column("image_id", sa.String, nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("label_set_id", "place", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(["label_set_id"], ["label_sets.id"], name=f"fk_{table}_label_set_id_label_sets"),
    )
