"""Pickled frames and arrays of objects, read from files."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from regauge.errors import FormatError
from regauge.formats.pickles.constructors import RefusedPickleError
from regauge.formats.pickles.frames import PickledFrame, make_frame
from regauge.formats.pickles.machine import read_objects

MAX_BYTES = 1 << 30
_NPY = b"\x93NUMPY"

_Made = TypeVar("_Made")


def load_frame(path: Path) -> PickledFrame:
    """The columns of a pickled pandas frame.

    Raises:
        FormatError: the file is not there, is no such pickle, or asks for anything but arrays and frames.
    """
    return _explain(path, lambda: make_frame(read_objects(_read(path))[0]))


def load_pickle(path: Path) -> Any:  # noqa: ANN401 - what pickles hold has any type
    """What a pickle of plain containers and arrays holds."""
    return _explain(path, lambda: read_objects(_read(path))[0])


def load_object_array(path: Path) -> Any:  # noqa: ANN401 - what pickles hold has any type
    """What a `.npy` file of objects holds; the one object where it has no shape, as a saved dictionary has none."""
    return _explain(path, lambda: _read_array(_read(path)))


def _explain(path: Path, read: Callable[[], _Made]) -> _Made:
    try:
        return read()
    except RefusedPickleError as error:
        problem = str(error)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        problem = "what it holds is put together in an unknown way"
    raise FormatError(path, f"this pickle is not read: {problem}. Pickles are never loaded.")


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FormatError(path, f"the file has more than {MAX_BYTES:,} bytes, which is the most that is read.")
        return path.read_bytes()
    except FileNotFoundError:
        raise FormatError(path, "there is no such file.") from None
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror}.") from None


def _read_array(content: bytes) -> Any:  # noqa: ANN401 - what pickles hold has any type
    if not content.startswith(_NPY) or len(content) < 12:
        raise RefusedPickleError("it is no .npy file")
    width = 2 if content[6] == 1 else 4
    start = 8 + width
    end = start + int.from_bytes(content[8:start], "little")
    try:
        header = ast.literal_eval(content[start : min(end, start + 10_000)].decode("latin-1").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise RefusedPickleError("it has a damaged header") from None
    if not isinstance(header, dict) or header.get("descr") not in {"|O", "O"}:
        raise RefusedPickleError("it is not an array of objects")
    array, _ = read_objects(content[end:])
    if not isinstance(array, np.ndarray) or array.shape != header.get("shape"):
        raise RefusedPickleError("it is not an array of objects of the shape in its header")
    return array.item() if array.ndim == 0 else array
