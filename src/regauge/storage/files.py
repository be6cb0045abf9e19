"""Files that are whole or not there at all."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import regauge.frames as pl
from regauge.errors import InputError, StorageError

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


@contextmanager
def write_whole(path: Path, *, replaces: bool = False) -> Iterator[Path]:
    """Another name to write to; when the block ends, the file is synced and gets its own name.

    When the block raises, or the process is killed, there is no file of that name, or the one that was there before.

    Args:
        path: the file.
        replaces: whether a file that is there gives way; a pipe or a device is written to as it is.

    Raises:
        InputError: the file exists.
        StorageError: the file cannot be written.
    """
    if replaces and path.exists():
        path = path.resolve()
        if not path.is_file():
            with _explaining(path):
                yield path
            return
    elif path.exists() or path.is_symlink():
        raise InputError(f"{path} exists; name a file that does not, so nothing is lost.")
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with _explaining(path):
            yield partial
            with partial.open("rb") as file:
                os.fsync(file.fileno())
            partial.rename(path)
            sync_folder(path.parent)
    finally:
        # Where the folder itself is none, there is nothing to remove either.
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """What the system, or Polars in its name, says of a file that cannot be written, in one sentence."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror or error}.") from error
    except pl.exceptions.ComputeError as error:
        if "os error" not in str(error):
            raise
        raise StorageError(f"{path} cannot be written: {str(error).rpartition(': ')[2]}.") from error


@contextmanager
def write_whole_folder(folder: Path) -> Iterator[Path]:
    """Another folder to write to; when the block ends, its files go to the folder, which must be new or empty.

    Raises:
        InputError: the folder holds something.
        StorageError: the folder cannot be written.
    """
    folder = folder.absolute()
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
    try:
        with _explaining(folder):
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise InputError(f"{folder} exists and is not an empty folder; name one that is new or empty.")
            partial.mkdir(parents=True)
            yield partial
            folder.mkdir(exist_ok=True)
            for entry in sorted(partial.iterdir()):
                entry.rename(folder / entry.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def open_private(path: Path, *, to_append: bool = False) -> Iterator[TextIO]:
    """A text file to write to, which only its owner can read, from its first moment; on disk when the block ends."""
    how = os.O_APPEND if to_append else os.O_EXCL
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | how, PRIVATE_FILE)
    with os.fdopen(descriptor, "a" if to_append else "w", encoding="utf-8", newline="") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def make_private(path: Path) -> None:
    """Make a file that only its owner can read, whatever others are usually allowed; one that is there stays as it is."""
    path.touch(mode=PRIVATE_FILE)


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner can look into, and so those above it that are not there."""
    if not folder.parent.exists():
        make_private_folder(folder.parent)
    folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in the folder durable, which syncing a file does not."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def hash_file(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
