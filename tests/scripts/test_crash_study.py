"""A study survives being killed, in both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.crash_study import crash
from tests.storage.postgres import USER, start_server


@pytest.fixture
def postgres_database() -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    with start_server() as socket:
        yield f"postgresql://{USER}@/postgres?host={socket}"


def test_a_command_that_is_killed_at_any_moment_breaks_and_loses_nothing(tmp_path: Path) -> None:
    assert crash(tmp_path, 6) >= 3


def test_a_command_that_is_killed_breaks_and_loses_nothing_in_postgresql(
    tmp_path: Path, postgres_database: str
) -> None:
    assert crash(tmp_path, 6, database=postgres_database) >= 3
