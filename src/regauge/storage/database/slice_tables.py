"""The tables of slices, which never change once they are written."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, ForeignKey, Integer, String, Table, UniqueConstraint

from regauge.storage.database.study_tables import metadata

slices = Table(
    "slices",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    Column("label_set_id", ForeignKey("label_sets.id"), nullable=False),
    Column("is_complete", Boolean, nullable=False),
    Column("rule", JSON, nullable=False),
    # Who helped to choose, with checksums; the codings; the campaigns; and the counts of what was chosen from.
    Column("inputs", JSON, nullable=False),
    # Why it no longer holds; empty where it does.
    Column("void", String, nullable=False),
    Column("who", String, nullable=False),
    Column("at", String(24), nullable=False),
    Column("provenance", JSON, nullable=False),
    UniqueConstraint("name"),
)

slice_images = Table(
    "slice_images",
    metadata,
    Column("slice_id", ForeignKey("slices.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("image_id", String, nullable=False),
)
