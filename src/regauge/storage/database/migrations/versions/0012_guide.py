"""The labeling guide: every text of its entries, and the verdicts that it cites as cases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "guide_versions",
        *_list_numbers("id", "class_index", "other_index", "edited"),
        *_list_texts("text", "who", "reason"),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_guide_versions"),
    )
    op.create_table(
        "guide_cases",
        *_list_numbers("id", "class_index", "other_index", "test_set_id", "row"),
        *_list_texts("verdict", "note", "labels", "who"),
        sa.Column("is_cited", sa.Boolean, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_guide_cases"),
        sa.ForeignKeyConstraint(["test_set_id"], ["test_sets.id"], name="fk_guide_cases_test_set_id_test_sets"),
    )


def _list_numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer, nullable=False, autoincrement=False) for name in names]


def _list_texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String, nullable=False) for name in names]
