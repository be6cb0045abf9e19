"""Tables ↔ JSON Lines and a description of their columns, so that tables of any revision can be made again anywhere."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    UniqueConstraint,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import DataError, IntegrityError, SAWarning, SQLAlchemyError
from sqlalchemy.schema import CreateIndex
from sqlalchemy.types import TypeEngine

from regauge.errors import InputError, StorageError
from regauge.storage.database.schema import HEAD, metadata, revisions

Description: TypeAlias = Mapping[str, Any]

MAX_LINE_BYTES = 64 * 2**20
"""A row of JSON that is longer is neither written nor read: reading must not need more memory than a machine has."""

_ROWS_AT_ONCE = 2_000
_BYTES_AT_ONCE = 8 * 2**20

_KINDS: Mapping[str, tuple[type[TypeEngine[Any]], type[TypeEngine[Any]], tuple[type, ...]]] = {
    # What a description calls it; how it is recognised; how it is made; which values of JSON it may hold.
    "boolean": (Boolean, Boolean, (bool,)),
    "smallint": (SmallInteger, SmallInteger, (int,)),
    "bigint": (BigInteger, BigInteger, (int,)),
    "integer": (Integer, Integer, (int,)),
    "double": (Float, Double, (int, float)),
    "json": (JSON, JSON, (dict, list, str, int, float, bool)),
    "string": (String, String, (str,)),
}


def find_tables(connection: Connection, revision: str) -> list[Table]:
    """The tables of a study, those that are referred to first, without the one that holds the revision.

    Tables of another revision are taken as they are, not as this version would have them: a backup comes before a migration.
    """
    found = metadata
    if revision != HEAD:
        found = MetaData()
        with warnings.catch_warnings():
            # SQLite's indexes of what is computed are not read; they are made again.
            warnings.simplefilter("ignore", SAWarning)
            found.reflect(connection)
    return [table for table in found.sorted_tables if table.name != revisions.name]


def describe_table(table: Table) -> dict[str, Any]:
    """What must be known to make the table again, on SQLite or PostgreSQL."""
    uniques = [one for one in table.constraints if isinstance(one, UniqueConstraint)]
    plain = table.indexes - find_computed_indexes(table)
    return {
        "columns": [_describe_column(column) for column in table.columns],
        "references": sorted([key.parent.name, *key.target_fullname.split(".")] for key in table.foreign_keys),
        "unique": sorted([column.name for column in one.columns] for one in uniques),
        "indexes": sorted([bool(one.unique), *(column.name for column in one.columns)] for one in plain),
    }


def find_computed_indexes(table: Table) -> set[Index]:
    """The indexes of a table that are of more than its columns; a copy of the table does without them until it is ours."""
    return {one for one in table.indexes if not all(isinstance(part, Column) for part in one.expressions)}


def add_computed_indexes(connection: Connection) -> None:
    """Make those that tables of this version lack."""
    for table in metadata.sorted_tables:
        for index in find_computed_indexes(table):
            connection.execute(CreateIndex(index, if_not_exists=True))


def make_tables(descriptions: Mapping[str, Description]) -> MetaData:
    """The tables that descriptions stand for.

    Raises:
        InputError: a description is not one of ours.
    """
    made = MetaData(naming_convention=metadata.naming_convention)
    try:
        for name, description in descriptions.items():
            Table(name, made, *_make_columns(description), *_make_constraints(description))
        # Sorting finds references that lead nowhere.
        _ = made.sorted_tables
    except (KeyError, TypeError, ValueError, AttributeError, SQLAlchemyError):
        raise InputError("the description of its tables is not understood.") from None
    return made


def dump_table(connection: Connection, table: Table) -> Iterator[bytes]:
    """All rows in the order of the primary key, one JSON object per line, many lines at a time."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    query = select(table).order_by(*table.primary_key.columns)
    rows = connection.execute(query, execution_options={"yield_per": _ROWS_AT_ONCE}).mappings()
    for part in rows.partitions(_ROWS_AT_ONCE):
        # Earlier versions kept half a character in JSON as its escape, and so does a line.
        lines = [encode(dict(row)).encode(errors="backslashreplace") for row in part]
        if max(map(len, lines)) > MAX_LINE_BYTES:
            raise StorageError(f"A row of the table {table.name} is larger than {MAX_LINE_BYTES // 2**20} MiB.")
        yield b"\n".join([*lines, b""])


