"""Text, tables and JSON from files, with the line of every mistake."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import regauge.frames as pl
from regauge.arrays import find_repeated
from regauge.errors import FormatError, InputError
from regauge.formats.sizes import find_room, make_memory_error
from regauge.records.cells import may_be_disarmed, undo_disarm_frame

SEPARATORS = {".csv": ",", ".tsv": "\t"}

MAX_LINE_BYTES = 2**20
"""A longer line of a table, a list or JSON Lines is taken for a mistake in the file, before anything is made of it."""

MAX_COLUMNS = 10_000

_ZLIB = (b"x\x01", b"x^", b"x\xda")
_TEXT_COPIES = 4
_JSON_COPIES = 20
"""Bytes of memory per byte of a file: the text and the columns made from it, or objects of Python as small as they come."""

_CHUNK_BYTES = 2**20

_NO_TABLE = "this is not a table; look for a quotation mark that is not closed or stands inside a cell."


class EmptyFileError(FormatError):
    """A file has nothing in it, or a table no rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The cells of a file, as text.

    Attributes:
        path: the file.
        frame: the cells; lines that are blank have no row. A column of lists stays one.
        text: of CSV the whole file, in which the line of a row is found when it is asked for.
        records: the place of every row among the records of the file, from 0: of CSV after the header, blank ones included.
        has_lines: whether records are lines of the file, as in JSON Lines.
    """

    path: Path
    frame: pl.DataFrame
    text: str
    records: pl.Series
    has_lines: bool = False

    def get_column(self, name: str) -> pl.Series:
        """The column of that name, every cell filled and without spaces around it."""
        column = self.frame[name].cast(pl.String).str.strip_chars()
        empty = (column.is_null() | (column == "")).arg_true()
        if len(empty):
            raise self.make_error(int(empty[0]), f"the column {name!r} is empty.")
        return column

    def make_error(self, row: int, problem: str) -> FormatError:
        """An error that names the line on which the row starts, or the row where a file has no lines."""
        if self.text:
            return FormatError(self.path, problem, line=self._find_line(row))
        number = int(self.records[row]) + 1
        if self.has_lines:
            return FormatError(self.path, problem, line=number)
        return FormatError(self.path, f"row {number:,}: {problem}")

    def find_first(self, column: pl.Series, value: str) -> int:
        """The first row whose cell has that value."""
        return int((column == value).arg_true()[0])

    def check_distinct(self, column: pl.Series, what: str) -> None:
        """Refuse a value that stands in two rows, naming the second."""
        repeated = (~column.is_first_distinct()).arg_true()
        if len(repeated):
            raise self.make_error(int(repeated[0]), f"{what} {column[int(repeated[0])]!r} occurs a second time.")

    def list_lines(self) -> list[int]:
        """The line on which each row starts."""
        lines = [line for line, _ in _split_records(self.path, self.text)]
        return [lines[record + 1] for record in self.records]

    def _find_line(self, row: int) -> int | None:
        """Where the row starts; a quoted cell may hold line breaks, so that lines are not rows."""
        lines = (line for line, _ in _split_records(self.path, self.text))
        try:
            return next(itertools.islice(lines, int(self.records[row]) + 1, None), None)
        except FormatError:
            return None


def read_text(path: Path, *, max_bytes: int | None = None, has_lines: bool = True) -> str:
    """The whole file as UTF-8, with or without a byte-order mark; an empty file is refused.

    Args:
        path: the file.
        max_bytes: a larger file is refused; by default one that the memory is too small for.
        has_lines: whether a line of more than 1 MiB is refused; JSON may be all on one.
    """
    content = read_bytes(path, max_bytes=max_bytes, n_copies=_TEXT_COPIES if has_lines else _JSON_COPIES)
    if has_lines:
        _check_lines(path, content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(path, "this is not UTF-8 text; save the file as UTF-8.", line=line) from None
    if not text.strip():
        raise EmptyFileError(path, "the file is empty.")
    return text


def read_lines(path: Path) -> list[str]:
    """The lines without spaces around them; blank ones at the end are passed over, and others are refused."""
    lines = [line.strip() for line in read_text(path).rstrip().split("\n")]
    if "" in lines:
        raise FormatError(path, "the line is blank, so later lines would be counted wrongly.", line=lines.index("") + 1)
    return lines


def read_bytes(path: Path, *, max_bytes: int | None = None, n_copies: int = 1) -> bytes:
    """What the file holds; its size is looked at first, and what has none, a pipe or a device, is read up to the limit.

    Args:
        path: the file.
        max_bytes: a larger file is refused; by default one that the memory is too small for.
        n_copies: how many times its size it takes of the memory.
    """
    limit = find_room() // n_copies if max_bytes is None else max_bytes
    try:
        with path.open("rb") as stream:
            n_bytes = os.fstat(stream.fileno()).st_size
            parts = [stream.read(n_bytes)] if n_bytes <= limit else []
            while n_bytes <= limit and (part := stream.read(_CHUNK_BYTES)):
                parts.append(part)
                n_bytes += len(part)
    except FileNotFoundError:
        raise FormatError(path, "there is no such file.") from None
    except IsADirectoryError:
        raise FormatError(path, "this is a folder, not a file.") from None
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror}.") from error
    if n_bytes <= limit:
        return b"".join(parts)
    if max_bytes is not None:
        raise FormatError(path, f"a file of more than {max_bytes // 2**20} MiB is not read here.")
    raise make_memory_error(path, n_bytes * n_copies, n_free=limit * n_copies)


def _check_lines(path: Path, content: bytes) -> None:
    """Refuse a line that is too long, by a look at one place in each mebibyte."""
    start = 0
    while len(content) - start > MAX_LINE_BYTES:
        end = content.rfind(b"\n", start, start + MAX_LINE_BYTES + 1)
        if end < 0:
            line = content.count(b"\n", 0, start) + 1
            raise FormatError(
                path, "the line is longer than 1 MiB; this is not a file with one item per line.", line=line
            )
        start = end + 1


def read_table(path: Path) -> Table:
    """A CSV or TSV file with a header line, every cell as text; blank lines are passed over."""
    text = read_text(path)
    _check_header(path, text)
    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), separator=_find_separator(path), infer_schema=False)
    except pl.exceptions.PolarsError:
        raise _explain_csv(path, text) from None
    if may_be_disarmed(text):
        frame = undo_disarm_frame(frame)
    frame = _rename_columns(path, frame)
    is_filled = frame.select(~pl.all_horizontal(pl.all().is_null())).to_series()
    if not is_filled.any():
        raise EmptyFileError(path, "the file has a header and no rows.", line=1)
    return Table(path, frame.filter(is_filled), text=text, records=is_filled.arg_true())


def _check_header(path: Path, text: str) -> None:
    """Refuse what Polars would take for a packed file and unpack, or for so many columns that it never ends."""
    if text[:2].encode()[:2] in _ZLIB:
        raise FormatError(path, "the file begins as packed files do; unpack it, or rename the first column.", line=1)
    n_columns = text.count(_find_separator(path), 0, max(text.find("\n"), 0)) + 1
    if n_columns > MAX_COLUMNS:
        raise FormatError(path, f"the header has {n_columns:,} columns; a table has at most {MAX_COLUMNS:,}.", line=1)


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
    return parse_json(path, read_text(path, has_lines=False))


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers; blank lines are passed over."""
    # Only a line feed ends a line: JSON texts may hold the other characters that str.splitlines() takes for one.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        row = parse_json(path, line, line=number)
        if not isinstance(row, dict):
            raise FormatError(path, "every line must be a JSON object.", line=number)
        yield number, row


