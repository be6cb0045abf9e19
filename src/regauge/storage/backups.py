"""Copies of a database that is in use: SQLite's own backup; of PostgreSQL, every table as JSON Lines in a zip file."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, MetaData, select

from regauge.errors import StorageError
from regauge.storage.engine import READS_ONLY


def write_backup(engine: Engine, path: Path) -> None:
    """Copy the whole database to the file, as it is at one moment, while others may go on working.

    Raises:
        StorageError: the file exists, or cannot be written.
    """
    partial = path.with_name(path.name + ".partial")
    if path.exists():
        raise StorageError(f"{path} exists; name a backup that does not, so that no older one is lost.")
    try:
        if engine.dialect.name == "sqlite":
            _copy_sqlite(Path(str(engine.url.database)), partial)
        else:
            options: dict[str, Any] = {READS_ONLY: True, "isolation_level": "REPEATABLE READ"}
            with engine.connect().execution_options(**options) as connection:
                _dump_tables(connection, partial)
        partial.replace(path)
    except (OSError, sqlite3.Error) as error:
        partial.unlink(missing_ok=True)
        raise StorageError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}.") from error


def _copy_sqlite(database: Path, path: Path) -> None:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(path)) as copy:
        source.backup(copy)


def _dump_tables(connection: Connection, path: Path) -> None:
    # The tables are taken as they are, not as this version would have them: a backup comes before a migration too.
    tables = MetaData()
    tables.reflect(connection)
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for table in tables.sorted_tables:
            with archive.open(f"{table.name}.jsonl", "w") as file:
                for row in connection.execute(select(table)).mappings():
                    file.write(json.dumps(dict(row)).encode() + b"\n")
