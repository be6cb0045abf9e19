"""Many rows at once, in and out, by statements that are made once.

SQLite's driver lets go of the interpreter's lock at every row that it reads or writes. In a busy server each of these is a chance
to wait for the lock behind all other threads, a hundred times per batch. Here a batch of rows is one JSON text, and so one step.
PostgreSQL's driver sends and receives batches as they are.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import (
    ARRAY,
    JSON,
    BigInteger,
    BindParameter,
    Column,
    ColumnElement,
    CursorResult,
    Dialect,
    Insert,
    ScalarSelect,
    Select,
    Table,
    bindparam,
    column,
    func,
    insert,
    select,
    true,
)
from sqlalchemy import cast as sql_cast
from sqlalchemy.sql.visitors import replacement_traverse

from regauge.storage.study import Study

_Value = TypeVar("_Value")


def fetch_rows(study: Study, query: Select[Any], lists: Mapping[str, Collection[Any]]) -> Sequence[Sequence[Any]]:
    """All rows of a query of numbers and texts.

    Args:
        study: the study, inside a transaction.
        query: the same object every time.
        lists: what its expanding parameters stand for.
    """
    if study.engine.dialect.name != "sqlite":
        return study.connection.execute(query, {name: pad(values) for name, values in lists.items()}).all()
    texts = {name: json.dumps(list(values)) for name, values in lists.items()}
    rows: list[list[Any]] = json.loads(_execute(study, _gather(query), texts).scalar_one())
    return rows


def fetch_plain(study: Study, query: Select[Any]) -> Sequence[tuple[Any, ...]]:
    """All rows of a query of numbers and texts as the driver gives them, truth values as it has them: for very many rows."""
    rows: Sequence[tuple[Any, ...]] = study.connection.execute(query).cursor.fetchall()
    return rows


def insert_rows(study: Study, table: Table, rows: Sequence[Mapping[str, Any]], *, replace: bool = False) -> None:
    """Store rows that all have the same columns; if asked for, in the place of those that have their keys."""
    if not rows:
        return
    names = tuple(rows[0])
    if study.engine.dialect.name != "sqlite":
        study.connection.execute(_replace(table, names) if replace else insert(table), rows)
        return
    _execute(study, _spread(table, names, replace), {"rows": json.dumps([list(row.values()) for row in rows])})


def merge_rows(study: Study, table: Table, rows: Sequence[Mapping[str, Any]], *, least: str, most: str) -> None:
    """Store rows that all have the same columns; where there is one of their key, only two columns of it change.

    Args:
        study: the study, inside a transaction.
        table: which table.
        rows: the rows, no two of them of one key.
        least: the column in which the lesser value stays.
        most: the one in which the greater does.
    """
    if not rows:
        return
    names = tuple(rows[0])
    statement = _merge(table, names, (least, most), study.engine.dialect.name)
    if study.engine.dialect.name != "sqlite":
        study.connection.execute(statement, rows)
        return
    _execute(study, statement, {"rows": json.dumps([list(row.values()) for row in rows])})


def is_among(
    study: Study, where: Column[int], numbers: Collection[int], *, may_be_most: bool = False
) -> ColumnElement[bool]:
    """Whether a column has one of some numbers, however many there are: they go to the database as one value.

    Args:
        study: the study.
        where: the column.
        numbers: which.
        may_be_most: whether they may be most of what the rest of the query finds, so that looking through all of that is no
            loss.
    """
    if study.engine.dialect.name != "sqlite":
        # Compared with an array, every row would look through the whole of it; a table of the numbers is joined. That is as slow
        # where PostgreSQL takes a table for nearly empty, as it does until it has counted new rows; what is hashed never is.
        among = where.in_(select(func.unnest(sql_cast(list(numbers), ARRAY(BigInteger)))))
        return among.is_(True) if may_be_most else among
    values = func.json_each(json.dumps(list(numbers))).table_valued("value")
    return where.in_(select(values.c.value))


def pad(values: Collection[_Value]) -> list[_Value]:
    """The values, the last one repeated up to a power of two: few lengths make few statements, which are kept prepared.

    >>> pad([1, 2, 3]), pad([])
    ([1, 2, 3, 3], [])
    """
    padded = list(values)
    return padded + padded[-1:] * ((1 << max(0, len(padded) - 1).bit_length()) - len(padded))


class _Words(NamedTuple):
    """A statement as the driver takes it: its words, its parameters in order, and those that are always the same."""

    text: str
    names: tuple[str, ...]
    usual: Mapping[str, Any]


def _execute(study: Study, statement: Select[Any] | Insert, texts: Mapping[str, str]) -> CursorResult[Any]:
    """Execute a statement whose words are made once: to look them up anew takes longer than what SQLite does with them."""
    words = _put_into_words(statement, study.engine.dialect)
    values = {**words.usual, **texts}
    return study.connection.exec_driver_sql(words.text, tuple(values[name] for name in words.names))


@lru_cache
def _put_into_words(statement: Select[Any] | Insert, dialect: Dialect) -> _Words:
    compiled = statement.compile(dialect=dialect)
    return _Words(str(compiled), tuple(compiled.positiontup or ()), compiled.params)


@lru_cache
def _gather(query: Select[Any]) -> Select[Any]:
    """The rows of a query as one text, and each of its lists as one."""
    unfolded = cast("Select[Any]", replacement_traverse(query, {}, _unfold))
    return select(func.json_group_array(func.json_array(*unfolded.subquery().c)))


def _unfold(element: object, **_: object) -> ScalarSelect[Any] | None:
    """What stands for a list of parameters: what is in a text."""
    if not isinstance(element, BindParameter) or not element.expanding:
        return None
    return select(func.json_each(bindparam(element.key)).table_valued("value").c.value).scalar_subquery()


@lru_cache
def _replace(table: Table, names: tuple[str, ...]) -> Insert:
    """Rows of a table of PostgreSQL in the place of those that have their keys."""
    # The words of its own that PostgreSQL has take as long to load as a study takes to open.
    new = importlib.import_module("sqlalchemy.dialects.postgresql").insert(table)
    changed = {name: new.excluded[name] for name in names if not table.c[name].primary_key}
    replacing: Insert = new.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)
    return replacing


@lru_cache
def _merge(table: Table, names: tuple[str, ...], ends: tuple[str, str], backend: str) -> Insert:
    """Rows of a table, where there is one of their key merged with it."""
    is_sqlite = backend == "sqlite"
    new = importlib.import_module(f"sqlalchemy.dialects.{backend}").insert(table)
    if is_sqlite:
        row = func.json_each(bindparam("rows")).table_valued(column("value", JSON)).c.value
        cells = [func.json_extract(row, f"$[{place}]") for place in range(len(names))]
        # Without a condition SQLite would take what follows for one of a join.
        new = new.from_select(names, select(*cells).where(true()))
    take_least, take_most = (func.min, func.max) if is_sqlite else (func.least, func.greatest)
    changed = {
        name: take(table.c[name], new.excluded[name]) for name, take in zip(ends, (take_least, take_most), strict=True)
    }
    merging: Insert = new.on_conflict_do_update(index_elements=list(table.primary_key), set_=changed)
    return merging


@lru_cache
def _spread(table: Table, names: tuple[str, ...], replace: bool = False) -> Insert:  # noqa: FBT001, FBT002 - private
    """Rows of a table out of one text. What is JSON in a row stays text, anything else becomes a value."""
    row = func.json_each(bindparam("rows")).table_valued(column("value", JSON)).c.value
    cells = [func.json_extract(row, f"$[{place}]") for place in range(len(names))]
    kept = [
        func.json(cell) if isinstance(table.c[name].type, JSON) else cell
        for name, cell in zip(names, cells, strict=True)
    ]
    new = insert(table).prefix_with("OR REPLACE") if replace else insert(table)
    return new.from_select(names, select(*kept))
