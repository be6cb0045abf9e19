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
from sqlalchemy import create_engine, make_url, text
from tests.storage.temporary_folders import find_memory

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


@contextmanager
def share_server() -> Iterator[Path]:
    """A running server as above, the same for all who ask while the first of them needs it."""
    if _shared:
        yield _shared[0]
        return
    with start_server() as folder:
        _shared.append(folder)
        try:
            yield folder
        finally:
            _shared.clear()


def drop_database(address: str) -> None:
    """Remove a database and whatever is connected to it: those of all tests together would not fit into memory."""
    url = make_url(address).set(drivername="postgresql+psycopg")
    engine = create_engine(url.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {url.database} WITH (FORCE)"))
    engine.dispose()
