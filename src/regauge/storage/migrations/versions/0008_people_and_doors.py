"""What was read back from the log gets rows of its own; sessions that ended, images that fail and claimed times are kept."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the tables and columns, and fill them from what the study has."""
    _add_tables()
    op.add_column("responses", sa.Column("claimed_seconds", sa.Double))
    op.execute("UPDATE responses SET claimed_seconds = seconds")
    _remember_names()


def _add_tables() -> None:
    op.create_table(
        "erasure_requests",
        sa.Column("annotator_id", sa.Integer, sa.ForeignKey("annotators.id"), primary_key=True),
        sa.Column("with_answers", sa.Boolean, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
    )
    op.create_table(
        "campaign_rounds",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("campaign_id", sa.Integer, sa.ForeignKey("campaigns.id"), nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
    )
    op.create_table(
        "class_reviews",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("test_set_id", sa.Integer, sa.ForeignKey("test_sets.id"), nullable=False),
        sa.Column("class_index", sa.Integer, nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
    )
    op.create_table(
        "hit_batches",
        sa.Column("token", sa.String, primary_key=True),
        sa.Column("campaign_id", sa.Integer, sa.ForeignKey("campaigns.id"), nullable=False),
        sa.Column("is_production", sa.Boolean, nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("begun_at", sa.String(24), nullable=False),
        sa.Column("made_at", sa.String(24)),
    )
    op.create_table(
        "ended_sessions",
        sa.Column("nonce_sha256", sa.String(64), nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("ended_at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("nonce_sha256", name="pk_ended_sessions"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_ended_sessions_annotator_id_annotators"),
    )
    op.create_table(
        "image_failures",
        sa.Column("campaign_id", sa.Integer, sa.ForeignKey("campaigns.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("n_times", sa.Integer, nullable=False),
        sa.Column("first_at", sa.String(24), nullable=False),
        sa.Column("last_at", sa.String(24), nullable=False),
    )


def _remember_names() -> None:
    """Names are not given again.

    What those who were erased were called is gone, but numbers were given without gaps: none of theirs is further above the
    largest that is left than there are such people.
    """
    op.add_column("annotators", sa.Column("erased_name_mac", sa.String(64)))
    op.add_column("studies", sa.Column("last_number", sa.Integer))
    people = op.get_bind().execute(sa.text("SELECT name, erased_at FROM annotators")).all()
    numbers = [int(found[1]) for name, _ in people if (found := re.fullmatch(r"annotator-(\d{4,9})", name, re.ASCII))]
    last = max(numbers, default=0) + sum(erased_at is not None for _, erased_at in people)
    op.get_bind().execute(sa.text("UPDATE studies SET last_number = :last"), {"last": last})
