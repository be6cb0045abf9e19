"""Cells of CSV that no spreadsheet takes for a formula.

A text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return is given an apostrophe in front, unless it is a number;
what begins with apostrophes before such a sign is given one more, so that taking one away gives the text again. Every CSV
that we write goes through here, and every one that we read: names of people, images and participants are others' words.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import regauge.frames as pl

_ARMED = r"^'*[=+\-@\t\r]"
_DISARMED = r"^'+[=+\-@\t\r]"
_NUMBER = r"^[+\-]?(\d+\.?\d*|\.\d+)([eE][+\-]?\d+)?$"
_APOSTROPHE = "'"
_ROW_END = "\r\n"
"""Both characters, so that a cell that has either is put in quotation marks."""


def disarm(text: str) -> str:
    """The text as a cell has it.

    >>> [disarm(text) for text in ("=1+1", "-5", "'=1+1", "plain")]
    ["'=1+1", '-5', "''=1+1", 'plain']
    """
    return _APOSTROPHE + text if re.match(_ARMED, text) and not re.match(_NUMBER, text, re.ASCII) else text


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        """The text itself."""
        return text


def format_rows(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Rows as lines of CSV, without their ends; None is an empty cell.

    >>> list(format_rows([("name", "n"), ("=1+1", 2), ("a, b", None)]))
    ['name,n', "'=1+1,2", '"a, b",']
    """
    write = csv.writer(_Echo(), lineterminator=_ROW_END).writerow
    # Names of people and images stand in many rows.
    make_safe = lru_cache(maxsize=65_536)(disarm)
    for row in rows:
        line: str = write([make_safe(cell) if isinstance(cell, str) else cell for cell in row])
        yield line.removesuffix(_ROW_END)


def undo_disarm(cell: str) -> str:
    """The text that a cell stands for.

    >>> [undo_disarm(cell) for cell in ("'=1+1", "-5", "''=1+1", "'plain'")]
    ['=1+1', '-5', "'=1+1", "'plain'"]
    """
    return cell[1:] if re.match(_DISARMED, cell) else cell


def may_be_disarmed(text: str) -> bool:
    """Whether a file may have such a cell; to look through all of its text is faster than to look at every cell."""
    return re.search(r"'[=+\-@\t\r]", text) is not None


def format_csv(frame: pl.DataFrame, *, include_header: bool = True) -> str:
    """The rows as CSV."""
    return _disarm_frame(frame).write_csv(include_header=include_header)


def write_csv(frame: pl.DataFrame, target: Any, *, include_header: bool = True) -> None:  # noqa: ANN401 - as polars has it
    """Write the rows as CSV to a path or an open file."""
    _disarm_frame(frame).write_csv(target, include_header=include_header)


def undo_disarm_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The texts that the cells of a frame of texts stand for."""
    cells = pl.col(pl.String)
    plain = frame.with_columns(
        pl.when(cells.str.contains(_DISARMED)).then(cells.str.slice(1)).otherwise(cells).name.keep()
    )
    return plain.rename({name: undo_disarm(name) for name in frame.columns})


def _disarm_frame(frame: pl.DataFrame) -> pl.DataFrame:
    cells = pl.col(pl.String)
    is_armed = cells.str.contains(_ARMED) & ~cells.str.contains(_NUMBER)
    safe = frame.with_columns(pl.when(is_armed).then(pl.lit(_APOSTROPHE) + cells).otherwise(cells).name.keep())
    return safe.rename({name: disarm(name) for name in frame.columns})
