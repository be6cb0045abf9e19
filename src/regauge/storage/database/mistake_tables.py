"""The tables of what coders said of mistakes, which are only ever added to."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, ForeignKey, Integer, SmallInteger, String, Table, UniqueConstraint

from regauge.storage.database.study_tables import metadata

mistake_codings = Table(
    "mistake_codings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("participant", String, nullable=False),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    Column("label_set_id", ForeignKey("label_sets.id"), nullable=False),
    Column("source", String, nullable=False),
    # A name and a definition each, in the order of the codes.
    Column("categories", JSON, nullable=False),
    Column("who", String, nullable=False),
    Column("at", String(24), nullable=False),
    Column("provenance", JSON, nullable=False),
    UniqueConstraint("name", "version"),
)

coded_mistakes = Table(
    "coded_mistakes",
    metadata,
    Column("coding_id", ForeignKey("mistake_codings.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("image_id", String, nullable=False),
    Column("prediction", Integer, nullable=False),
    # The codes of a mistake; one that was overturned has none, but a reason.
    Column("category", SmallInteger),
    Column("severity", SmallInteger),
    *(Column(name, String, nullable=False) for name in ("reason", "note")),
    Column("is_overturned", Boolean, nullable=False),
)
