"""A served study, for tests of what goes over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.serving import Served, Visitor, serve_pictured


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve_pictured(tmp_path) as found:
        yield found


@pytest.fixture
def annotator(served: Served) -> Visitor:
    return served.enter(served.people[0])
