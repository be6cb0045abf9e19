"""The tables of discussions: what chairs entered, and pictures that panelists gave as evidence; both are only ever added to."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table

from regauge.storage.database.study_tables import metadata

discussion_entries = Table(
    "discussion_entries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("act", String, nullable=False),
    # The item that it is about; none for all of the campaign.
    Column("task_id", ForeignKey("tasks.id")),
    # Who is excused.
    Column("subject_id", ForeignKey("annotators.id")),
    # Who entered it: by number where it was a panelist, and by name.
    Column("annotator_id", ForeignKey("annotators.id")),
    Column("who", String, nullable=False),
    Column("reason", String, nullable=False),
    # The same for items that were locked together.
    Column("batch", String(32), nullable=False),
    # The last answer that was there then: those after it came too late.
    Column("until", Integer, nullable=False),
    Column("at", String(24), nullable=False),
    Index("ix_discussion_entries_campaign_id_task_id", "campaign_id", "task_id"),
)

evidence_pictures = Table(
    "evidence_pictures",
    metadata,
    # A random text: whoever knows it was shown it.
    Column("token", String(32), primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("task_id", ForeignKey("tasks.id"), nullable=False),
    Column("annotator_id", ForeignKey("annotators.id"), nullable=False),
    # A JPEG file in base64: bundles and dumps hold texts.
    Column("content", String, nullable=False),
    Column("at", String(24), nullable=False),
    Index("ix_evidence_pictures_annotator_id_task_id", "annotator_id", "task_id"),
)