def load_table(connection: Connection, table: Table, *, lines: Iterable[bytes]) -> int:
    """Insert all rows; returns how many there were.

    Raises:
        InputError: a line is not a row of the table, or rows contradict each other.
    """
    n_rows = n_bytes = 0
    batch: list[dict[str, Any]] = []
    rows = _Rows.of(table)
    for n_rows, line in enumerate(lines, start=1):
        batch.append(rows.parse(line, n_rows))
        n_bytes += len(line)
        if len(batch) >= _ROWS_AT_ONCE or n_bytes >= _BYTES_AT_ONCE:
            _insert(connection, table, batch)
            batch, n_bytes = [], 0
    _insert(connection, table, batch)
    return n_rows


def set_sequences(connection: Connection, tables: Iterable[Table]) -> None:
    """Let PostgreSQL count on from the largest id of every table; SQLite does so by itself."""
    if connection.dialect.name != "postgresql":
        return
    for table in tables:
        column = table.autoincrement_column
        if column is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            largest = func.max(column)
            connection.execute(select(func.setval(sequence, func.coalesce(largest, 1), largest.is_not(None))))


def check_tables(connection: Connection) -> None:
    """Refuse tables that lack a table or a column of this version.

    Raises:
        InputError: a table or a column of this version is not there.
    """
    found = inspect(connection)
    for table in metadata.sorted_tables:
        columns = {one["name"] for one in found.get_columns(table.name)} if found.has_table(table.name) else set()
        missing = [column.name for column in table.columns if column.name not in columns]
        if missing:
            raise InputError(f"its table {table.name} has no column {missing[0]}.")


def _describe_column(column: Column[Any]) -> dict[str, Any]:
    for kind, (recognised, _, _) in _KINDS.items():
        if isinstance(column.type, recognised):
            length = getattr(column.type, "length", None) if kind == "string" else None
            described = {"name": column.name, "type": kind, "nullable": bool(column.nullable)}
            return described | ({"key": True} if column.primary_key else {}) | ({"length": length} if length else {})
    raise StorageError(f"Column {column.name} of {column.table.name} is {column.type!r}, which bundles do not know.")


def _make_columns(description: Description) -> Iterator[Column[Any]]:
    targets = {column: f"{table}.{other}" for column, table, other in description["references"]}
    for one in description["columns"]:
        kind = _KINDS[one["type"]][1]
        made: Any = String(int(one["length"])) if "length" in one else kind()
        references = [ForeignKey(targets[one["name"]])] if one["name"] in targets else []
        yield Column(
            str(one["name"]), made, *references, primary_key="key" in one, nullable=one["nullable"] and "key" not in one
        )


def _make_constraints(description: Description) -> Iterator[UniqueConstraint | Index]:
    for columns in description["unique"]:
        yield UniqueConstraint(*map(str, columns))
    for is_unique, *columns in description["indexes"]:
        yield Index(None, *map(str, columns), unique=bool(is_unique))


@dataclass(frozen=True, slots=True)
class _Rows:
    """What every row of a table must look like. SQLite would store a text where a number belongs, and fail much later."""

    table: str
    types: Mapping[str, tuple[type, ...]]
    nullable: frozenset[str]

    @classmethod
    def of(cls, table: Table) -> _Rows:
        """What the rows of this table look like."""
        types = {column.name: _KINDS[_describe_column(column)["type"]][2] for column in table.columns}
        return cls(table.name, types, frozenset(column.name for column in table.columns if column.nullable))

    def parse(self, line: bytes, number: int) -> dict[str, Any]:
        """The row that a line holds."""
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"line {number} of its table {self.table} is not JSON.") from None
        if not isinstance(row, dict) or row.keys() != self.types.keys():
            raise InputError(f"line {number} of its table {self.table} does not have the columns of that table.")
        for name, value in row.items():
            # The exact type: a truth value is a whole number to Python, and to no database.
            if type(value) not in self.types[name] and not (value is None and name in self.nullable):
                raise InputError(f"line {number} of its table {self.table} has {value!r:.40} as {name}.")
        return row


def _insert(connection: Connection, table: Table, batch: list[dict[str, Any]]) -> None:
    if not batch:
        return
    try:
        connection.execute(insert(table), batch)
    except (IntegrityError, DataError, ValueError, OverflowError) as error:
        first = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise InputError(f"the rows of its table {table.name} cannot be stored: {first.rstrip('.')}.") from error
