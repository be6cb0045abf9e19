"""Campaigns, and the objects and selection frequencies of label sets."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Double,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    String,
    UniqueConstraint,
)

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the tables of campaigns, and of what people found besides verdicts."""
    _create_evidence()
    _create_campaigns()
    _create_people()
    _create_answers()


def _create_evidence() -> None:
    counts = ("row", "class_index", "n_shown", "n_selected")
    for table, columns in (("label_objects", ("row", "object", "class_index")), ("label_frequencies", counts)):
        op.create_table(
            table,
            *(Column(name, Integer, nullable=False) for name in ("label_set_id", "place", *columns)),
            *(Column(name, Boolean, nullable=False) for name in ("is_name", "is_main") if table == "label_objects"),
            PrimaryKeyConstraint("label_set_id", "place", name=f"pk_{table}"),
            _refer(table, "label_set_id", "label_sets"),
        )


def _create_campaigns() -> None:
    op.create_table(
        "campaigns",
        Column("id", Integer, nullable=False),
        *(Column(name, String, nullable=False) for name in ("name", "kind", "state")),
        *(Column(name, Integer, nullable=False) for name in ("n_annotators", "lease_seconds")),
        Column("settings", JSON, nullable=False),
        Column("created_at", String(24), nullable=False),
        *(Column(name, String(24)) for name in ("opened_at", "closed_at")),
        PrimaryKeyConstraint("id", name="pk_campaigns"),
        UniqueConstraint("name", name="uq_campaigns_name"),
    )
    op.create_table(
        "campaign_texts",
        *(Column(name, Integer, nullable=False) for name in ("campaign_id", "version")),
        *(Column(name, String, nullable=False) for name in ("instructions", "consent")),
        Column("created_at", String(24), nullable=False),
        PrimaryKeyConstraint("campaign_id", "version", name="pk_campaign_texts"),
        _refer("campaign_texts", "campaign_id", "campaigns"),
    )
    op.create_table(
        "campaign_images",
        *(Column(name, Integer, nullable=False) for name in ("campaign_id", "number", "test_set_id", "row")),
        PrimaryKeyConstraint("campaign_id", "number", name="pk_campaign_images"),
        _refer("campaign_images", "campaign_id", "campaigns"),
        _refer("campaign_images", "test_set_id", "test_sets"),
    )
    op.create_table(
        "tasks",
        *(Column(name, Integer, nullable=False) for name in ("id", "campaign_id", "position")),
        Column("payload", JSON, nullable=False),
        PrimaryKeyConstraint("id", name="pk_tasks"),
        UniqueConstraint("campaign_id", "position", name="uq_tasks_campaign_id_position"),
        _refer("tasks", "campaign_id", "campaigns"),
    )


def _create_people() -> None:
    op.create_table(
        "annotators",
        Column("id", Integer, nullable=False),
        *(Column(name, String, nullable=False) for name in ("name", "role")),
        Column("token_sha256", String(64)),
        Column("created_at", String(24), nullable=False),
        PrimaryKeyConstraint("id", name="pk_annotators"),
        UniqueConstraint("name", name="uq_annotators_name"),
        UniqueConstraint("token_sha256", name="uq_annotators_token_sha256"),
    )
    op.create_table(
        "consents",
        *(Column(name, Integer, nullable=False) for name in ("annotator_id", "campaign_id", "version")),
        Column("given_at", String(24), nullable=False),
        PrimaryKeyConstraint("annotator_id", "campaign_id", "version", name="pk_consents"),
        _refer("consents", "annotator_id", "annotators"),
        _refer("consents", "campaign_id", "campaigns"),
    )


def _create_answers() -> None:
    op.create_table(
        "assignments",
        Column("id", String(32), nullable=False),
        *(Column(name, Integer, nullable=False) for name in ("task_id", "annotator_id")),
        *(Column(name, String(24), nullable=False) for name in ("leased_at", "expires_at")),
        PrimaryKeyConstraint("id", name="pk_assignments"),
        UniqueConstraint("task_id", "annotator_id", name="uq_assignments_task_id_annotator_id"),
        _refer("assignments", "task_id", "tasks"),
        _refer("assignments", "annotator_id", "annotators"),
    )
    op.create_table(
        "responses",
        Column("id", Integer, nullable=False),
        Column("client_id", String(64), nullable=False),
        Column("assignment_id", String(32), nullable=False),
        *(Column(name, Integer, nullable=False) for name in ("task_id", "annotator_id")),
        Column("answer", JSON, nullable=False),
        Column("seconds", Double),
        Column("revision", Integer, nullable=False),
        Column("status", String, nullable=False),
        Column("received_at", String(24), nullable=False),
        PrimaryKeyConstraint("id", name="pk_responses"),
        UniqueConstraint("task_id", "annotator_id", "client_id", name="uq_responses_task_id_annotator_id_client_id"),
        _refer("responses", "assignment_id", "assignments"),
        _refer("responses", "task_id", "tasks"),
        _refer("responses", "annotator_id", "annotators"),
    )
    op.create_index("ix_assignments_annotator_id", "assignments", ["annotator_id"])


def _refer(table: str, column: str, other: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint([column], [f"{other}.id"], name=f"fk_{table}_{column}_{other}")
