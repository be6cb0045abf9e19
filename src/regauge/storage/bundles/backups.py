"""Copies of a database that is in use: of SQLite its own backup, of PostgreSQL a bundle of the whole study."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from regauge.errors import FormatError, StorageError
from regauge.storage.bundles.bundle import write_bundle
from regauge.storage.database.engine import READS_ONLY
from regauge.storage.files import hash_file, open_private, write_whole

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_RULE = re.compile(r"\b(ON|VIRTUAL)\b", re.IGNORECASE)
"""Words with which a table says what becomes of changes: ON CONFLICT, ON UPDATE, ON DELETE; or that a module decides."""


def write_backup(engine: Engine, path: Path, *, folder: Path, as_bundle: bool = False) -> None:
    """Copy the whole database to the file, as it is at one moment, while others may go on working.

    That this installation made it is noted down for `is_own_backup`, where that can be written.

    Args:
        engine: the database.
        path: the new file.
        folder: the study's folder; a bundle takes settings and arrays from it.
        as_bundle: whether to write one of SQLite, too.

    Raises:
        InputError: the file exists.
        StorageError: the file cannot be written.
    """
    if engine.dialect.name == "sqlite" and not as_bundle:
        with write_whole(path) as partial:
            copy_sqlite(Path(str(engine.url.database)), partial)
    else:
        options: dict[str, Any] = {READS_ONLY: True}
        if engine.dialect.name == "postgresql":
            options["isolation_level"] = "REPEATABLE READ"
        with engine.connect().execution_options(**options) as connection:
            write_bundle(connection, folder, path=path)
    _note_backup(path)


def is_own_backup(path: Path) -> bool:
    """Whether this installation made the backup, and not a byte of it has changed since.

    A list in the user's own state folder has the checksum of each. Nothing in a backup or beside it could say so as well: whoever
    makes one up elsewhere could write it, too.
    """
    record = _find_record()
    logs = [path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-journal")]
    if record is None or any(log.is_file() and log.stat().st_size for log in logs):
        # What SQLite finds in a log beside the file counts, and is not in the checksum.
        return False
    try:
        if record.stat().st_mode & 0o022:
            # Others could have written to it.
            return False
        return hash_file(path) in record.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return False


def refuse_programs(database: Path) -> None:
    """Refuse a copy of a SQLite database that does something by itself when rows change; ours have no such thing.

    A table can also pass over changes in silence (ON CONFLICT IGNORE), so that what was to be void would not be.

    Raises:
        FormatError: the file is not a database, or the database has a trigger, a view, or a table with a rule of its own.
    """
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        raise FormatError(database, f"this is not a database that can be read: {error}.") from error
    for kind, name, made_by in rows:
        if kind not in {"table", "index"}:
            raise FormatError(database, f"it has a {kind} {name!r:.80}, which no study has.")
        if kind == "table" and _RULE.search(made_by or ""):
            raise FormatError(
                database, f"its table {name!r:.80} has rules of its own for changes, which no study's has."
            )


def _note_backup(path: Path) -> None:
    """Remember a backup by its checksum. One that cannot be remembered is as good, but taken for somebody else's."""
    record = _find_record()
    if record is None:
        return
    try:
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_private(record, to_append=True) as file:
            file.write(f"{hash_file(path)}\n")
    except OSError:
        return


def _find_record() -> Path | None:
    """The list of the backups that this installation made; None where the user has no folder of their own."""
    chosen = Path(os.environ.get("XDG_STATE_HOME", ""))
    try:
        state = chosen if chosen.is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return state / "regauge" / "backups.sha256"


def copy_sqlite(database: Path, path: Path) -> None:
    """Copy a SQLite database to a file that only its owner can read, in one step: no writer can come in between.

    Raises:
        StorageError: the database cannot be read, or the copy cannot be written.
    """
    try:
        path.touch(mode=0o600)
        source_url = f"{database.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(source_url, uri=True)) as source, closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) in _DAMAGED:
            raise StorageError(f"{database} is damaged or was cut off, so it cannot be copied: {error}.") from error
        raise StorageError(f"{path} cannot be written: {error}.") from error
