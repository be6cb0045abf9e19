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


def write_backup(engine: Engine, path: Path, *, folder: Path) -> None:
    """Copy the whole database to the file, as it is at one moment, while others may go on working.

    Args:
        engine: the database.
        path: the new file.
        folder: the study's folder; a bundle takes settings and arrays from it.

    Raises:
        InputError: the file exists.
        StorageError: it cannot be written.
    """
    if engine.dialect.name == "sqlite":
        with write_whole(path) as partial:
            _copy_sqlite(Path(str(engine.url.database)), partial)
        return
    options: dict[str, Any] = {READS_ONLY: True, "isolation_level": "REPEATABLE READ"}
    with engine.connect().execution_options(**options) as connection:
        write_bundle(connection, folder, path=path)


def _copy_sqlite(database: Path, path: Path) -> None:
    try:
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
    except sqlite3.Error as error:
        raise StorageError(f"{path} cannot be written: {error}.") from error
