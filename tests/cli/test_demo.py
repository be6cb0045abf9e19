"""`regauge demo`: the first thing a newcomer runs."""

from __future__ import annotations

import csv
import io
import shlex
import sys
from pathlib import Path

import pytest
from tests.cli.running import Result, Runner, make_runner

from regauge.cli.main import main


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    return make_runner(monkeypatch, capsys)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """One run of the demo for all tests, in a folder whose name must be quoted in a shell."""
    folder = tmp_path_factory.mktemp("demo") / "my demo"
    with pytest.MonkeyPatch.context() as patch:
        out, err = io.StringIO(), io.StringIO()
        patch.setattr(sys, "argv", ["regauge", "demo", str(folder)])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as stop:
            main()
    return folder, Result(stop.value.code or 0, out.getvalue(), err.getvalue())


def test_the_demo_says_that_it_is_simulated_and_shows_a_table_that_fits(demo: tuple[Path, Result]) -> None:
    _, result = demo
    assert result.status == 0
    assert result.err.startswith("A simulated benchmark: ")
    table = result.out.partition("\nFigure ")[0]
    assert "Accuracy on drawn-shapes" in table
    assert max(map(len, table.splitlines())) <= 80


def test_the_demo_leaves_the_files_that_it_names(demo: tuple[Path, Result]) -> None:
    folder, result = demo
    for name in ("scores.svg", "scores.html", "scores.csv", "images.png"):
        assert (folder / name).stat().st_size > 0
        assert str(folder / name) in result.out
    assert len(list((folder / "images").glob("*.png"))) == 600
    assert len(list((folder / "predictions").glob("*.npz"))) == 5


def test_the_command_that_the_demo_prints_gives_the_same_scores(demo: tuple[Path, Result], run: Runner) -> None:
    folder, result = demo
    line = next(line for line in result.out.splitlines() if line.startswith("Do it again"))
    again = run(*shlex.split(line.removeprefix("Do it again"))[1:], "--format", "csv")
    assert list(csv.DictReader(io.StringIO(again.out))) == list(
        csv.DictReader((folder / "scores.csv").read_text(encoding="utf-8").splitlines())
    )


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
