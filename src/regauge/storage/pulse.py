"""Signs of life of a database in use."""

from __future__ import annotations

from sqlalchemy import func, select, update

from regauge.storage.campaigns.campaign import has_answer
from regauge.storage.database.schema import assignments, studies
from regauge.storage.study import Study


def ping(study: Study) -> None:
    """Read one row, to see whether the database answers at all.

    Raises:
        StorageError: the database does not answer.
    """
    study.connection.execute(select(studies.c.id)).one()


def leave_mark(study: Study) -> None:
    """Write something and take it back, to see whether the database takes anything at all: a full disk can still be read.

    Raises:
        StorageError: the database takes no changes.
    """
    # There and back: SQLite writes nothing where the new value is the old one.
    created_at = study.connection.scalar(select(studies.c.created_at))
    for text in ("", created_at):
        study.connection.execute(update(studies).values(created_at=text))


def count_leased(study: Study) -> int:
    """How many tasks of all campaigns are kept for somebody at this moment and not answered by them."""
    is_kept = assignments.c.expires_at > study.around.now()
    return study.connection.scalar(select(func.count()).select_from(assignments).where(is_kept, ~has_answer())) or 0
