"""The tables of campaigns and of the people in them.

Responses are only ever added to, and nothing that can be counted is stored: how many answers a task has is asked of the
responses themselves, so that it cannot be wrong.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    bindparam,
)

from regauge.storage.database.study_tables import metadata

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

campaign_documents = Table(
    "campaign_documents",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id"), primary_key=True),
    Column("name", String, primary_key=True),
    # The text of a file that the tasks were made by. It is long and seldom read, and so does not stand among the settings.
    Column("content", String, nullable=False),
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
    # How many people answer it, where it is not as many as the campaign has answer each of its tasks.
    Column("n_wanted", Integer),
    UniqueConstraint("campaign_id", "position"),
    # How many tasks a campaign has, and which come next, is asked all the time; neither needs the tasks themselves.
    Index("ix_tasks_campaign_id_role_position", "campaign_id", "role", "position"),
)

task_panel = tasks.c.payload[
    bindparam("named", "panel", literal_execute=True, type_=JSON.JSONStrIndexType())
].as_string()
"""Those whom a task names as the only ones who may take it, as text; NULL where it names nobody.

The word stands in the statement itself: else databases do not see that they have an index of this.
"""
# There may be very many tasks for others, and whoever wants one must not wait until all of them are looked through.
Index("ix_tasks_campaign_id_role_panel_position", tasks.c.campaign_id, tasks.c.role, task_panel, tasks.c.position)

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

expertises = Table(
    "expertises",
    metadata,
    Column("annotator_id", ForeignKey("annotators.id"), primary_key=True),
    # A kind of the hierarchy by its first name, or free words, in small letters.
    Column("words", String, primary_key=True),
    Column("added_at", String(24), nullable=False),
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
    # When a page first showed it to them; empty where no page said so.
    Column("shown_at", String(24)),
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
    # From the image being shown to the answer, pauses among them, and what is odd about that; see `regauge.campaigns.credit`.
    Column("shown_seconds", Double),
    Column("time_flags", String),
    # The one index beside the key. It begins with the task: answers that come together are to a few tasks, so that their
    # entries lie together and a commit writes few pages. An index of random ids would touch a page for every answer.
    UniqueConstraint("task_id", "annotator_id", "client_id"),
)

# What of somebody's time is credited to no answer yet: one small row each, so that it can be read and written with every batch.
free_times = Table(
    "free_times",
    metadata,
    Column("annotator_id", ForeignKey("annotators.id"), primary_key=True),
    Column("bounds", JSON, nullable=False),
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
    Column("id", Integer, primary_key=True),
    Column("token", String, nullable=False, unique=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("is_production", Boolean, nullable=False),
    *(Column(name, JSON, nullable=False) for name in ("plan", "hits")),
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

image_reports = Table(
    "image_reports",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("annotator_id", ForeignKey("annotators.id"), primary_key=True),
    *(Column(name, String, nullable=False) for name in ("problem", "words")),
    Column("at", String(24), nullable=False),
)

review_comments = Table(
    "review_comments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("class_index", Integer),
    # The first comment of the thread; none where it is the first itself.
    Column("thread_id", Integer),
    # The task that a reviewer had before them; none where a manager writes.
    Column("task_id", ForeignKey("tasks.id")),
    Column("annotator_id", ForeignKey("annotators.id"), nullable=False),
    Column("text", String, nullable=False),
    Column("at", String(24), nullable=False),
    # What the page calls it: sent again, it is written once.
    Column("client_id", String(64)),
    Column("resolved_at", String(24)),
    # Whose answer to the task is returned with it, and how many answers they had sent by then: it waits until there is another.
    Column("returned_to", ForeignKey("annotators.id")),
    Column("n_answers", Integer),
    Index("ix_review_comments_campaign_id_number", "campaign_id", "number"),
    Index("ix_review_comments_returned_to", "returned_to"),
)

image_failures = Table(
    "image_failures",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("annotator_id", ForeignKey("annotators.id"), primary_key=True),
    # Why the server could not show it; empty where only the annotator's page says that it was not shown.
    Column("reason", String, nullable=False),
    Column("n_times", Integer, nullable=False),
    Column("first_at", String(24), nullable=False),
    Column("last_at", String(24), nullable=False),
)
