"""Keys: files that only the owner can read, made on first use."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from regauge.errors import StorageError

KEY_BYTES = 32


def load_key(path: Path) -> bytes:
    """The key in a file that only the owner can read, made on first use.

    It gets its name only when it is whole: a process that is killed, or another that starts at the same moment, must never
    read half a key.

    Raises:
        StorageError: the file holds no key.
    """
    if not path.exists():
        _make_key(path)
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise StorageError(f"{path} holds no key of {KEY_BYTES} bytes; remove it, and a new one is made.")
    return key


def _make_key(path: Path) -> None:
    partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())
    try:
        # Unlike a renaming, a link does not replace the key of a process that was faster.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(partial)
    finally:
        partial.unlink()
