"""An export format is one file: one that is defined beside this test becomes a command like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner
from tests.test_docs import read
from tests.workflows.exports.export_ids import IDS
from tests.workflows.picture_study import IDS as IMAGE_IDS
from tests.workflows.picture_study import make_pictured_study

from regauge.workflows import exports


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command inside a study with pictures, where the format is in the registry."""
    with make_pictured_study(tmp_path):
        pass
    monkeypatch.chdir(tmp_path / "study")
    monkeypatch.setattr(exports, "EXPORTS", (*exports.EXPORTS, IDS))
    return make_runner(monkeypatch, capsys)


def test_the_format_is_a_command_with_its_options(run: Runner) -> None:
    assert IDS.help in run("export", "--help").out
    assert "--test-set" in run("export", "ids", "--help").out
    result = run("export", "ids", "../ids.txt", "--test-set", "pictures", "--format", "json")
    (row,) = json.loads(result.out)["files"]
    assert row["n_rows"] == len(IMAGE_IDS)
    assert Path("../ids.txt").read_text(encoding="utf-8").splitlines() == list(IMAGE_IDS)


def test_it_overwrites_nothing_and_refuses_what_it_does_not_take(run: Runner) -> None:
    Path("../ids.txt").write_text("mine")
    assert run("export", "ids", "../ids.txt").status == 2
    assert Path("../ids.txt").read_text() == "mine"
    assert run("export", "ids", "../more.txt", "--labels", "people").status == 2


def test_the_docs_show_this_very_file() -> None:
    source = (Path(__file__).parent / "export_ids.py").read_text(encoding="utf-8")
    assert f"```python\n{source}```" in read("docs/contributing.md")
