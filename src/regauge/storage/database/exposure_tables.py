"""The tables of exposure: who was shown which image, who knows a set from outside, and whose names are one person's.

An image is named by its row, as everywhere: its digest stands in `images`, once, and copies are found by it when somebody asks.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table

from regauge.storage.database.study_tables import metadata

exposures = Table(
    "exposures",
    metadata,
    # One row for all the times that somebody was shown an image as the same thing in a campaign: a crowd is shown millions.
    Column("annotator_id", ForeignKey("annotators.id"), primary_key=True),
    Column("test_set_id", ForeignKey("test_sets.id"), primary_key=True),
    Column("row", Integer, primary_key=True),
    Column("role", String, primary_key=True),
    # 0 where it was shown in no campaign, so that it can be part of the key.
    Column("campaign_id", Integer, primary_key=True),
    Column("first_at", String(24), nullable=False),
    Column("last_at", String(24), nullable=False),
    sqlite_with_rowid=False,
)

declared_exposures = Table(
    "declared_exposures",
    metadata,
    Column("id", Integer, primary_key=True),
    # Whoever is not an annotator is named by the participant that their answers came as.
    Column("annotator_id", ForeignKey("annotators.id")),
    Column("participant", String),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    Column("since", String(10), nullable=False),
    Column("until", String(10)),
    *(Column(name, String, nullable=False) for name in ("why", "who")),
    Column("at", String(24), nullable=False),
    Index("ix_declared_exposures_test_set_id", "test_set_id"),
)

same_people = Table(
    "same_people",
    metadata,
    Column("id", Integer, primary_key=True),
    # All rows of one number are names of one person.
    Column("person", Integer, nullable=False),
    Column("annotator_id", ForeignKey("annotators.id"), unique=True),
    Column("participant", String, unique=True),
    *(Column(name, String, nullable=False) for name in ("why", "who")),
    Column("at", String(24), nullable=False),
)
