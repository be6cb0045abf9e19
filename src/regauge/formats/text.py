"""Text, tables and JSON from files, with the line of every mistake."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import polars as pl

from regauge.errors import FormatError

SEPARATORS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A CSV file as text columns; row i stands on line i + 2 of the file."""

    path: Path
    frame: pl.DataFrame

    def get_column(self, name: str) -> pl.Series:
        """The column of that name, every cell filled and without spaces around it."""
        column = self.frame[name].str.strip_chars()
        empty = (column.is_null() | (column == "")).arg_true()
        if len(empty):
            raise self.make_error(int(empty[0]), f"the column {name!r} is empty.")
        return column

    def make_error(self, row: int, problem: str) -> FormatError:
        """An error that names the line of the row."""
        return FormatError(self.path, problem, line=row + 2)

    def find_first(self, column: pl.Series, value: str) -> int:
        """The first row whose cell has that value."""
        return int((column == value).arg_true()[0])

    def check_distinct(self, column: pl.Series, what: str) -> None:
        """Refuse a value that stands in two rows, naming the second."""
        repeated = (~column.is_first_distinct()).arg_true()
        if len(repeated):
            raise self.make_error(int(repeated[0]), f"{what} {column[int(repeated[0])]!r} occurs a second time.")


def read_text(path: Path) -> str:
    """The whole file as UTF-8, with or without a byte-order mark; an empty file is refused."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FormatError(path, "there is no such file.") from None
    except IsADirectoryError:
        raise FormatError(path, "this is a folder, not a file.") from None
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror}.") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(path, "this is not UTF-8 text; save the file as UTF-8.", line=line) from None
    if not text.strip():
        raise FormatError(path, "the file is empty.")
    return text


def read_table(path: Path) -> Table:
    """A CSV or TSV file with a header line, every cell as text."""
    text = read_text(path)
    separator = SEPARATORS.get(path.suffix.lower(), ",")
    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise _explain_csv(path, text, separator, error) from error
    frame = frame.rename({name: name.strip() for name in frame.columns})
    if not frame.height:
        raise FormatError(path, "the file has a header and no rows.", line=1)
    return Table(path, frame)


def require_columns(table: Table, names: Sequence[str], *, purpose: str) -> None:
    """Refuse a table that lacks one of the columns."""
    missing = [name for name in names if name not in table.frame.columns]
    if missing:
        found = ", ".join(table.frame.columns)
        raise FormatError(
            table.path, f"{purpose} needs the columns {', '.join(names)}; this file has: {found}.", line=1
        )


def read_json(path: Path) -> Any:  # noqa: ANN401 - JSON can be anything; the callers check
    """A JSON file."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise FormatError(path, f"this is not JSON: {error.msg}.", line=error.lineno) from None
    except RecursionError:
        raise FormatError(path, "the JSON is nested too deeply.") from None


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers; blank lines are passed over."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            raise FormatError(path, "this line is not JSON.", line=number) from None
        if not isinstance(row, dict):
            raise FormatError(path, "every line must be a JSON object.", line=number)
        yield number, row


def name_from_file(file_name: str) -> str:
    """The image id that a file name stands for: its base name without extension, on any system."""
    return PurePosixPath(PureWindowsPath(file_name).name).stem


def _explain_csv(path: Path, text: str, separator: str, error: Exception) -> FormatError:
    """The line at which a table stops being one."""
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    header = next(reader)
    for row in reader:
        if len(row) > len(header):
            problem = f"the line has {len(row)} cells, the header {len(header)}."
            return FormatError(path, problem, line=reader.line_num)
    return FormatError(path, f"this is not a table: {str(error).splitlines()[0]}")
