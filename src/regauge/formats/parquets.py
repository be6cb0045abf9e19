"""Parquet files → data frames, after a look at how many rows they say that they have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import regauge.frames as pl
from regauge.errors import FormatError
from regauge.formats.sizes import check_room
from regauge.formats.text import MAX_LINE_BYTES, EmptyFileError

_MAGIC = b"PAR1"
_CELL_BYTES = 64
"""What a cell takes with the copies that are made of it; a text that occurs often is held once."""


def read_parquet(path: Path, wanted: Collection[str] = (), *, nested: Collection[str] = ()) -> pl.DataFrame:
    """The columns of texts and numbers; lists and other nested ones, of which a row may be of any size, are left out.

    Args:
        path: the file.
        wanted: columns that are refused where they are nested.
        nested: columns that are read although they are nested.

    Raises:
        FormatError: the file is not a Parquet file, is damaged, has no rows, or would not fit into the memory.
    """
    try:
        lazy = pl.scan_parquet(path, glob=False)
        schema = lazy.collect_schema()
        names = [name for name, kind in schema.items() if not kind.is_nested() or name in nested]
        _check_kinds(path, {name: kind for name, kind in schema.items() if name in wanted})
        n_rows = int(lazy.select(pl.len()).collect().item())
        check_room(path, n_rows * max(len(names), 1) * _CELL_BYTES)
        frame = lazy.select(names).collect()
    except FormatError:
        raise
    except FileNotFoundError:
        raise FormatError(path, "there is no such file.") from None
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise FormatError(path, _explain(path)) from error
    if not frame.height:
        raise EmptyFileError(path, "the file has no rows.")
    texts = frame.select(pl.col(pl.String).str.len_bytes().max())
    for name in texts.columns:
        if (texts[name][0] or 0) > MAX_LINE_BYTES:
            raise FormatError(path, f"the column {name!r} has a text of more than 1 MiB.")
    return frame


def _explain(path: Path) -> str:
    """Why a file cannot be read: all Parquet begins with the same four bytes."""
    with path.open("rb") as file:
        start = file.read(len(_MAGIC))
    if not start:
        return "the file is empty."
    return "the file is damaged or cut short; write it again." if start == _MAGIC else "this is not a Parquet file."


def _check_kinds(path: Path, wanted: Mapping[str, pl.DataType]) -> None:
    for name, kind in wanted.items():
        if kind.is_nested():
            raise FormatError(path, f"the column {name!r} holds {kind}, not texts or whole numbers.")
