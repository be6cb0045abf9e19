"""Databases: SQLite by default, PostgreSQL by URL; and what they refuse, in words."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError

from regauge.errors import InputError, StorageError

BUSY_SECONDS = 30
MIN_FREE_BYTES = 65_536
CHECKPOINT_PAGES = 8_000
"""How many pages gather in the log (32 MiB) before they are moved to the database. Whoever commits then waits for it: with
SQLite's own 1,000, one commit of a hundred in a busy server."""
WRITERS_LOCK = 7_236_843
"""The number by which PostgreSQL knows the lock that lets one writer in at a time; any other would do."""

READS_ONLY = "regauge_reads_only"


def parse_url(database: str) -> URL:
    """The address of a PostgreSQL database, for the driver that is used.

    Raises:
        InputError: the address is not one of a PostgreSQL database, or holds a password.
    """
    try:
        url = make_url(database)
    except ArgumentError:
        raise InputError(
            f"{database!r} is not a database address; write postgresql://USER@HOST/NAME, or leave it out for SQLite."
        ) from None
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        raise InputError(f"A study lives in SQLite or PostgreSQL, not {url.get_backend_name()}.")
    if url.password is not None or "password" in url.query:
        raise InputError("Leave the password out of the database address; put it into ~/.pgpass or PGPASSWORD.")
    if importlib.util.find_spec("psycopg") is None:
        raise InputError("PostgreSQL needs the package psycopg: pip install 'regauge[postgres]'.")
    return url.set(drivername="postgresql+psycopg")


def make_sqlite_engine(path: Path) -> Engine:
    """An engine on a SQLite file that exists or will be made; every transaction is durable once committed."""
    # What was to be stored is never in an error: errors are written down, and it may be about persons.
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_SECONDS},
        hide_parameters=True,
        json_serializer=dump_json,
    )
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "commit", _check_open)
    return engine


def make_postgres_engine(url: URL) -> Engine:
    """An engine on a PostgreSQL database; writers come one at a time, as in SQLite, and readers see one moment."""
    # A writer must not see the moment before it got its turn, hence the weaker level; a reader sets the stronger one.
    engine = create_engine(
        url,
        isolation_level="READ COMMITTED",
        hide_parameters=True,
        json_serializer=dump_json,
        # We keep no hstore, and to ask whether there could be one takes a tenth of a connection.
        use_native_hstore=False,
    )
    event.listen(engine, "begin", _begin_postgres)
    return engine


def close_engine(engine: Engine) -> None:
    """Close all connections; one that somebody still has, a page that was being read say, when they give it back."""

    def close(connection: DBAPIConnection | None, _: object) -> None:
        if connection is not None:
            connection.close()

    event.listen(engine.pool, "checkin", close)
    engine.dispose()


def dump_json(value: object) -> str:
    """The value as JSON of whole characters: the name of a file may have bytes that are no text, and bundles are text."""
    text = json.dumps(value)
    if "\\ud" not in text:
        return text
    return json.dumps(json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace")))


@contextmanager
def explain_failures(where: str) -> Iterator[None]:
    """Turn what a database refuses into one sentence.

    Args:
        where: what the sentence calls the database.
    """
    try:
        yield
    except (OperationalError, NoSuchModuleError) as error:
        raise StorageError(_explain(where, str(getattr(error, "orig", error)))) from error
    except DatabaseError as error:
        first = str(error.orig).strip().splitlines()[0]
        raise StorageError(f"{where} cannot be used as the database of a study: {first}.") from error


def _explain(where: str, problem: str) -> str:
    first = problem.strip().splitlines()[0].rstrip(".")
    if "locked" in problem:
        return f"{where} has been in use by another command for {BUSY_SECONDS} seconds; try again when that has ended."
    if "full" in problem or ("disk I/O" in problem and _is_full(Path(where))):
        return f"{where} cannot be written because the disk is full; nothing was changed. Make room and try again."
    if "readonly" in problem or "unable to open" in problem:
        return f"{where} cannot be written; use a folder and files that you may write to."
    return f"{where} cannot be used: {first}. Nothing was changed."


def _is_full(database: Path) -> bool:
    """Whether the disk has no room for even the small files beside a database, without which it cannot be read either."""
    return shutil.disk_usage(database.parent).free < MIN_FREE_BYTES


def _set_pragmas(connection: Any, _record: object) -> None:  # noqa: ANN401 - the driver's own type
    # The driver would begin transactions at its own moments; the listener below does it at ours.
    connection.isolation_level = None
    pragmas = (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
    )
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # A writer takes the lock at once: one that began by reading could not wait for another writer's end.
    reads_only = connection.get_execution_options().get(READS_ONLY, False)
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")


def _check_open(connection: Connection) -> None:
    # Some failures, a full disk among them, make SQLite end a transaction by itself. Committing what is no longer there would
    # succeed without a word, and lose whatever had been written before.
    driver = connection.connection.dbapi_connection
    if driver is None or not driver.in_transaction:
        raise StorageError(f"{connection.engine.url.database} gave up a change half-way. Nothing was changed.")


def _begin_postgres(connection: Connection) -> None:
    if not connection.get_execution_options().get(READS_ONLY, False):
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITERS_LOCK})
