"""`regauge demo`: the first thing a newcomer runs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import Result, Runner, make_runner
from tests.simulated import SMALL, ShownDemo
from tests.waits import PATIENCE, wait_for

import regauge.cli.demo as module
from regauge.workflows.demo.flow import FULL, Demo, WorldSize, claim_folder
from regauge.workflows.studies.study import Circumstances


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    return make_runner(monkeypatch, capsys)


@pytest.fixture
def shown(shown_demo: ShownDemo) -> tuple[Path, Result]:
    """One run of the command for all tests, on a small world: its folder and what it printed."""
    return shown_demo.demo.folder, shown_demo.result


def test_the_first_line_says_that_it_is_simulated_and_how_large(shown: tuple[Path, Result]) -> None:
    assert shown[1].status == 0
    sizes = SMALL.sizes
    total = f"{sizes.training + sizes.original + sizes.pool:,}"
    beginning = f"A simulated world: drawing {total} pictures and training models on {sizes.training} of them …"
    assert shown[1].err.startswith(beginning)


def test_the_demo_shows_the_comparison_in_a_table_that_fits(shown: tuple[Path, Result]) -> None:
    table = shown[1].out.partition("\nPictures ")[0]
    assert "top1 on original and on new" in table
    assert "patches-64-ridge" in table
    assert "Mean change of top1 over 11 models" in table
    assert max(len(line) for line in table.splitlines() if "─" in line) <= 80


def test_the_files_that_the_demo_names_are_there(shown: tuple[Path, Result]) -> None:
    folder, result = shown
    for name in ("images.png", "report/report.html"):
        assert (folder / name).stat().st_size > 0
        assert str(folder / name) in result.out


def test_the_commands_that_the_demo_prints_run(shown: tuple[Path, Result], run: Runner, tmp_path: Path) -> None:
    # Other tests read the same demo, so that commands run on a copy.
    folder = Path(shutil.copytree(shown[0], tmp_path / "my demo"))
    printed = shown[1].out.replace(str(shown[0]), str(folder))
    commands = [line.partition("regauge ")[2] for line in printed.splitlines() if "  regauge " in line]
    assert len(commands) >= 2
    for words in commands:
        if words.startswith("serve "):
            # It would not end; that it runs is shown in tests/server.
            continue
        result = run(*shlex.split(words))
        assert (result.status, bool(result.out)) == (0, True), (words, result.err)


def test_nothing_is_odd_about_the_experts(shown: tuple[Path, Result], run: Runner) -> None:
    found = run("campaign", "annotators", "simulated-review", "--study", str(shown[0] / "study"), "--format", "json")
    assert [one["flags"] for one in json.loads(found.out)["annotators"]] == [[], [], []]


def test_full_draws_a_larger_world(run: Runner, demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Path, Circumstances, WorldSize]] = []

    def render(folder: Path, *, around: Circumstances, extent: WorldSize, n_processes: int) -> Demo:
        calls.append((folder, around, extent))
        return demo

    monkeypatch.setattr(module, "run_demo", render)
    result = run("demo", str(tmp_path / "full"), "--full", "--seed", "5")
    sizes = FULL.sizes
    total = sizes.training + sizes.original + sizes.pool
    assert f"drawing {total:,} pictures and training models on {sizes.training:,} of them" in result.err
    ((folder, around, extent),) = calls
    assert (folder, extent) == (tmp_path / "full", FULL)
    assert around.rng.bit_generator.state == np.random.default_rng(5).bit_generator.state
    assert "patches-64-ridge" in result.out


SMALLER = """
import sys
from regauge.cli import demo, main
from tests.simulated import TINY
demo.USUAL = TINY
sys.argv = ["regauge", "demo", sys.argv[1]]
main.main()
"""
"""The command, on a world that is sooner drawn."""


def test_ctrl_c_stops_the_demo_without_a_traceback_and_its_folder_can_be_taken_again(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    words = [sys.executable, "-c", SMALLER, str(folder)]
    # The whole group is told, as a terminal does: the processes that draw must keep quiet.
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        wait_for((folder / "predictions" / "new").exists, "the predictions")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == b""
    (line,) = (line for line in err.decode().splitlines()[1:] if line)
    assert line.startswith("Stopped.")
    claim_folder(folder)
    assert list((folder / "predictions" / "new").iterdir()) == []


def test_a_folder_that_holds_something_else_is_left_alone(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    result = run("demo", str(tmp_path))
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines()[-1].endswith("is not empty and was not made by the demo; name another folder.")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_in_the_place_of_the_folder_is_refused(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    result = run("demo", str(tmp_path / "file"))
    assert (result.status, result.out) == (2, "")
    assert "cannot be written" in result.err
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_a_negative_seed_is_refused(run: Runner, tmp_path: Path) -> None:
    result = run("demo", str(tmp_path / "x"), "--seed", "-1")
    assert result.status == 2
    assert not (tmp_path / "x").exists()
