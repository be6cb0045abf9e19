"""A served study, for tests of what goes over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.platform_campaign import Doors
from tests.server.served_study import Served, Visitor, serve_pictured
from tests.workflows.platform_visitors import DONE, change_terms

from regauge.records.campaigns.terms import Prolific


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve_pictured(tmp_path) as found:
        yield found


@pytest.fixture
def annotator(served: Served) -> Visitor:
    return served.enter(served.people[0])


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    with serve_pictured(tmp_path) as served:
        terms = {"prolific": Prolific(DONE, "OUT1", 2), "mturk_tasks": 2}
        yield Doors(served, change_terms(served.study, served.campaign, **terms))
