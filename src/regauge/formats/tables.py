"""Tables of any kind of file: CSV and TSV, Parquet, JSON Lines, and JSON as pandas writes it.

All of them give a `Table` of texts, so that whoever reads one reads all. Columns that a file calls otherwise are given by
`--columns`, as pairs of our name and the file's.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import regauge.frames as pl
from regauge.errors import FormatError, InputError
from regauge.formats.parquets import read_parquet
from regauge.formats.sizes import check_room
from regauge.formats.text import MAX_LINE_BYTES, SEPARATORS, Table, parse_json, read_json_lines, read_table, read_text

TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".json")
LINE_SUFFIXES = (".jsonl", ".ndjson")

IMAGE_ID, FILE_NAME = "image_id", "filename"
N_NAMED = 8
"""Names of what was found that an error lists; the others are left away."""

_LINE_COPIES = 8
_LARGEST_WHOLE = 2.0**53


def parse_columns(text: str | None, known: Collection[str]) -> dict[str, str]:
    """What `--columns image_id=ImageId,label=Class` means: our name of a column → the file's.

    Args:
        text: the pairs with commas between; None and an empty text mean none.
        known: our names that can be given.

    Raises:
        InputError: a pair is none, or a column is given twice or is none of those that are read.

    >>> parse_columns("image_id=ImageId, label=Class", ["image_id", "label"])
    {'image_id': 'ImageId', 'label': 'Class'}
    """
    columns: dict[str, str] = {}
    for pair in filter(str.strip, (text or "").split(",")):
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        if not (ours and equals and theirs):
            raise InputError(
                f"`columns=…` takes pairs such as image_id=ImageId with commas between, not {pair.strip()!r}."
            )
        if ours not in known:
            raise InputError(f"`columns=…`: {ours!r} is not a column that is read here; there are: {', '.join(known)}.")
        if columns.setdefault(ours, theirs) != theirs:
            raise InputError(f"`columns=…`: {ours} is given twice, as {columns[ours]!r} and as {theirs!r}.")
    return columns


def open_table(path: Path, *, columns: Mapping[str, str] | None = None, own: Collection[str] = ()) -> Table:
    """The table in a file, whatever its kind; columns of lists stay lists in Parquet and JSON.

    Args:
        path: a .csv, .tsv, .parquet, .jsonl or .json file; CSV in a file called .json is understood as well.
        columns: our name of a column → the file's.
        own: our columns that only files of this kind have: where `columns` names one, the file must have it.

    Raises:
        FormatError: the file is not a table, has no rows, or lacks a column that was named.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        table = _read_parquet(path)
    elif suffix in LINE_SUFFIXES:
        table = _read_lines(path)
    elif suffix == ".json":
        table = _read_json(path)
    else:
        table = read_table(path)
    return rename_columns(table, columns or {}, own=own)


def list_columns(path: Path) -> list[str]:
    """The columns that a table says that it has, by a look at its first line; none where that cannot be told.

    Of JSON Lines these are the fields of the first line.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return list(_find_schema(path))
    try:
        with path.open("rb") as file:
            first = file.readline(MAX_LINE_BYTES).decode("utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        return []
    if first[:1] in {"{", "["}:
        return _list_fields(path, first)
    try:
        return [cell.strip() for cell in next(csv.reader([first], delimiter=SEPARATORS.get(suffix, ",")), [])]
    except csv.Error:
        return []


def _list_fields(path: Path, first: str) -> list[str]:
    if _is_object(first):
        return list(json.loads(first))
    if path.suffix.lower() != ".json":
        return []
    try:
        return list(_read_json(path).frame.columns)
    except InputError:
        return []


def rename_columns(table: Table, columns: Mapping[str, str], *, own: Collection[str] = ()) -> Table:
    """The table with its columns as we call them.

    `image_id` may have been named for a file of another kind: it is left as it is where the file has it under our name, or names
    of files in its place.

    Raises:
        FormatError: the file lacks a column that was named.
    """
    frame = table.frame
    for ours, theirs in columns.items():
        if ours not in own and ours != IMAGE_ID:
            continue
        if theirs in table.frame.columns:
            others = frame.select(name for name in frame.columns if name != ours)
            frame = others.with_columns(table.frame[theirs].alias(ours))
        elif ours in own or not {IMAGE_ID, FILE_NAME}.intersection(frame.columns):
            raise FormatError(
                table.path,
                f"there is no column {theirs!r} for {ours}; this file has: {', '.join(table.frame.columns)}.",
            )
    return replace(table, frame=frame)


def rename_fields(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a line as we call them; a field that the line lacks stays absent."""
    named = {theirs: ours for ours, theirs in columns.items()}
    kept = {name: value for name, value in row.items() if name not in named and name not in columns}
    return (
        kept
        | {ours: row[theirs] for theirs, ours in named.items() if theirs in row}
        | {ours: row[ours] for ours, theirs in columns.items() if theirs not in row and ours in row}
    )


def keep_test_set(table: Table, name: str, *, column: str = "test_set") -> Table:
    """The rows of one test set of a table that tells of several, as PATH#NAME chooses them.

    Raises:
        FormatError: the table does not tell test sets apart, or has none of that name.
    """
    if column not in table.frame.columns:
        raise FormatError(table.path, f"this table has no column {column} to choose {name!r} from.")
    kept = table.get_column(column) == name
    if not kept.any():
        known = ", ".join(table.get_column(column).unique(maintain_order=True).to_list())
        raise FormatError(
            table.path, f"there is no test set {name!r} here; write {table.path.name}#NAME with one of: {known}."
        )
    return replace(table, frame=table.frame.filter(kept), records=table.records.filter(kept))


