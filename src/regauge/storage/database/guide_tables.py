"""The tables of the labeling guide, which are only ever added to.

One count numbers the rows of both, so that a version of the guide names all texts and cases that stood in it then.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Table

from regauge.storage.database.study_tables import metadata

guide_versions = Table(
    "guide_versions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    *(Column(name, Integer, nullable=False) for name in ("class_index", "other_index", "edited")),
    *(Column(name, String, nullable=False) for name in ("text", "who", "reason")),
    # What the page that saved it called it: whoever saves once more, not knowing whether the first try came, changes nothing.
    Column("client_id", String(64), nullable=False),
    Column("at", String(24), nullable=False),
)

guide_cases = Table(
    "guide_cases",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    *(Column(name, Integer, nullable=False) for name in ("class_index", "other_index")),
    Column("test_set_id", ForeignKey("test_sets.id"), nullable=False),
    Column("row", Integer, nullable=False),
    *(Column(name, String, nullable=False) for name in ("verdict", "note", "labels", "who")),
    Column("is_cited", Boolean, nullable=False),
    Column("at", String(24), nullable=False),
)
