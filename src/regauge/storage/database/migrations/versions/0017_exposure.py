"""Who was shown which image, when and as what; what people know from outside; and whose names are one person's."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the tables, and mark that exposure is still to be learned from what was given and answered so far.

    Which images a task shows is known to its kind, and kinds are not known here: it is learned when somebody first needs it.
    """
    op.add_column("studies", sa.Column("exposed_until", sa.Integer, nullable=False, server_default="0"))
    op.execute("UPDATE studies SET exposed_until = -1")
    op.create_table(
        "exposures",
        sa.Column("annotator_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("test_set_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("row", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("first_at", sa.String(24), nullable=False),
        sa.Column("last_at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("annotator_id", "test_set_id", "row", "role", "campaign_id", name="pk_exposures"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_exposures_annotator_id_annotators"),
        sa.ForeignKeyConstraint(["test_set_id"], ["test_sets.id"], name="fk_exposures_test_set_id_test_sets"),
        sqlite_with_rowid=False,
    )
    _add_what_people_say()


def _add_what_people_say() -> None:
    """Add what only people can know: exposure from outside, and names of one person."""
    op.create_table(
        "declared_exposures",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer),
        sa.Column("participant", sa.String),
        sa.Column("test_set_id", sa.Integer, nullable=False),
        sa.Column("since", sa.String(10), nullable=False),
        sa.Column("until", sa.String(10)),
        sa.Column("why", sa.String, nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_declared_exposures"),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name="fk_declared_exposures_annotator_id_annotators"
        ),
        sa.ForeignKeyConstraint(["test_set_id"], ["test_sets.id"], name="fk_declared_exposures_test_set_id_test_sets"),
    )
    op.create_index("ix_declared_exposures_test_set_id", "declared_exposures", ["test_set_id"])
    op.create_table(
        "same_people",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("person", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer),
        sa.Column("participant", sa.String),
        sa.Column("why", sa.String, nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_same_people"),
        sa.UniqueConstraint("annotator_id", name="uq_same_people_annotator_id"),
        sa.UniqueConstraint("participant", name="uq_same_people_participant"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_same_people_annotator_id_annotators"),
    )
