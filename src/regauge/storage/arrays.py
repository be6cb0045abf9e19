"""Prediction arrays as files: named by their content, whole or not there at all, memory-mapped when read."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.errors import StorageError
from regauge.storage.files import make_private, sync_folder

SUFFIX = ".npy"
PARTIAL = ".partial"


def store_array(array: NDArray[Any], folder: Path) -> str:
    """Write the array to `<sha256>.npy` and return the checksum; on return it is on disk.

    The file gets its name only when all of it is written and synced, so a name never stands for half an array. The row
    that refers to it is committed afterwards; should that not happen, the file is an orphan and is swept.
    """
    content = io.BytesIO()
    np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
    sha256 = hashlib.sha256(content.getbuffer()).hexdigest()
    path = folder / f"{sha256}{SUFFIX}"
    if _is_whole(path, sha256):
        return sha256
    partial = folder / f"{sha256}.{os.getpid()}{PARTIAL}"
    try:
        make_private(partial)
        with partial.open("wb") as file:
            file.write(content.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        sync_folder(folder)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise StorageError(f"{path} cannot be written: {error.strerror}. Nothing was changed.") from error
    return sha256


def open_array(sha256: str, folder: Path, *, shape: tuple[int, int], dtype: type[np.generic]) -> NDArray[Any]:
    """The array of that checksum, memory-mapped.

    Raises:
        StorageError: the file is gone, damaged, or not of that shape and type.
    """
    path = folder / f"{sha256}{SUFFIX}"
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise StorageError(f"{path} is missing or damaged; add these predictions again with `replace=True`.") from None
    if array.shape != shape or array.dtype != dtype:
        raise StorageError(
            f"{path} holds {array.dtype} {list(array.shape)} where {np.dtype(dtype)} {list(shape)} was stored; add these "
            "predictions again with `replace=True`."
        )
    return np.asarray(array)


def find_orphans(folder: Path, referenced: Collection[str]) -> list[Path]:
    """Files that no row refers to: what a killed command left, and what was replaced."""
    known = {f"{sha256}{SUFFIX}" for sha256 in referenced}
    return [path for path in folder.iterdir() if path.suffix in {SUFFIX, PARTIAL} and path.name not in known]


def _is_whole(path: Path, sha256: str) -> bool:
    """Whether the file is there and holds what its name says; one that was damaged is written anew."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except FileNotFoundError:
        return False
