"""Bring the tables of an older study up to date, after a backup. The one module that loads Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, select, update

from regauge.errors import StorageError
from regauge.storage.backups import write_backup
from regauge.storage.schema import revisions

MIGRATIONS = Path(__file__).parent / "migrations"


def migrate(engine: Engine, folder: Path, *, head: str, scripts: Path = MIGRATIONS) -> None:
    """Run every migration from the study's revision up to `head`, all or none.

    The database is first copied to `before-HEAD.db` (of PostgreSQL, the tables to `before-HEAD.zip`) in the study's folder.

    Args:
        engine: the database.
        folder: the study's folder; its lock must be held alone.
        head: the revision to reach.
        scripts: the folder of the migrations.

    Raises:
        StorageError: the study has a revision that this version does not know.
    """
    directory = ScriptDirectory(str(scripts))
    known = {script.revision for script in directory.walk_revisions()}
    with engine.connect() as connection:
        found = connection.scalar(select(revisions.c.version_num))
    if found == head:
        # Another command was faster.
        return
    if found not in known:
        raise StorageError(
            f"The study in {folder} has tables of revision {found}, which this version of Regauge does not know; install a "
            "newer one."
        )
    write_backup(engine, folder / f"before-{head}{'.db' if engine.dialect.name == 'sqlite' else '.zip'}")
    steps = reversed(list(directory.iterate_revisions(head, found)))
    with engine.begin() as connection, Operations.context(MigrationContext.configure(connection)):
        for step in steps:
            step.module.upgrade()
        connection.execute(update(revisions).values(version_num=head))
