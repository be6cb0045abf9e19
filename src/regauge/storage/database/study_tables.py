"""The tables of test sets, pools, predictions, labels and results. Moments are texts in UTC such as 2026-01-31T12:00:00.000Z."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

from regauge.records.evaluation.scores import STORED_COLUMNS

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Where all tables are gathered, and how their keys and indexes are named."""


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
    # The number of the last answer that exposure was learned from; -1 where tasks that were only given count, too.
    Column("exposed_until", Integer, nullable=False, server_default="0"),
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

ARRAY_COLUMNS = ("sha256", "scores_sha256", "seconds_sha256")
"""The columns of predictions that name arrays."""

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
    Column("seconds_sha256", String(64)),
    UniqueConstraint("test_set_id", "participant"),
)

participants = Table(
    "participants",
    metadata,
    Column("name", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("family", String),
)
"""What is known of participants beside their answers; whoever is not in it is a model of no family."""

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
    # The version whose rows these are changes of; none where the version is stored whole.
    Column("base_id", Integer),
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

label_image_changes = Table(
    "label_image_changes",
    metadata,
    Column("label_set_id", ForeignKey("label_sets.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("image_id", String, nullable=False),
    Column("is_removed", Boolean, nullable=False),
    Column("is_problematic", Boolean, nullable=False),
    Column("main_label", Integer, nullable=False),
)

verdict_changes = Table(
    "verdict_changes",
    metadata,
    Column("label_set_id", ForeignKey("label_sets.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("image_id", String, nullable=False),
    Column("class_index", Integer, nullable=False),
    Column("verdict", SmallInteger, nullable=False),
)

verdict_evidence = Table(
    "verdict_evidence",
    metadata,
    Column("label_set_id", ForeignKey("label_sets.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("image_id", String, nullable=False),
    Column("class_index", Integer, nullable=False),
    Column("evidence", JSON, nullable=False),
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

_TYPE_OF: Mapping[str, Any] = {"String": String, "Int64": BigInteger, "Float64": Double}

scores = Table(
    "scores",
    metadata,
    Column("evaluation_id", ForeignKey("evaluations.id"), primary_key=True),
    Column("row", Integer, primary_key=True),
    *(Column(name, _TYPE_OF[kind]) for name, kind in STORED_COLUMNS.names.items()),
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

class_relations = Table(
    "class_relations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    # Class indices; of two classes that are the same, the lower one first.
    *(Column(name, Integer, nullable=False) for name in ("first_class", "second_class")),
    *(Column(name, String, nullable=False) for name in ("status", "reason", "source", "who")),
    Column("at", String(24), nullable=False),
    # How often verdicts agree with it, where these proposed it.
    Column("support", JSON, nullable=False),
)
"""Only ever added to: of several rows of one relation the last says what holds."""
