"""Copies of a database that is in use: of SQLite its own backup, of PostgreSQL a bundle of the whole study."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from regauge.errors import StorageError
from regauge.storage.bundles import write_bundle
from regauge.storage.engine import READS_ONLY
from regauge.storage.files import write_whole

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def write_backup(engine: Engine, path: Path, *, folder: Path, as_bundle: bool = False) -> None:
    """Copy the whole database to the file, as it is at one moment, while others may go on working.

    Args:
        engine: the database.
        path: the new file.
        folder: the study's folder; a bundle takes settings and arrays from it.
        as_bundle: whether to write one of SQLite, too.

    Raises:
        InputError: the file exists.
        StorageError: it cannot be written.
    """
    if engine.dialect.name == "sqlite" and not as_bundle:
        with write_whole(path) as partial:
            copy_sqlite(Path(str(engine.url.database)), partial)
        return
    options: dict[str, Any] = {READS_ONLY: True}
    if engine.dialect.name == "postgresql":
        options["isolation_level"] = "REPEATABLE READ"
    with engine.connect().execution_options(**options) as connection:
        write_bundle(connection, folder, path=path)


def copy_sqlite(database: Path, path: Path) -> None:
    """Copy a SQLite database to a file that only its owner can read, in one step: no writer can come in between.

    Raises:
        StorageError: it cannot be read or written.
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
