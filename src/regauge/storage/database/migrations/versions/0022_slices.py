"""Named subsets of test sets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add the tables of slices."""
    op.create_table(
        "slices",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("test_set_id", sa.Integer, nullable=False),
        sa.Column("label_set_id", sa.Integer, nullable=False),
        sa.Column("is_complete", sa.Boolean, nullable=False),
        sa.Column("rule", sa.JSON, nullable=False),
        sa.Column("inputs", sa.JSON, nullable=False),
        sa.Column("void", sa.String, nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.Column("provenance", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_slices"),
        sa.UniqueConstraint("name", name="uq_slices_name"),
        sa.ForeignKeyConstraint(["test_set_id"], ["test_sets.id"], name="fk_slices_test_set_id_test_sets"),
        sa.ForeignKeyConstraint(["label_set_id"], ["label_sets.id"], name="fk_slices_label_set_id_label_sets"),
    )
    op.create_table(
        "slice_images",
        sa.Column("slice_id", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("image_id", sa.String, nullable=False),
        sa.PrimaryKeyConstraint("slice_id", "place", name="pk_slice_images"),
        sa.ForeignKeyConstraint(["slice_id"], ["slices.id"], name="fk_slice_images_slice_id_slices"),
    )
