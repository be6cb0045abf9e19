"""What was read back from the log gets rows of its own; sessions that ended, images that fail and claimed times are kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the tables and columns, and fill them from what the study has."""
    _add_tables()
    op.add_column("responses", sa.Column("claimed_seconds", sa.Double))
    op.execute("UPDATE responses SET claimed_seconds = seconds")


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
        sa.Column("nonce_sha256", sa.String(64), primary_key=True),
        sa.Column("annotator_id", sa.Integer, sa.ForeignKey("annotators.id"), nullable=False),
        sa.Column("ended_at", sa.String(24), nullable=False),
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
