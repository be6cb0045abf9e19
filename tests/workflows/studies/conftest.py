"""Databases that are empty: here tables are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.storage.postgres import drop_database
from tests.workflows.conftest import make_database


@pytest.fixture
def postgres_database(postgres: Path) -> Iterator[str]:
    """The address of an empty PostgreSQL database, which is gone afterwards."""
    address = make_database(postgres)
    yield address
    drop_database(address)
