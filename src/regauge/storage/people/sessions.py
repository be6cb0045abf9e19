"""Sessions that have ended ↔ rows, and who must be told of it."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, event, func, insert, select, text

from regauge.storage.access_counts import AccessCount
from regauge.storage.database.engine import READS_ONLY, explain_failures
from regauge.storage.database.schema import ended_sessions
from regauge.storage.people.annotators import hash_token
from regauge.storage.study import Study

SERVER = "regauge serve "
"""What the connections of a server are called in PostgreSQL, before the place of its count."""


def insert_ended_session(study: Study, nonce: str, *, annotator_id: int) -> None:
    """Note down that a session was ended, by the checksum of its nonce; a second time changes nothing."""
    known = hash_token(nonce)
    if study.connection.scalar(select(ended_sessions.c.ended_at).where(ended_sessions.c.nonce_sha256 == known)):
        return
    row = {"nonce_sha256": known, "annotator_id": annotator_id, "ended_at": study.around.now()}
    study.connection.execute(insert(ended_sessions), row)
    study.note_access_end()


def load_ended_sessions(study: Study) -> frozenset[str]:
    """The checksums of the sessions that were ended one by one."""
    return frozenset(study.connection.scalars(select(ended_sessions.c.nonce_sha256)))


def count_ended_sessions(study: Study, annotator_id: int) -> int:
    """How many of somebody's were ended one by one."""
    query = select(func.count()).select_from(ended_sessions).where(ended_sessions.c.annotator_id == annotator_id)
    return study.connection.scalar(query) or 0


def delete_old_sessions(study: Study, *, age: timedelta) -> None:
    """Forget those that were ended so long ago that no cookie is good any more."""
    before = study.around.now(after=-age)
    study.connection.execute(delete(ended_sessions).where(ended_sessions.c.ended_at < before))


def mark_server(study: Study, count: AccessCount) -> None:
    """Let others on PostgreSQL see that this process serves the study, and which count it looks at."""
    if study.engine.dialect.name == "postgresql":
        name = SERVER + count.place
        event.listen(study.engine, "connect", lambda driver, _record: _name(driver, name))
        study.engine.dispose()


def has_servers_elsewhere(study: Study) -> bool:
    """Whether a server on another machine serves the study: it cannot see the count of this one."""
    if study.engine.dialect.name != "postgresql":
        return False
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND starts_with(application_name, :server) AND application_name <> :own"
    )
    own = {"server": SERVER, "own": SERVER + AccessCount(study.paths.folder).place}
    with (
        explain_failures(study.database),
        study.engine.connect().execution_options(**{READS_ONLY: True}) as connection,
    ):
        return bool(connection.scalar(query, own))


def _name(driver: object, name: str) -> None:
    # Named on the connection itself, outside of any transaction.
    driver.execute("SELECT set_config('application_name', %s, false)", (name,))  # type: ignore[attr-defined]
    driver.commit()  # type: ignore[attr-defined]
