"""Bring the tables of an older study up to date, after a backup. The one module that loads Alembic."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, select, update

from regauge.errors import StorageError
from regauge.storage.bundles.backups import write_backup
from regauge.storage.database.schema import revisions

MIGRATIONS = Path(__file__).parent / "migrations"
NOT_UNDERSTOOD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a migration raises when rows hold something that no version has written: a backup or a bundle may be anybody's."""


def migrate(engine: Engine, folder: Path, *, head: str, scripts: Path = MIGRATIONS, is_copy: bool = False) -> None:
    """Run every migration from the study's revision up to `head`, all or none.

    The database is first copied to `before-HEAD.db` (of PostgreSQL, the study to a bundle `before-HEAD.zip`) in its folder.

    Args:
        engine: the database.
        folder: the study's folder; its lock must be held alone.
        head: the revision to reach.
        scripts: the folder of the migrations.
        is_copy: whether the database is a copy already, so that no other is made.

    Raises:
        StorageError: the study has a revision that this version does not know, or holds rows that no version has written.
    """
    with engine.connect() as connection:
        found = str(connection.scalar(select(revisions.c.version_num)))
    if found == head:
        # Another command was faster.
        return
    if not is_known(found, scripts=scripts):
        raise StorageError(
            f"The study in {folder} has tables of revision {found}, which this version of Regauge does not know; install a "
            "newer one."
        )
    if not is_copy:
        suffix = ".db" if engine.dialect.name == "sqlite" else ".zip"
        write_backup(engine, _find_free_name(folder, f"before-{head}", suffix), folder=folder)
    try:
        with engine.begin() as connection:
            upgrade(connection, head=head, scripts=scripts)
    except NOT_UNDERSTOOD as error:
        raise StorageError(
            f"The tables of the study in {folder} hold what is not understood and cannot be brought up to date ({error}); "
            "nothing was changed."
        ) from error


def _find_free_name(folder: Path, stem: str, suffix: str) -> Path:
    """A name that no file has; a copy that an attempt which failed has left is never written over."""
    names = (f"{stem}{suffix}" if number == 1 else f"{stem}-{number}{suffix}" for number in count(1))
    return next(path for path in (folder / name for name in names) if not path.exists())


def is_known(revision: str, *, scripts: Path = MIGRATIONS) -> bool:
    """Whether there is a migration of that revision."""
    return revision in {script.revision for script in ScriptDirectory(str(scripts)).walk_revisions()}


def upgrade(connection: Connection, *, head: str, scripts: Path = MIGRATIONS) -> None:
    """Run every migration from the revision of the tables up to `head`, inside the open transaction."""
    found = str(connection.scalar(select(revisions.c.version_num)))
    steps = reversed(list(ScriptDirectory(str(scripts)).iterate_revisions(head, found)))
    with Operations.context(MigrationContext.configure(connection)):
        for step in steps:
            step.module.upgrade()
    connection.execute(update(revisions).values(version_num=head))
