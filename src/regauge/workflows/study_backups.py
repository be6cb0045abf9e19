"""A copy of a study's database while others go on working."""

from __future__ import annotations

from pathlib import Path

from regauge.storage.backups import write_backup
from regauge.storage.study import Study

__all__ = ["back_up"]


def back_up(study: Study, path: str | Path | None = None) -> Path:
    """Copy the database, as it is at one moment, to a file; prediction arrays never change and are copied as files.

    Args:
        study: the study.
        path: the new file; unless given, `study-DATE-TIME.db` (of PostgreSQL `.zip`) in the study's folder `backups`.

    Raises:
        StorageError: the file exists, or cannot be written.
    """
    if path is None:
        suffix = ".db" if study.engine.dialect.name == "sqlite" else ".zip"
        folder = study.paths.folder / "backups"
        folder.mkdir(exist_ok=True)
        path = folder / f"study-{study.around.clock():%Y%m%d-%H%M%S}{suffix}"
    write_backup(study.engine, Path(path))
    return Path(path)
