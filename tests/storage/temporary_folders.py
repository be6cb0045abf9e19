"""Where tests keep their files: in memory where there is room, so that databases wait for no disk."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 - what lies in it is made under a name of its own
MIN_FREE_BYTES = 4 * 2**30
"""Several times what a run of all tests keeps at any moment."""


def find_memory() -> Path | None:
    """The folder whose files are kept in memory, if there is one with room.

    It keeps what a process that is killed has written, as a disk does; it loses it only when the machine goes down.
    """
    has_room = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= MIN_FREE_BYTES
    return MEMORY if has_room else None
