"""A private PostgreSQL for tests: its own folder, its own socket, no port, gone afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL, Engine, create_engine, make_url, text, update
from tests.storage.temporary_folders import find_memory

from regauge.storage.database.study_tables import studies
from regauge.storage.settings import StudySettings
from regauge.storage.study import create_tables
from regauge.workflows.studies import study as study_workflow

USER = "postgres"
CARELESS = (
    *("fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_wal_size=64MB"),
    *("wal_level=minimal", "max_wal_senders=0", "autovacuum=off", "jit=off"),
)
"""Settings of a server whose databases live for a second: nothing is kept for the time after, nothing runs beside."""


def find_programs() -> Path | None:
    """The folder with the newest PostgreSQL's programs, where one is installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    return folders[-1] if folders and shutil.which("runuser") else None


@contextmanager
def start_server(*, is_durable: bool = False) -> Iterator[Path]:
    """A running server; gives the folder of its socket. Skips the test where PostgreSQL is not installed.

    It keeps its files in memory and does not wait for the disk, unless it is to be durable: in tests the machine does not
    lose power.
    """
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed; apt-get install postgresql")
    # The path of a socket has at most 107 characters, so it cannot lie below pytest's folders.
    above = None if is_durable else find_memory()
    folder = Path(tempfile.mkdtemp(prefix="regauge-pg-", dir=above or "/tmp"))  # noqa: S108
    is_root = os.geteuid() == 0
    if is_root:
        shutil.chown(folder, USER)
    prefix = ["runuser", "-u", USER, "--"] if is_root else []

    def run(*words: str) -> None:
        subprocess.run([*prefix, *words], check=True, capture_output=True, cwd="/")

    data = str(folder / "data")
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder}"
    settings += "" if is_durable else "".join(f" -c {one}" for one in CARELESS)
    run(str(programs / "initdb"), "-D", data, "-U", USER, "-A", "trust", "--no-sync")
    try:
        run(str(programs / "pg_ctl"), "-D", data, "-w", "-l", f"{folder}/log", "-o", settings, "start")
        yield folder
        run(str(programs / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_shared: list[Path] = []
READY = "ready"
"""The database with the tables of a study that nobody has taken; names of its copies begin so."""
UNTAKEN = StudySettings("0" * 32, "cifar-10", "", "")


@contextmanager
def share_server() -> Iterator[Path]:
    """A running server as above, the same for all who ask while the first of them needs it.

    A study that is made in a copy of its database READY finds its tables there: to copy them is a fourth of the work.
    """
    if _shared:
        yield _shared[0]
        return
    with start_server() as folder, pytest.MonkeyPatch.context() as patch:
        address = create_database(folder, READY)
        engine = create_engine(make_url(address).set(drivername="postgresql+psycopg"))
        create_tables(engine, UNTAKEN, at="")
        engine.dispose()
        patch.setattr(study_workflow, "create_tables", _take_tables)
        _shared.append(folder)
        try:
            yield folder
        finally:
            _shared.clear()


def _take_tables(engine: Engine, settings: StudySettings, *, at: str, anew: bool = False) -> None:
    """Make the tables of a study, or take those that are there and nobody's."""
    if engine.dialect.name == "postgresql" and str(engine.url.database).startswith(READY):
        ours = update(studies).where(studies.c.id == UNTAKEN.study_id).values(id=settings.study_id, created_at=at)
        with engine.begin() as connection:
            if connection.execute(ours).rowcount:
                return
    create_tables(engine, settings, at=at, anew=anew)


def create_database(socket: Path, name: str, *, template: str = "template1") -> str:
    """The address of a new database, like another one."""
    url = URL.create("postgresql+psycopg", username=USER, database="postgres", query={"host": str(socket)})
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        version = connection.dialect.server_version_info or (0,)
        # To copy files is a third of the work of telling a log of every page; before 15 there was nothing else.
        strategy = "STRATEGY FILE_COPY" if version >= (15,) else ""
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template} {strategy}"))
    engine.dispose()
    return f"postgresql://{USER}@/{name}?host={socket}"


def drop_database(address: str) -> None:
    """Remove a database and whatever is connected to it: those of all tests together would not fit into memory."""
    url = make_url(address).set(drivername="postgresql+psycopg")
    engine = create_engine(url.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {url.database} WITH (FORCE)"))
    engine.dispose()
