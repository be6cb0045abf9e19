"""What coders said of mistakes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the tables of codings."""
    op.create_table(
        "mistake_codings",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("participant", sa.String, nullable=False),
        sa.Column("test_set_id", sa.Integer, nullable=False),
        sa.Column("label_set_id", sa.Integer, nullable=False),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("categories", sa.JSON, nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.Column("provenance", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mistake_codings"),
        sa.UniqueConstraint("name", "version", name="uq_mistake_codings_name_version"),
        sa.ForeignKeyConstraint(["test_set_id"], ["test_sets.id"], name="fk_mistake_codings_test_set_id_test_sets"),
        sa.ForeignKeyConstraint(["label_set_id"], ["label_sets.id"], name="fk_mistake_codings_label_set_id_label_sets"),
    )
    op.create_table(
        "coded_mistakes",
        sa.Column("coding_id", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("image_id", sa.String, nullable=False),
        sa.Column("prediction", sa.Integer, nullable=False),
        sa.Column("category", sa.SmallInteger),
        sa.Column("severity", sa.SmallInteger),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("note", sa.String, nullable=False),
        sa.Column("is_overturned", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("coding_id", "place", name="pk_coded_mistakes"),
        sa.ForeignKeyConstraint(
            ["coding_id"], ["mistake_codings.id"], name="fk_coded_mistakes_coding_id_mistake_codings"
        ),
    )
