"""The server is killed while people work, and nothing is lost, doubled or spoilt; `make soak` does the same for longer."""

from __future__ import annotations

from pathlib import Path

from scripts.soak_server import SoakPlan, soak
from tests.workflows.conftest import postgres, postgres_database  # noqa: F401 - fixtures


def test_no_acknowledged_answer_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    report = soak(tmp_path, SoakPlan(3, seed=1))
    assert report.n_answers > 100
    assert report.counts["kills of all"] == 3
    assert report.counts["gone before the reply"]
    assert report.counts["jumps of the clock"]


def test_no_acknowledged_answer_is_lost_with_four_processes_on_postgresql(
    tmp_path: Path,
    postgres_database: str,  # noqa: F811 - the fixture
) -> None:
    report = soak(tmp_path, SoakPlan(3, postgres_database, n_workers=4, seed=2))
    assert report.n_answers > 100
    assert sum(n for what, n in report.counts.items() if what.startswith("kills")) == 3
