"""Statements that one engine has translated into SQL serve all others of its kind: tests make thousands of engines.

A program has one engine, and translates each statement once. A test has one per study and per command, and to translate what
many of them have asked before is a tenth of the work of all tests.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

N_STATEMENTS = 4_000
"""More than all tests ask."""


def share_statements() -> None:
    """Let engines of this process take the SQL of a statement from one another."""
    kept: LRUCache[Any, Any] = LRUCache(N_STATEMENTS)

    def share(engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=kept)

    # SQL is kept under the dialect that it was written for.
    for kind in (SQLiteDialect_pysqlite, PGDialect_psycopg):
        for name, method in (("__eq__", _is_same), ("__hash__", _hash), ("engine_created", staticmethod(share))):
            setattr(kind, name, method)


def _is_same(self: DefaultDialect, other: object) -> bool:
    """Whether both write the same SQL: they are of one kind and one version, and write JSON alike."""
    return self is other or (type(self) is type(other) and _describe(self) == _describe(other))


def _hash(self: DefaultDialect) -> int:
    return hash(type(self))


def _describe(dialect: Any) -> tuple[object, ...]:
    return dialect.server_version_info, dialect._json_serializer, dialect.default_schema_name
