"""What the tasks of a campaign were made by, where that is a file: the plan of a review, and an audit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "campaign_documents",
        sa.Column("campaign_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("content", sa.String, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "name", name="pk_campaign_documents"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_campaign_documents_campaign_id_campaigns"),
    )
