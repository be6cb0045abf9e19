"""A study on each database that Regauge knows, so that every test of a workflow runs on both."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.storage.postgres import READY, create_database, drop_database, share_server
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
    return create_database(socket, f"study_{next(_numbers)}")


@pytest.fixture
def postgres_database(postgres: Path) -> Iterator[str]:
    """The address of a PostgreSQL database with the tables of a study that is still to be made; it is gone afterwards."""
    address = create_database(postgres, f"{READY}_{next(_numbers)}", template=READY)
    yield address
    drop_database(address)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The address of a database for a new study; nothing stands for SQLite."""
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_database"))


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """An empty study beside the files of `tests.storage.small_studies`."""
    with make_study(tmp_path, database=database) as made:
        yield made
