"""What was read back from the log gets rows of its own; sessions that ended, images that fail and claimed times are kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

CHUNK = 5_000
"""Rows that are rewritten at a time."""

_EVENTS = sa.table(
    "events",
    *(sa.column(name) for name in ("id", "what", "who", "at")),
    sa.column("parameters", sa.JSON),
)


def upgrade() -> None:
    """Make the tables and columns, and fill them from what the study has."""
    _add_tables_of_requests()
    _add_tables_of_work()
    _add_tables_of_doors()
    _fill_requests()
    _fill_rounds()
    _fill_reviews()
    _fill_batches()
    _end_leases_of_dropped()
    _add_credit()
    _sort_candidates()
    _remember_names()


def _add_credit() -> None:
    """Answers that are there keep their seconds, which were what the page claimed; nothing is used up of anybody's time."""
    op.add_column("responses", sa.Column("claimed_seconds", sa.Double))
    op.execute("UPDATE responses SET claimed_seconds = seconds")
    op.create_table(
        "free_times",
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("bounds", sa.JSON, nullable=False),
        *_bind("free_times", "annotator_id", annotator_id="annotators"),
    )


def _add_tables_of_requests() -> None:
    op.create_table(
        "erasure_requests",
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("with_answers", sa.Boolean, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        *_bind("erasure_requests", "annotator_id", annotator_id="annotators"),
    )


def _add_tables_of_work() -> None:
    op.create_table(
        "campaign_rounds",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
        *_bind("campaign_rounds", "id", campaign_id="campaigns"),
    )
    op.create_table(
        "class_reviews",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("test_set_id", sa.Integer, nullable=False),
        sa.Column("class_index", sa.Integer, nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String(24), nullable=False),
        *_bind("class_reviews", "id", test_set_id="test_sets"),
    )
    op.create_table(
        "hit_batches",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("token", sa.String, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("is_production", sa.Boolean, nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
        sa.Column("hits", sa.JSON, nullable=False),
        sa.Column("begun_at", sa.String(24), nullable=False),
        sa.Column("made_at", sa.String(24)),
        *_bind("hit_batches", "id", campaign_id="campaigns"),
        sa.UniqueConstraint("token", name="uq_hit_batches_token"),
    )


def _add_tables_of_doors() -> None:
    op.create_table(
        "ended_sessions",
        sa.Column("nonce_sha256", sa.String(64), nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("ended_at", sa.String(24), nullable=False),
        *_bind("ended_sessions", "nonce_sha256", annotator_id="annotators"),
    )
    op.create_table(
        "image_failures",
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("n_times", sa.Integer, nullable=False),
        sa.Column("first_at", sa.String(24), nullable=False),
        sa.Column("last_at", sa.String(24), nullable=False),
        *_bind(
            "image_failures",
            "campaign_id",
            "number",
            "annotator_id",
            campaign_id="campaigns",
            annotator_id="annotators",
        ),
    )


def _bind(table: str, *keys: str, **references: str) -> list[sa.PrimaryKeyConstraint | sa.ForeignKeyConstraint]:
    """The key of a table and what its columns refer to, by the names that new tables have."""
    return [
        sa.PrimaryKeyConstraint(*keys, name=f"pk_{table}"),
        *(
            sa.ForeignKeyConstraint([column], [f"{other}.id"], name=f"fk_{table}_{column}_{other}")
            for column, other in references.items()
        ),
    ]


def _fill_requests() -> None:
    """The last word of everybody who asked to be erased and was not: earlier versions knew it from the log alone."""
    last = {event.who: event for event in _list_events("erasure asked")}
    waiting = {
        name: number for name, number in _find_numbers("annotators", "erased_at IS NULL").items() if name in last
    }
    _insert(
        "erasure_requests",
        [
            {
                "annotator_id": number,
                "with_answers": last[name].parameters.get("with_answers") is True,
                "at": last[name].at,
            }
            for name, number in waiting.items()
        ],
    )


def _fill_rounds() -> None:
    campaigns = _find_numbers("campaigns")
    rows = [
        {
            "campaign_id": _find(campaigns, event.parameters.get("campaign")),
            "at": event.at,
            "parameters": event.parameters,
        }
        for event in _list_events("campaign extend")
    ]
    _insert("campaign_rounds", [row for row in rows if row["campaign_id"] is not None])


def _fill_reviews() -> None:
    """Once for each class and reviewer."""
    test_sets = _find_numbers("test_sets")
    rows: dict[object, dict[str, Any]] = {}
    for event in _list_events("testset review"):
        number, index = _find(test_sets, event.parameters.get("name")), event.parameters.get("class")
        if number is not None and type(index) is int and 0 <= index < 2**31:
            row = {"test_set_id": number, "class_index": index, "who": event.who, "at": event.at}
            rows.setdefault((number, index, event.who), row)
    _insert("class_reviews", list(rows.values()))


def _fill_batches() -> None:
    """Batches of HITs in the order in which they were begun, and those that were made with their HITs."""
    campaigns = _find_numbers("campaigns")
    rows: dict[object, dict[str, Any]] = {}
    for event in _list_events("mturk begin", "mturk publish"):
        about = event.parameters
        number, token = _find(campaigns, about.get("campaign")), about.get("batch")
        if number is None or not isinstance(token, str):
            continue
        row = {
            "token": token,
            "campaign_id": number,
            "is_production": about.get("is_production") is True,
            "plan": about.get("plan", {}),
            "hits": [],
            "begun_at": event.at,
            "made_at": None,
        }
        row = rows.setdefault(token, row)
        if event.what == "mturk publish":
            hits = about.get("hits")
            row |= {"hits": hits if isinstance(hits, list) else [], "made_at": event.at}
    _insert("hit_batches", list(rows.values()))


def _end_leases_of_dropped() -> None:
    """A drop ends the leases in its campaign; earlier versions let them go on."""
    op.execute(
        """
        UPDATE assignments SET expires_at = leased_at
        WHERE (SELECT decisions.is_dropped FROM decisions JOIN tasks ON tasks.campaign_id = decisions.campaign_id
               WHERE tasks.id = assignments.task_id AND decisions.annotator_id = assignments.annotator_id
               ORDER BY decisions.id DESC LIMIT 1)
        """
    )


def _list_events(*whats: str) -> Iterator[sa.Row[Any]]:
    """The events of some kinds, the oldest first."""
    query = sa.select(_EVENTS).where(_EVENTS.c.what.in_(whats)).order_by(_EVENTS.c.id)
    rows = op.get_bind().execute(query).all()
    return (row for row in rows if isinstance(row.parameters, Mapping))


def _find_numbers(table: str, condition: str = "") -> dict[str, int]:
    """The numbers of the rows of a table by their names."""
    named = sa.table(table, sa.column("id"), sa.column("name"))
    query = sa.select(named.c.name, named.c.id)
    rows = op.get_bind().execute(query.where(sa.text(condition)) if condition else query)
    return {row.name: row.id for row in rows}


def _find(numbers: Mapping[str, int], name: object) -> int | None:
    """The number of that name; None of what is not a name, which a bundle may hold."""
    return numbers.get(name) if isinstance(name, str) else None


def _insert(name: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        op.bulk_insert(sa.Table(name, sa.MetaData(), autoload_with=op.get_bind()), rows)


def _sort_candidates() -> None:
    """Put candidates and the labels of answers in the order of their numbers: as given, the dataset label came first."""
    _rewrite("tasks", "payload", lambda task: _sort_numbers(task, "candidates"))
    _rewrite("responses", "answer", lambda answer: _sort_numbers(answer, "selected"))
    _rewrite("attempts", "questions", _sort_questions)


def _sort_questions(asked: object) -> object:
    return [_sort_answered(one) for one in asked] if isinstance(asked, list) else asked


def _sort_answered(question: object) -> object:
    if not isinstance(question, dict) or "answer" not in question:
        return question
    return {**question, "answer": _sort_numbers(question["answer"], "selected")}


def _sort_numbers(found: object, name: str) -> object:
    """The same with the numbers of that name in order. What is none of ours, which a bundle may hold, stays as it is."""
    numbers = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(numbers, list) or any(type(one) is not int for one in numbers):
        return found
    return {**found, name: sorted(numbers)}


def _rewrite(table: str, column: str, change: Callable[[Any], Any]) -> None:
    """Change a JSON column of all rows that belong to CLASSIFY campaigns, some at a time."""
    connection = op.get_bind()
    rows = sa.table(table, sa.column("id"), sa.column("campaign_id"), sa.column("task_id"), sa.column(column, sa.JSON))
    tasks, campaigns = (sa.table(name, sa.column("id"), sa.column("campaign_id")) for name in ("tasks", "campaigns"))
    mine = sa.select(campaigns.c.id).where(sa.literal_column("kind") == "classify")
    is_mine = rows.c.campaign_id.in_(mine)
    if table == "responses":
        is_mine = rows.c.task_id.in_(sa.select(tasks.c.id).where(tasks.c.campaign_id.in_(mine)))
    query = sa.select(rows.c.id, rows.c[column]).where(is_mine).order_by(rows.c.id).limit(CHUNK)
    update = sa.update(rows).where(rows.c.id == sa.bindparam("at")).values({column: sa.bindparam("new", type_=sa.JSON)})
    last = 0
    while found := connection.execute(query.where(rows.c.id > last)).all():
        changed = [{"at": number, "new": new} for number, old in found if (new := change(old)) != old]
        if changed:
            connection.execute(update, changed)
        last = found[-1][0]


def _remember_names() -> None:
    """Names are not given again.

    What those who were erased were called is gone, but numbers were given without gaps: none of theirs is further above the
    largest that is left than there are such people.
    """
    op.add_column("annotators", sa.Column("erased_name_mac", sa.String(64)))
    op.add_column("studies", sa.Column("last_number", sa.Integer))
    people = op.get_bind().execute(sa.text("SELECT name, erased_at FROM annotators")).all()
    numbers = [int(found[1]) for name, _ in people if (found := re.fullmatch(r"annotator-(\d{4,9})", name, re.ASCII))]
    last = max(numbers, default=0) + sum(erased_at is not None for _, erased_at in people)
    op.get_bind().execute(sa.text("UPDATE studies SET last_number = :last"), {"last": last})
