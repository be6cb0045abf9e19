"""The tables of a study. Moments are texts in UTC such as 2026-01-31T12:00:00.000Z, which sort as they should."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    UniqueConstraint,
)

from regauge.records.scores import STORED_COLUMNS

HEAD = "0008"
"""The revision of the tables below; the last of the migrations."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _list_result_columns(*names: str) -> list[Column[Any]]:
    """What a result has: how it was made and what came out, by which version of Regauge, and when."""
    stamps = Column("code_version", String, nullable=False), Column("created_at", String(24), nullable=False)
    return [*(Column(name, JSON, nullable=False) for name in names), *stamps]


revisions = Table("alembic_version", metadata, Column("version_num", String(32), primary_key=True))

studies = Table(
    "studies",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created_at", String(24), nullable=False),
    # The largest number in a name that was counted up; it never goes back, whoever is erased.
    Column("last_number", Integer),
)

test_sets = Table(
    "test_sets",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("digest", String(64), nullable=False),
    Column("kind", String, nullable=False),
    Column("root", String, nullable=False),
    Column("n_images", Integer, nullable=False),
    Column("added_at", String(24), nullable=False),
    Column("provenance", JSON, nullable=False),
    Column("role", String, nullable=False, server_default="test"),
    Column("parent_id", Integer),
)

images = Table(
    "images",
    metadata,
    Column("test_set_id", ForeignKey("test_sets.id"), primary_key=True),
    Column("row", Integer, primary_key=True),
    Column("image_id", String, nullable=False),
    Column("label", Integer, nullable=False),
    Column("path", String, nullable=False),
    Column("offset", BigInteger),
    Column("n_bytes", BigInteger),
    Column("sha256", String(64)),
    UniqueConstraint("test_set_id", "image_id"),
)

pool_images = Table(
    "pool_images",
    metadata,
    Column("test_set_id", ForeignKey("test_sets.id"), primary_key=True),
    Column("row", Integer, primary_key=True),
    Column("keyword", String, nullable=False),
    Column("taken_at", String),
    Column("uploaded_at", String),
    *(Column(name, String, nullable=False) for name in ("source", "licence", "url")),
    Column("pixels_sha256", String(64)),
)

exclusions = Table(
    "exclusions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    Column("row", Integer, nullable=False),
    Column("rule", String, nullable=False),
    Column("is_excluded", Boolean, nullable=False),
    *(Column(name, String, nullable=False) for name in ("reason", "who")),
    Column("at", String(24), nullable=False),
    Column("same_as", String, nullable=False, server_default=""),
    Index("ix_exclusions_test_set_id_row", "test_set_id", "row"),
)

draws = Table(
    "draws",
    metadata,
    Column("test_set_id", ForeignKey("test_sets.id"), primary_key=True),
    *(Column(name, JSON, nullable=False) for name in ("plan", "sources", "shortfalls", "excluded")),
)

drawn_images = Table(
    "drawn_images",
    metadata,
    Column("test_set_id", ForeignKey("test_sets.id"), primary_key=True),
    Column("row", Integer, primary_key=True),
    Column("pool_id", ForeignKey("test_sets.id"), nullable=False),
    *(Column(name, Integer, nullable=False) for name in ("pool_row", "n_shown", "n_selected")),
    Column("keyword", String, nullable=False),
    Column("is_carried", Boolean, nullable=False),
    Column("is_upward", Boolean, nullable=False),
)

