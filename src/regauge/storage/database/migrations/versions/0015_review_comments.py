"""What reviewers and managers say to each other about images of a review, in threads."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
_REFERENCES = (
    ("campaign_id", "campaigns"),
    ("task_id", "tasks"),
    ("annotator_id", "annotators"),
    ("returned_to", "annotators"),
)


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "review_comments",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("id", "campaign_id", "number")),
        *(sa.Column(name, sa.Integer) for name in ("class_index", "thread_id", "task_id")),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.Column("client_id", sa.String(64)),
        sa.Column("resolved_at", sa.String(24)),
        *(sa.Column(name, sa.Integer) for name in ("returned_to", "n_answers")),
        sa.PrimaryKeyConstraint("id", name="pk_review_comments"),
        *(
            sa.ForeignKeyConstraint([column], [f"{table}.id"], name=f"fk_review_comments_{column}_{table}")
            for column, table in _REFERENCES
        ),
    )
    op.create_index("ix_review_comments_campaign_id_number", "review_comments", ["campaign_id", "number"])
    op.create_index("ix_review_comments_returned_to", "review_comments", ["returned_to"])
