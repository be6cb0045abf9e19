"""What people say is wrong with an image: that it is broken, that it upsets them, or something else."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "image_reports",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("campaign_id", "number", "annotator_id")),
        *(sa.Column(name, sa.String, nullable=False) for name in ("problem", "words")),
        sa.Column("at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "number", "annotator_id", name="pk_image_reports"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_image_reports_campaign_id_campaigns"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_image_reports_annotator_id_annotators"),
    )