def as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """All cells as text, but for lists: whole numbers without a point, whatever type a program has given them."""
    return frame.select(
        column if column.dtype.is_nested() else _as_text(column).alias(column.name) for column in frame.iter_columns()
    )


def _as_text(column: pl.Series) -> pl.Series:
    if column.dtype == pl.Binary:
        return column.cast(pl.String, strict=False)
    if column.dtype.is_float():
        known = column.drop_nulls()
        # Columns of whole numbers of which some are missing are floats in pandas.
        if bool((known.is_finite() & (known == known.floor()) & (known.abs() < _LARGEST_WHOLE)).all()):
            return column.cast(pl.Int64).cast(pl.String)
    return column.cast(pl.String)


def _read_parquet(path: Path) -> Table:
    nested = [name for name, kind in _find_schema(path).items() if isinstance(kind, pl.List | pl.Array)]
    frame = read_parquet(path, nested=nested)
    return _make_table(path, frame)


def _find_schema(path: Path) -> Mapping[str, pl.DataType]:
    """The columns of a Parquet file; none of a file that is no such file, which its reader will say."""
    try:
        return pl.read_parquet_schema(path)
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return {}


def _read_lines(path: Path) -> Table:
    """JSON Lines; Polars reads millions of lines a second, and where it gives up we see which line is at fault."""
    check_room(path, _find_size(path) * _LINE_COPIES)
    try:
        frame = pl.read_ndjson(path, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return _read_rows(path)
    return replace(_make_table(path, frame), has_lines=True)


def _read_rows(path: Path) -> Table:
    rows = list(read_json_lines(path))
    table = _make_rows(path, [row for _, row in rows])
    return replace(table, records=pl.Series([line - 1 for line, _ in rows]), has_lines=True)


def _find_size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _read_json(path: Path) -> Table:
    """JSON as pandas writes it: a list of rows, `columns` and `data`, or an object of rows by file name.

    timm's inference script writes CSV into a file called .json where it is asked for `json-record`.
    """
    text = read_text(path, has_lines=False)
    first = text.lstrip()[0]
    if first not in "{[":
        return read_table(path)
    if first == "{" and _is_object(text.lstrip().partition("\n")[0]):
        return _read_rows(path)
    return make_json_table(path, parse_json(path, text))


def make_json_table(path: Path, content: object) -> Table:
    """The table that a JSON content stands for.

    Raises:
        FormatError: it stands for none.
    """
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        return _make_rows(path, content)
    if isinstance(content, dict) and content:
        names, data = content.get("columns"), content.get("data")
        if isinstance(names, list) and isinstance(data, list) and set(content) <= {"columns", "data", "index"}:
            return _make_split(path, names, data)
        if all(isinstance(row, dict) for row in content.values()):
            return _make_rows(path, [{FILE_NAME: name, **row} for name, row in content.items()])
    raise FormatError(
        path,
        "a JSON table is a list of objects, an object with columns and data, or an object of objects by file name; "
        f"{describe_json(content)}.",
    )


def describe_json(content: object) -> str:
    """What a JSON file holds, for an error.

    >>> describe_json({"a": 1}), describe_json([1, 2])
    ('this is an object with a', 'this is a list of 2 items, the first of them a number')
    """
    if isinstance(content, dict):
        names = ", ".join(map(str, list(content)[:N_NAMED])) + (", …" if len(content) > N_NAMED else "")
        return f"this is an object with {names}" if content else "this is an empty object"
    if isinstance(content, list):
        first = f", the first of them {_name_kind(content[0])}" if content else ""
        return f"this is a list of {len(content):,} item{'' if len(content) == 1 else 's'}{first}"
    return f"this is {_name_kind(content)}"


def _name_kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _is_object(line: str) -> bool:
    """Whether a line is a whole JSON object with a text or number in it, and so a row: objects of rows have none."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and any(not isinstance(value, dict | list) for value in content.values())


def _make_split(path: Path, names: Sequence[object], data: Sequence[object]) -> Table:
    for number, row in enumerate(data, start=1):
        if not isinstance(row, list) or len(row) != len(names):
            raise FormatError(path, f"row {number:,} of data has not one value for each of the {len(names)} columns.")
    return _make_rows(path, [dict(zip(map(str, names), row, strict=True)) for row in data if isinstance(row, list)])


def _make_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise FormatError(path, "the file has no rows.")
    return _make_table(path, pl.DataFrame([_make_column(name, [row.get(name) for row in rows]) for name in names]))


def _make_column(name: str, values: Sequence[Any]) -> pl.Series:
    if any(isinstance(value, list) for value in values):
        lists = [value if isinstance(value, list) else None if value is None else [value] for value in values]
        texts = [None if one is None else [None if cell is None else str(cell) for cell in one] for one in lists]
        return pl.Series(name, texts, dtype=pl.List(pl.String))
    cells = [None if value is None else _write_cell(value) for value in values]
    return pl.Series(name, cells, dtype=pl.String)


def _write_cell(value: object) -> str:
    return (
        str(value).lower() if isinstance(value, bool) else json.dumps(value) if isinstance(value, dict) else str(value)
    )


def _make_table(path: Path, frame: pl.DataFrame) -> Table:
    if not frame.height:
        raise FormatError(path, "the file has no rows.")
    return Table(path, as_texts(frame), text="", records=pl.Series(range(frame.height), dtype=pl.Int64))
