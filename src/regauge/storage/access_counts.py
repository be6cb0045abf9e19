"""A count that all processes of a machine share: it goes up when somebody's access has ended, after that was committed.

A server compares it with what it knew at every request, which costs no query, and so lets nobody in whose access has ended.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import struct
from pathlib import Path

from regauge.errors import StorageError

FILE_NAME = "access.count"
BOOT_FILE = Path("/proc/sys/kernel/random/boot_id")
_NUMBER = struct.Struct("<Q")


class AccessCount:
    """The count of a study, as it is at every moment."""

    def __init__(self, folder: Path) -> None:
        descriptor = _open(folder)
        try:
            # Processes that share a count are on one machine and have one file.
            found = os.fstat(descriptor)
            place = f"{_find_machine()} {found.st_dev} {found.st_ino}"
            self._view = mmap.mmap(descriptor, _NUMBER.size, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
        self.place = hashlib.sha256(place.encode()).hexdigest()[:16]

    @property
    def value(self) -> int:
        """How often somebody's access has ended."""
        return int(_NUMBER.unpack_from(self._view)[0])


def raise_access_count(folder: Path) -> None:
    """Let every server of this machine know that somebody's access has ended."""
    descriptor = _open(folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        (number,) = _NUMBER.unpack(os.pread(descriptor, _NUMBER.size, 0))
        os.pwrite(descriptor, _NUMBER.pack((number + 1) % 2**64), 0)
    finally:
        os.close(descriptor)


def _open(folder: Path) -> int:
    path = folder / FILE_NAME
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_size < _NUMBER.size:
            os.pwrite(descriptor, _NUMBER.pack(0), 0)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}. Without it a server learns after seconds whose access has ended."
        ) from error
    return descriptor


def _find_machine() -> str:
    try:
        return BOOT_FILE.read_text(encoding="ascii")
    except OSError:
        return os.uname().nodename
