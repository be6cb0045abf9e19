"""A copy of a study while others go on working."""

from __future__ import annotations

from pathlib import Path

from regauge.storage.backups import write_backup
from regauge.storage.study import Study

__all__ = ["back_up"]


def back_up(study: Study, path: str | Path | None = None) -> Path:
    """Copy the database, as it is at one moment, to a file.

    Of SQLite this is a database again, and the folder `predictions`, whose arrays never change, belongs to it; of PostgreSQL it
    is a bundle, which holds the arrays too and from which `import_study` makes the study again.

    Args:
        study: the study.
        path: the new file; unless given, `study-DATE-TIME.db` (of PostgreSQL `.zip`) in the study's folder `backups`.

    Raises:
        InputError: the file exists.
        StorageError: it cannot be written.
    """
    if path is None:
        suffix = ".db" if study.engine.dialect.name == "sqlite" else ".zip"
        folder = study.paths.folder / "backups"
        folder.mkdir(exist_ok=True)
        path = folder / f"study-{study.around.clock():%Y%m%d-%H%M%S}{suffix}"
    write_backup(study.engine, Path(path), folder=study.paths.folder)
    return Path(path)
