"""A study on each database that Regauge knows, so that every test of a workflow runs on both."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, text
from tests.storage.postgres import USER, drop_database, share_server
from tests.storage.small_studies import make_study

from regauge.workflows.studies.study import Study

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Path]:
    """The socket folder of a private PostgreSQL; modules that import this fixture share it."""
    with share_server() as folder:
        yield folder


def make_database(socket: Path) -> str:
    """The address of a new, empty database."""
    name = f"study_{next(_numbers)}"
    url = URL.create("postgresql+psycopg", username=USER, database="postgres", query={"host": str(socket)})
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return f"postgresql://{USER}@/{name}?host={socket}"


@pytest.fixture
def postgres_database(postgres: Path) -> Iterator[str]:
    """The address of an empty PostgreSQL database, which is gone afterwards."""
    address = make_database(postgres)
    yield address
    drop_database(address)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The address of an empty database; nothing stands for SQLite."""
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_database"))


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """An empty study beside the files of `tests.storage.small_studies`."""
    with make_study(tmp_path, database=database) as made:
        yield made
