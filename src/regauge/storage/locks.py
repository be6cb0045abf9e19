"""One lock per study, between processes: transactions share it, whoever cleans up or migrates has it alone."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regauge.errors import StorageError
from regauge.storage.files import PRIVATE_FILE

FILE_NAME = "study.lock"
SERVER_FILE_NAME = "server.lock"
IDENTITIES_FILE_NAME = "identities.lock"


@contextmanager
def share_lock(folder: Path) -> Iterator[None]:
    """Hold the lock together with other transactions; waits while somebody has it alone."""
    with _open_lock(folder) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield


@contextmanager
def take_lock(folder: Path) -> Iterator[None]:
    """Hold the lock alone; waits until no transaction is open."""
    with _open_lock(folder) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


@contextmanager
def try_lock(folder: Path) -> Iterator[bool]:
    """Hold the lock alone if that is possible at once; says whether it is."""
    with _open_lock(folder) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def take_server_lock(folder: Path) -> Iterator[None]:
    """Be the one process that serves the study.

    Raises:
        StorageError: another process serves the study.
    """
    with _open_lock(folder, SERVER_FILE_NAME) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(
                f"The study in {folder} is being served already; stop that server, or put the study into PostgreSQL."
            ) from None
        yield


@contextmanager
def take_identities_lock(folder: Path) -> Iterator[None]:
    """Be the only one who changes the private file of identities; waits for others."""
    with _open_lock(folder, IDENTITIES_FILE_NAME) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


@contextmanager
def _open_lock(folder: Path, name: str = FILE_NAME) -> Iterator[int]:
    """The open lock file; the system lets go of the lock when it is closed, also when the process is killed."""
    path = folder / name
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be opened: {error.strerror}. A study needs a folder that you may write to."
        ) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)
