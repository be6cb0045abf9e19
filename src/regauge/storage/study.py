"""The handle of a study: opened once, and the first argument of every workflow that works inside one."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
from sqlalchemy import Connection, Engine, create_mock_engine, insert, inspect, make_url, select

from regauge.errors import InputError, StorageError
from regauge.records.progress import Track, track_silently
from regauge.records.taxonomy import Taxonomy
from regauge.storage.access_counts import raise_access_count
from regauge.storage.arrays import find_orphans
from regauge.storage.database.engine import (
    READS_ONLY,
    close_engine,
    explain_failures,
    make_postgres_engine,
    make_sqlite_engine,
    parse_url,
)
from regauge.storage.database.schema import ARRAY_COLUMNS, HEAD, events, metadata, predictions, revisions, studies
from regauge.storage.files import make_private, make_private_folder
from regauge.storage.locks import share_lock, take_lock, try_lock
from regauge.storage.moments import format_moment
from regauge.storage.settings import StudySettings

Clock: TypeAlias = Callable[[], datetime]

DATABASE_NAME = "study.db"


@dataclass(frozen=True, slots=True)
class StudyPaths:
    """Where a study keeps its files."""

    folder: Path

    @property
    def database(self) -> Path:
        """The SQLite file, unless the tables are elsewhere."""
        return self.folder / DATABASE_NAME

    @property
    def predictions(self) -> Path:
        """Prediction arrays by checksum."""
        return self.folder / "predictions"

    @property
    def cache(self) -> Path:
        """What can be made again at any time."""
        return self.folder / "cache"

    @property
    def reports(self) -> Path:
        """Where reports go."""
        return self.folder / "reports"

    @property
    def answers(self) -> Path:
        """Where answers lie that came with labels from elsewhere; most studies have none."""
        return self.folder / "answers"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a study takes from outside: the time, chance, who is at work, who watches, and what the program knows.

    Attributes:
        clock: the moment, in UTC.
        rng: where ids and random draws come from.
        who: the person or program that events name.
        command: the command line behind the work, for events; empty from Python.
        track: who is told how far long work is.
        why: the reason that somebody gave, for events; empty where none was asked for.
        kinds: the kinds of work by name, where they are others than those of the package; storage does not look into them.
    """

    clock: Clock
    rng: np.random.Generator
    who: str = ""
    track: Track = track_silently
    command: str = ""
    why: str = ""
    kinds: Mapping[Any, Any] | None = field(default=None, repr=False)

    def now(self, *, after: timedelta = timedelta(0)) -> str:
        """The moment, or one that comes so long after it, as the tables have it."""
        return format_moment(self.clock() + after)


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """An open study.

    `begin` and `read` give the same handle inside a transaction; what works on the tables needs one of these.

    Attributes:
        paths: where its files are.
        engine: its database.
        taxonomy: its classes.
        around: clock, random generator and who is at work.
        about: what the study is, in its makers' words; may be empty.
        id: which study this is, wherever its folder lies.
        transaction: gives the open transaction; None outside of one.
        effects: what is to be done once the open transaction is committed.
    """

    paths: StudyPaths
    engine: Engine
    taxonomy: Taxonomy
    around: Circumstances
    about: str = ""
    id: str = ""
    transaction: Callable[[], Connection] | None = None
    effects: list[Callable[[Study], None]] = field(default_factory=list, repr=False)

    @property
    def connection(self) -> Connection:
        """The open transaction.

        Raises:
            InputError: no transaction is open.
        """
        if self.transaction is None:
            raise InputError("This needs a transaction: call it inside `with study.begin() as study:`.")
        return self.transaction()

    @property
    def database(self) -> str:
        """What messages call the database; never with a password."""
        return describe_database(self.engine)

    @contextmanager
    def begin(self) -> Iterator[Self]:
        """A transaction that may write: committed when the block ends, rolled back when it raises.

        Other writers wait from the first use of the connection on, not before: files can be read without keeping anybody.
        """
        effects: list[Callable[[Study], None]] = []
        with share_lock(self.paths.folder), explain_failures(self.database), ExitStack() as stack:
            yield replace(self, transaction=cache(lambda: stack.enter_context(self.engine.begin())), effects=effects)
        for effect in dict.fromkeys(effects):
            effect(self)

    def note_access_end(self) -> None:
        """Say that somebody may no longer do what they could: after the commit every server of this machine knows."""
        self.effects.append(_tell_servers)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """A part of a transaction that leaves no trace when it raises, while the rest goes on.

        Raises:
            StorageError: the database failed; the transaction as a whole must be given up.
        """
        with explain_failures(self.database), self.connection.begin_nested():
            yield

    @contextmanager
    def read(self) -> Iterator[Self]:
        """A transaction that only reads and sees the study as it is at one moment; it never waits for a writer."""
        options: dict[str, Any] = {READS_ONLY: True}
        if self.engine.dialect.name == "postgresql":
            options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        with share_lock(self.paths.folder), explain_failures(self.database), self.engine.connect() as plain:
            connection = plain.execution_options(**options)
            with connection.begin():
                yield replace(self, transaction=lambda: connection)

    def close(self) -> None:
        """Let go of the database."""
        close_engine(self.engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _tell_servers(study: Study) -> None:
    raise_access_count(study.paths.folder)


def describe_database(engine: Engine) -> str:
    """Where the tables are: the SQLite file, or the address of the database."""
    is_sqlite = engine.dialect.name == "sqlite"
    return str(engine.url.database) if is_sqlite else engine.url.render_as_string(hide_password=True)


def make_engine(paths: StudyPaths, settings: StudySettings) -> Engine:
    """The engine on the database that the settings name; nothing is opened yet."""
    return (
        make_postgres_engine(parse_url(settings.database)) if settings.database else make_sqlite_engine(paths.database)
    )


def make_database_file(paths: StudyPaths, settings: StudySettings) -> None:
    """Make the file of a new study's tables, for its owner only; SQLite gives its log the same rights. None in PostgreSQL."""
    if not settings.database:
        make_private(paths.database)


@contextmanager
def closing_on_failure(engine: Engine) -> Iterator[Engine]:
    """The engine, which lets go of the database when the block raises."""
    try:
        yield engine
    except BaseException:
        engine.dispose()
        raise


def create_tables(engine: Engine, settings: StudySettings, *, at: str, anew: bool = False) -> None:
    """Make the tables of a new study, all or none.

    Args:
        engine: the database.
        settings: the study.
        at: the moment.
        anew: whether tables of this very study that nobody has used are replaced: its making was stopped.

    Raises:
        StorageError: the database already holds a study or tables of our names, or cannot be used.
    """
    with explain_failures(describe_database(engine)), engine.begin() as connection:
        taken = set(inspect(connection).get_table_names()) & set(metadata.tables)
        if taken and not (anew and _is_unfinished(connection, settings, taken)):
            held = "a study" if studies.name in taken else f"a table {min(taken)!r}"
            raise StorageError(f"{describe_database(engine)} already holds {held}; name an empty database.")
        if taken:
            metadata.drop_all(connection)
        for statement in _write_tables(connection.dialect.name):
            connection.exec_driver_sql(statement)
        connection.execute(insert(revisions).values(version_num=HEAD))
        connection.execute(insert(studies).values(id=settings.study_id, created_at=at))


@cache
def _write_tables(backend: str) -> tuple[str, ...]:
    """The statements that make all tables in an empty database; to put them into words takes longer than to run them."""
    url = make_url({"postgresql": "postgresql+psycopg://"}.get(backend, f"{backend}://"))
    dialect = url.get_dialect()()
    written: list[str] = []
    engine = create_mock_engine(url, lambda one, *_, **__: written.append(str(one.compile(dialect=dialect))))
    metadata.create_all(engine, checkfirst=False)
    return tuple(written)


def _is_unfinished(connection: Connection, settings: StudySettings, tables: set[str]) -> bool:
    """Whether the tables are those of this very study, and nobody has used them."""
    if not tables >= {studies.name, events.name} or connection.scalar(select(studies.c.id)) != settings.study_id:
        return False
    used = tables - {studies.name, events.name, revisions.name}
    is_empty = all(connection.execute(select(metadata.tables[name]).limit(1)).first() is None for name in used)
    return is_empty and set(connection.scalars(select(events.c.what))) <= {"init"}


def prepare(paths: StudyPaths, engine: Engine, *, settings: StudySettings, is_copy: bool = False) -> None:
    """Make an existing study ready for work: the right tables, brought up to date, and no files that nobody refers to.

    Args:
        paths: where its files are.
        engine: its database.
        settings: what its `study.toml` says.
        is_copy: whether the database is a copy already, so that none is kept of what it was before.

    Raises:
        StorageError: the database is not that of this study, or was written by a newer Regauge.
    """
    with explain_failures(describe_database(engine)):
        if engine.dialect.name == "sqlite" and not paths.database.is_file():
            raise StorageError(f"{paths.database} is gone; put it back from a backup.")
        with engine.connect().execution_options(**{READS_ONLY: True}) as connection:
            revision = _find_revision(connection, settings)
        if revision != HEAD:
            # Alembic takes long to load and is needed once in a study's life.
            migrations = importlib.import_module("regauge.storage.database.migrate")
            with take_lock(paths.folder):
                migrations.migrate(engine, paths.folder, head=HEAD, is_copy=is_copy)
        _sweep(paths, engine)


def _find_revision(connection: Connection, settings: StudySettings) -> str:
    tables = inspect(connection)
    where = describe_database(connection.engine)
    if not (tables.has_table(revisions.name) and tables.has_table(studies.name)):
        raise StorageError(f"{where} holds no study; put it back from a backup, or make a new study with regauge init.")
    found = connection.scalar(select(studies.c.id))
    if found != settings.study_id:
        raise StorageError(
            f"{where} holds the study {found}, but study.toml is that of {settings.study_id}; they do not belong together."
        )
    return str(connection.scalar(select(revisions.c.version_num)))


def _sweep(paths: StudyPaths, engine: Engine) -> None:
    """Remove prediction files that no row refers to, unless a transaction is open, which may be about to refer to one."""
    make_private_folder(paths.predictions)
    if not find_orphans(paths.predictions, _find_referenced(engine)):
        return
    with try_lock(paths.folder) as is_alone:
        if is_alone:
            for path in find_orphans(paths.predictions, _find_referenced(engine)):
                path.unlink(missing_ok=True)


def _find_referenced(engine: Engine) -> set[str]:
    with engine.connect().execution_options(**{READS_ONLY: True}) as connection:
        rows = connection.execute(select(*(predictions.c[name] for name in ARRAY_COLUMNS))).all()
    return {sha256 for row in rows for sha256 in row if sha256 is not None}
