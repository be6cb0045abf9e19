"""Arrays in `.npy` files with their image ids beside them, read with pickling off."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regauge.errors import FormatError
from regauge.formats.text import read_text

SHARED_IDS = "image_ids.txt"
NO_PICKLES = "pickled Python objects are never loaded, so save plain arrays of numbers and text"
DAMAGES = (
    ArithmeticError,
    EOFError,
    KeyError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    ValueError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy raises for files that are cut short, altered, encrypted, no arrays, or that claim an impossible shape."""

_ZIP = b"PK"


def map_array(path: Path) -> NDArray[Any]:
    """The array of a `.npy` file, memory-mapped.

    Raises:
        FormatError: the file is damaged, an archive, or holds Python objects.
    """
    try:
        with path.open("rb") as stream:
            is_archive = stream.read(len(_ZIP)) == _ZIP
        if is_archive:
            raise FormatError(path, "this is an archive, not one array; give it the extension .npz.")
        with np.errstate(over="raise"):
            array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except DAMAGES as error:
        raise explain_damage(path, error) from None
    return array


def read_ids(path: Path) -> list[str]:
    """The ids of a file with one per line; blank lines are passed over."""
    line_of: dict[str, int] = {}
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        image_id = text.strip()
        if image_id and line_of.setdefault(image_id, line) != line:
            raise FormatError(path, f"image {image_id!r} occurs a second time.", line=line)
    return list(line_of)


def find_ids(path: Path, ids: Path | None, *, what: str = "logits", option: str = "--ids") -> Path:
    """The file with the image ids of an array: the one that is named, NAME.ids.txt or image_ids.txt beside the array.

    Raises:
        FormatError: there is none.
    """
    if ids is not None:
        return ids
    candidates = (path.with_suffix(".ids.txt"), path.with_name(SHARED_IDS))
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise FormatError(
        path,
        f"{what} need their image ids, one per line in row order: write them to {candidates[0].name} or {SHARED_IDS} "
        f"beside the file, or name the file with {option}.",
    )


def explain_damage(path: Path, error: Exception) -> FormatError:
    """What NumPy raised, said of the file."""
    if isinstance(error, FormatError):
        return error
    if isinstance(error, FileNotFoundError):
        return FormatError(path, "there is no such file.")
    if isinstance(error, OSError) and error.strerror:
        return FormatError(path, f"the file cannot be read: {error.strerror}.")
    if isinstance(error, ValueError) and ("pickle" in str(error).lower() or "object" in str(error).lower()):
        return FormatError(path, f"this does not hold plain arrays; {NO_PICKLES}.")
    return FormatError(path, f"the file is damaged or cut short ({type(error).__name__}); write it again.")