def split_part(path: Path | str) -> tuple[Path, str | None]:
    """The file that PATH#NAME means, and the name; an existing file is taken as it is."""
    text = str(path)
    before, mark, part = text.rpartition("#")
    if not mark or not before or not part or Path(text).exists() or not Path(before).exists():
        return Path(path), None
    return Path(before), part


def name_from_file(file_name: str) -> str:
    """The image id that a file name stands for: its base name without extension, on any system."""
    return PurePosixPath(PureWindowsPath(file_name).name).stem


def name_from_files(files: Sequence[str]) -> list[str]:
    """The image ids that the file names of one set stand for: base names, or paths where base names repeat.

    An id is the base name without extension. Where two files of the set share one, all ids of the set are paths without
    extension, as written relative to the folder of the set; where two of these are alike, paths with it.

    >>> name_from_files(["cat/001.png", "dog/002.png"]), name_from_files(["cat/001.png", "dog/001.png"])
    (['001', '002'], ['cat/001', 'dog/001'])
    """
    ids = [name_from_file(file) for file in files]
    if len(set(ids)) == len(ids):
        return ids
    paths = [PurePosixPath(PureWindowsPath(file).as_posix().lstrip("/")) for file in files]
    short = [path.with_suffix("").as_posix() if path.name else "" for path in paths]
    if len(set(short)) == len(short):
        return short
    whole = [path.as_posix() for path in paths]
    # Files that are listed twice have no names that differ; their reader says so by their shortest ones.
    return whole if len(set(whole)) == len(whole) else short if len({path.parent for path in paths}) > 1 else ids


def parse_json(path: Path, text: str, *, line: int | None = None) -> Any:  # noqa: ANN401 - JSON can be anything
    """What a text of a file says, or one of its lines."""
    try:
        return json.loads(text, object_pairs_hook=_refuse_repeated_keys)
    except json.JSONDecodeError as error:
        raise FormatError(path, f"this is not JSON: {error.msg}.", line=line or error.lineno) from None
    except RecursionError:
        raise FormatError(path, "the JSON is nested too deeply.", line=line) from None
    except InputError as error:
        raise FormatError(path, str(error), line=line) from None
    except ValueError:
        # Python refuses to convert numbers of more than 4,300 digits.
        raise FormatError(path, "a number has thousands of digits.", line=line) from None


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise InputError(f"an object has the key {find_repeated(key for key, _ in pairs)!r} twice.")
    return content


def _find_separator(path: Path) -> str:
    return SEPARATORS.get(path.suffix.lower(), ",")


def _split_records(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The header and all records after it, blank ones included, each with the line on which it starts."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_find_separator(path), strict=True)
    line, has_header = 1, False
    try:
        for cells in reader:
            has_header = has_header or bool(cells)
            if has_header:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error:
        raise FormatError(path, _NO_TABLE, line=line) from None


def _rename_columns(path: Path, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns without spaces around their names; the reader has marked the second of two equal names."""
    names = [name.strip().removesuffix("_duplicated_0") for name in frame.columns]
    repeated = find_repeated(name for name in names if name)
    if repeated is not None:
        raise FormatError(path, f"the column {repeated!r} occurs twice.", line=1)
    return frame.rename({name: name.strip() for name in frame.columns if name.strip()})


def _explain_csv(path: Path, text: str) -> FormatError:
    """The line at which a table stops being one."""
    n_columns = 0
    try:
        for line, cells in _split_records(path, text):
            n_columns = n_columns or len(cells)
            if len(cells) > n_columns:
                return FormatError(path, f"the line has {len(cells)} cells, the header {n_columns}.", line=line)
    except FormatError as error:
        return error
    return FormatError(path, _NO_TABLE)