predictions = Table(
    "predictions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    Column("participant", String, nullable=False),
    Column("test_set_digest", String(64), nullable=False),
    Column("k", Integer, nullable=False),
    Column("n_answered", Integer, nullable=False),
    Column("has_scores", Boolean, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("scores_sha256", String(64)),
    Column("added_at", String(24), nullable=False),
    Column("provenance", JSON, nullable=False),
    UniqueConstraint("test_set_id", "participant"),
)

label_sets = Table(
    "label_sets",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("parent_id", ForeignKey("label_sets.id")),
    Column("kind", String, nullable=False),
    Column("unlisted", String, nullable=False),
    *(Column(name, Integer, nullable=False) for name in ("n_images", "n_verdicts", "n_problematic")),
    Column("added_at", String(24), nullable=False),
    Column("provenance", JSON, nullable=False),
    UniqueConstraint("name", "version"),
)

label_images = Table(
    "label_images",
    metadata,
    Column("label_set_id", ForeignKey("label_sets.id"), primary_key=True),
    Column("row", Integer, primary_key=True),
    Column("image_id", String, nullable=False),
    Column("is_problematic", Boolean, nullable=False),
    Column("main_label", Integer, nullable=False),
    UniqueConstraint("label_set_id", "image_id"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("label_set_id", ForeignKey("label_sets.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("row", Integer, nullable=False),
    Column("class_index", Integer, nullable=False),
    Column("verdict", SmallInteger, nullable=False),
)

label_objects = Table(
    "label_objects",
    metadata,
    Column("label_set_id", ForeignKey("label_sets.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    *(Column(name, Integer, nullable=False) for name in ("row", "object", "class_index")),
    Column("is_name", Boolean, nullable=False),
    Column("is_main", Boolean, nullable=False),
)

label_frequencies = Table(
    "label_frequencies",
    metadata,
    Column("label_set_id", ForeignKey("label_sets.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    *(Column(name, Integer, nullable=False) for name in ("row", "class_index", "n_shown", "n_selected")),
)

evaluations = Table(
    "evaluations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    *_list_result_columns("inputs", "settings", "notes", "warnings"),
)

evaluation_labels = Table(
    "evaluation_labels",
    metadata,
    Column("evaluation_id", ForeignKey("evaluations.id"), primary_key=True),
    Column("label_set_id", ForeignKey("label_sets.id"), primary_key=True),
)

_TYPE_OF: Mapping[Any, Any] = {pl.String: String, pl.Int64: BigInteger, pl.Float64: Double}

scores = Table(
    "scores",
    metadata,
    Column("evaluation_id", ForeignKey("evaluations.id"), primary_key=True),
    Column("row", Integer, primary_key=True),
    *(Column(name, _TYPE_OF[kind]) for name, kind in STORED_COLUMNS.items()),
)

comparisons = Table(
    "comparisons",
    metadata,
    Column("id", Integer, primary_key=True),
    *(Column(name, ForeignKey("test_sets.id"), nullable=False) for name in ("original_id", "new_id")),
    *_list_result_columns("inputs", "settings", "result", "notes", "warnings"),
)

two_samples = Table(
    "two_samples",
    metadata,
    Column("id", Integer, primary_key=True),
    *(Column(name, ForeignKey("test_sets.id"), nullable=False) for name in ("first_id", "second_id")),
    *_list_result_columns("inputs", "settings", "result", "notes"),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("what", String, nullable=False),
    Column("who", String, nullable=False),
    Column("at", String(24), nullable=False),
    Column("parameters", JSON, nullable=False),
    Column("code_version", String, nullable=False),
)

# Campaigns. Responses are only ever added to, and nothing that can be counted is stored: how many answers a task has is asked
# of the responses themselves, so that it cannot be wrong.

campaigns = Table(
    "campaigns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("kind", String, nullable=False),
    Column("state", String, nullable=False),
    Column("n_annotators", Integer, nullable=False),
    Column("lease_seconds", Integer, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("created_at", String(24), nullable=False),
    *(Column(name, String(24)) for name in ("opened_at", "closed_at")),
    Column("terms", JSON, nullable=False, server_default="{}"),
    # Grows whenever tasks that had enough answers may lack some again: what a process remembers of them is then void.
    Column("generation", Integer, nullable=False, server_default="0"),
)

campaign_texts = Table(
    "campaign_texts",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("instructions", String, nullable=False),
    Column("consent", String, nullable=False),
    Column("created_at", String(24), nullable=False),
    Column("warning", String, nullable=False, server_default=""),
    Column("training", String, nullable=False, server_default=""),
)

campaign_images = Table(
    "campaign_images",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    Column("row", Integer, nullable=False),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("role", String, nullable=False, server_default="work"),
    Column("source_id", Integer),
    UniqueConstraint("campaign_id", "position"),
    # How many tasks a campaign has, and which come next, is asked all the time; neither needs the tasks themselves.
    Index("ix_tasks_campaign_id_role_position", "campaign_id", "role", "position"),
)

annotators = Table(
    "annotators",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("role", String, nullable=False),
    Column("token_sha256", String(64), unique=True),
    Column("created_at", String(24), nullable=False),
    Column("platform", String, nullable=False, server_default="link"),
    Column("sessions_from", String(24)),
    Column("erased_at", String(24)),
    # What the name was that somebody had before, as a keyed checksum: it is not given to anybody else.
    Column("erased_name_mac", String(64)),
)

consents = Table(
    "consents",
    metadata,
    Column("annotator_id", ForeignKey("annotators.id"), primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("given_at", String(24), nullable=False),
)

assignments = Table(
    "assignments",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("annotator_id", ForeignKey("annotators.id"), nullable=False),
    Column("leased_at", String(24), nullable=False),
    Column("expires_at", String(24), nullable=False),
    UniqueConstraint("task_id", "annotator_id"),
    Index("ix_assignments_annotator_id", "annotator_id"),
    # Which tasks people are at is asked every few seconds. New moments come last, so that entries lie together.
    Index("ix_assignments_expires_at", "expires_at"),
)

responses = Table(
    "responses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("client_id", String(64), nullable=False),
    Column("assignment_id", ForeignKey("assignments.id"), nullable=False),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("annotator_id", ForeignKey("annotators.id"), nullable=False),
    Column("answer", JSON, nullable=False),
    Column("seconds", Double),
    Column("revision", Integer, nullable=False),
    Column("status", String, nullable=False),
    Column("received_at", String(24), nullable=False),
    # What the page said; `seconds` is what was credited, see `regauge.campaigns.credit`.
    Column("claimed_seconds", Double),
    # The one index beside the key. It begins with the task: answers that come together are to a few tasks, so that their
    # entries lie together and a commit writes few pages. An index of random ids would touch a page for every answer.
    UniqueConstraint("task_id", "annotator_id", "client_id"),
)

decisions = Table(
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("annotator_id", ForeignKey("annotators.id"), nullable=False),
    Column("is_dropped", Boolean, nullable=False),
    Column("reason", String, nullable=False),
    Column("who", String, nullable=False),
    Column("at", String(24), nullable=False),
    Index("ix_decisions_campaign_id_annotator_id", "campaign_id", "annotator_id"),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("annotator_id", ForeignKey("annotators.id"), nullable=False),
    *(Column(name, Integer, nullable=False) for name in ("number", "n_right", "n_asked")),
    Column("has_passed", Boolean),
    Column("questions", JSON, nullable=False),
    Column("began_at", String(24), nullable=False),
    Column("ended_at", String(24)),
    Index("ix_attempts_campaign_id_annotator_id", "campaign_id", "annotator_id"),
)

visits = Table(
    "visits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("annotator_id", ForeignKey("annotators.id"), nullable=False),
    *(Column(name, String, nullable=False) for name in ("platform", "reference", "state")),
    # What somebody is paid for is decided once, when a visit ends; a task is paid for in one visit only.
    Column("n_done", Integer, nullable=False),
    Column("began_at", String(24), nullable=False),
    Column("ended_at", String(24)),
    Index("ix_visits_campaign_id_annotator_id", "campaign_id", "annotator_id"),
)

# What people asked for and what was begun; the log tells of it, too, but nothing is read back from the log.

erasure_requests = Table(
    "erasure_requests",
    metadata,
    Column("annotator_id", ForeignKey("annotators.id"), primary_key=True),
    Column("with_answers", Boolean, nullable=False),
    Column("at", String(24), nullable=False),
)

campaign_rounds = Table(
    "campaign_rounds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("at", String(24), nullable=False),
    Column("parameters", JSON, nullable=False),
)

class_reviews = Table(
    "class_reviews",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    Column("class_index", Integer, nullable=False),
    Column("who", String, nullable=False),
    Column("at", String(24), nullable=False),
)

hit_batches = Table(
    "hit_batches",
    metadata,
    Column("token", String, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("is_production", Boolean, nullable=False),
    Column("parameters", JSON, nullable=False),
    Column("begun_at", String(24), nullable=False),
    Column("made_at", String(24)),
)

ended_sessions = Table(
    "ended_sessions",
    metadata,
    Column("nonce_sha256", String(64), primary_key=True),
    Column("annotator_id", ForeignKey("annotators.id"), nullable=False),
    Column("ended_at", String(24), nullable=False),
)

image_failures = Table(
    "image_failures",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("reason", String, nullable=False),
    Column("n_times", Integer, nullable=False),
    Column("first_at", String(24), nullable=False),
    Column("last_at", String(24), nullable=False),
)
