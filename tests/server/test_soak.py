"""The server is killed while people work, and nothing is lost, doubled or spoilt; `make soak` does the same for longer."""

from __future__ import annotations

from pathlib import Path

from scripts.soak_checks import SoakReport
from scripts.soak_server import SoakPlan, soak
from scripts.soak_study import REVIEWS
from tests.workflows.conftest import postgres, postgres_database  # noqa: F401 - fixtures


def test_no_acknowledged_answer_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    report = soak(tmp_path, SoakPlan(3, n_annotators=20, seed=1))
    assert report.n_answers > 100
    check_reviewed(report)
    assert report.counts["kills of all"] == 3
    assert report.counts["gone before the reply"]
    assert report.counts["jumps of the clock"]


def test_no_acknowledged_answer_is_lost_with_four_processes_on_postgresql(
    tmp_path: Path,
    postgres_database: str,  # noqa: F811 - the fixture
) -> None:
    report = soak(tmp_path, SoakPlan(3, postgres_database, n_workers=4, n_annotators=20, seed=2))
    assert report.n_answers > 100
    check_reviewed(report)
    assert sum(n for what, n in report.counts.items() if what.startswith("kills")) == 3


def check_reviewed(report: SoakReport) -> None:
    """Reviewers worked by image and in grids, and every verdict came up; that these are the right ones, `soak` has checked."""
    for name in REVIEWS:
        assert min(report.verdicts[name][verdict] for verdict in ("correct", "unclear", "wrong")) > 0
