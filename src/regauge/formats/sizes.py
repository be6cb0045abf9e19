"""What a file would take of the memory, looked at before it is believed."""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

import regauge.frames as pl
from regauge.arrays import IdArray
from regauge.errors import FormatError, InputError

MAX_ID_LENGTH = 4_096
"""Characters of an image id or another name, as many as the longest path has; an array gives all the room of the longest."""

ADVICE = "split the file, or use a machine with more memory"

_LETTER_BYTES = 4
_MEMORY = Path("/proc/meminfo")
_PROCESS = Path("/proc/self/statm")
_GROUP = Path("/sys/fs/cgroup")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def check_room(path: Path, n_bytes: int, *, advice: str = ADVICE) -> None:
    """Refuse a file that takes more memory to read than there is.

    Args:
        path: the file.
        n_bytes: what reading it takes at most.
        advice: what to do.

    Raises:
        FormatError: the file needs more memory than is free.
    """
    n_free = find_room()
    if n_bytes > n_free:
        raise make_memory_error(path, n_bytes, n_free=n_free, advice=advice)


def make_memory_error(path: Path, n_bytes: int, *, n_free: int, advice: str = ADVICE) -> FormatError:
    """The error that a file would take more bytes to read than are free."""
    found = f"it would take up to {format_bytes(n_bytes)} of memory to read, and {format_bytes(n_free)} are free"
    return FormatError(path, f"{found}; {advice}.")


def find_room() -> int:
    """The bytes of memory that this process can still take: what the machine has, and what it is allowed."""
    page = os.sysconf("SC_PAGE_SIZE")
    rooms = [page * os.sysconf("SC_PHYS_PAGES")]
    # Where the system keeps no such files, the size of the machine is all that is known.
    with suppress(OSError, ValueError, IndexError):
        rooms.append(1024 * int(_MEMORY.read_text(encoding="ascii").split("MemAvailable:")[1].split()[0]))
    with suppress(OSError, ValueError):
        limit, used = ((_GROUP / name).read_text(encoding="ascii") for name in ("memory.max", "memory.current"))
        rooms.append(int(limit) - int(used))
    with suppress(OSError, ValueError):
        allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
        if allowed != resource.RLIM_INFINITY:
            rooms.append(allowed - page * int(_PROCESS.read_text(encoding="ascii").split()[0]))
    return max(min(rooms), 0)


def format_bytes(n_bytes: int) -> str:
    """So many bytes, as people say it.

    >>> format_bytes(9 * 2**29), format_bytes(12)
    ('4.5 GiB', '12 bytes')
    """
    power = min(max(n_bytes.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{n_bytes / 1024**power:.1f} {_UNITS[power]}" if power else f"{n_bytes} bytes"


def make_names(texts: pl.Series | Sequence[str]) -> IdArray:
    """Ids or other names as an array, in which every one has the room of the longest.

    Raises:
        InputError: a name is too long, or so many names of that length do not fit into memory.
    """
    if isinstance(texts, pl.Series):
        lengths = texts.str.len_chars()
        longest = str(texts[lengths.arg_max() or 0]) if len(texts) else ""
    else:
        longest = max(texts, key=len, default="")
    if len(longest) > MAX_ID_LENGTH:
        raise InputError(
            f"{longest[:40]!r}… has {len(longest):,} characters; an id or a name has at most {MAX_ID_LENGTH:,}."
        )
    n_bytes, n_free = len(texts) * len(longest) * _LETTER_BYTES, find_room()
    if n_bytes > n_free:
        raise InputError(
            f"{len(texts):,} names of which one, {longest[:40]!r}…, has {len(longest):,} characters take {format_bytes(n_bytes)} "
            f"of memory, and {format_bytes(n_free)} are free; shorten the longest."
        )
    return texts.to_numpy().astype(np.str_) if isinstance(texts, pl.Series) else np.array(texts, np.str_)
