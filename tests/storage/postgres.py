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

USER = "postgres"


def find_programs() -> Path | None:
    """The folder with the newest PostgreSQL's programs, where one is installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    return folders[-1] if folders and shutil.which("runuser") else None


@contextmanager
def start_server(*, is_durable: bool = False) -> Iterator[Path]:
    """A running server; gives the folder of its socket. Skips the test where PostgreSQL is not installed.

    It does not wait for the disk unless it is to be durable: in tests the machine does not lose power.
    """
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed; apt-get install postgresql")
    # The path of a socket has at most 107 characters, so it cannot lie below pytest's folders.
    folder = Path(tempfile.mkdtemp(prefix="regauge-pg-", dir="/tmp"))
    is_root = os.geteuid() == 0
    if is_root:
        shutil.chown(folder, USER)
    prefix = ["runuser", "-u", USER, "--"] if is_root else []

    def run(*words: str) -> None:
        subprocess.run([*prefix, *words], check=True, capture_output=True, cwd="/")

    data = str(folder / "data")
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync={'on' if is_durable else 'off'}"
    run(str(programs / "initdb"), "-D", data, "-U", USER, "-A", "trust", "--no-sync")
    try:
        run(str(programs / "pg_ctl"), "-D", data, "-w", "-l", f"{folder}/log", "-o", settings, "start")
        yield folder
        run(str(programs / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
