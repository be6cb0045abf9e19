"""Long work shows a bar on a terminal, and nothing anywhere else."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.console import Console
from tests.cli.command_runner import FILES, write
from tests.storage.small_studies import fill, make_study
from tests.workflows.pool_folders import save_pictures

from regauge import Predictions
from regauge.cli.printing import progress
from regauge.formats.testsets import add_checksums, load_located
from regauge.records.progress import track_silently
from regauge.records.studies import Selection
from regauge.workflows.evaluation.evaluations import compare, evaluate
from regauge.workflows.evaluation.scoring import score
from regauge.workflows.evaluation.shifts import shift
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.testsets.test_set import add_test_set

PYTHON = [sys.executable, "-m", "regauge"]


class Shown(NamedTuple):
    """How a command ended, its standard output, which is a pipe, and its standard error, which is a terminal."""

    status: int
    out: str
    shown: str


def run_on_terminal(folder: Path, *words: str) -> Shown:
    terminal, end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen([*PYTHON, *words], cwd=folder, stdout=subprocess.PIPE, stderr=end, env=environment) as child:
        os.close(end)
        assert child.stdout is not None
        out = child.stdout.read().decode()
        shown = b""
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:
            # This is how a terminal says that nobody writes to it any more.
            pass
    os.close(terminal)
    return Shown(child.returncode, out, shown.decode())


def test_a_terminal_shows_a_bar_that_is_gone_afterwards(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "[bold]odd.csv": FILES["t.csv"]})
    status, out, shown = run_on_terminal(tmp_path, "score", "p.csv", "top5.csv", "--truth", "t.csv", "--format", "json")
    assert (status, {row["participant"] for row in json.loads(out)["scores"]}) == (0, {"p", "top5"})
    assert "Scoring" in shown
    assert "2/2" in shown
    # The last that is written of the bar is that its line is empty and the cursor visible again.
    assert shown.rindex("\x1b[2K") > shown.rindex("2/2")
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    words = ("--original-truth", "[bold]odd.csv", "--original", "p.csv", "--new-truth", "t.csv", "--new", "p.csv")
    assert "Judging on [bold]odd" in run_on_terminal(tmp_path, "shift", *words, "--n-bootstrap", "100").shown


def test_a_pipe_gets_no_bar(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    words = [*PYTHON, "score", "p.csv", "--truth", "t.csv", "--format", "jsonl"]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Scoring" not in result.stdout + result.stderr
    assert "\x1b" not in result.stdout + result.stderr


def test_a_command_that_fails_on_a_terminal_ends_its_bar_first(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "short.csv": "image_id,class\na,0\n"})
    status, _, shown = run_on_terminal(tmp_path, "score", "p.csv", "short.csv", "--truth", "t.csv")
    assert status == 2
    assert shown.index("Error: short has no prediction") > shown.rindex("\x1b[?25h")


class Log:
    """Remembers what it was asked to track."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []

    def __call__(self, items, description, *, total=None):
        things = list(items)
        self.seen.append((description, len(things)))
        return track_silently(things, description, total=total)


def test_everything_that_takes_long_is_tracked(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "images/0/a.png": b"1", "images/1/b.png": b"2"})
    log = Log()
    score([tmp_path / "p.csv", tmp_path / "top5.csv"], tmp_path / "t.csv", track=log)
    side = TestSetAnswers(tmp_path / "p.csv", tmp_path / "t.csv")
    shift(side, side, track=log)
    add_checksums(load_located(tmp_path / "images"), track=log)
    assert log.seen == [("Scoring", 2), ("Judging on t", 1), ("Judging on t", 1), ("Reading images", 2)]


def test_everything_in_a_study_that_takes_long_is_tracked(tmp_path: Path) -> None:
    save_pictures(tmp_path / "images", {"airplane/x.png": 1, "bird/y.png": 2})
    log = Log()
    with make_study(tmp_path) as made, replace(made, around=replace(made.around, track=log)).begin() as study:
        fill(study, tmp_path)
        evaluate(study)
        add_test_set(study, tmp_path / "images", checksums=True)
        answers = Predictions("good", ["x", "y"], [0, 2])
        add_predictions(study, PredictionSource(answers), test_set="images")
        compare(study, Selection("truth"), Selection("images"))
    assert log.seen == [
        ("Reading predictions", 2),
        ("Scoring", 2),
        ("Reading images, 64 at a time", 1),
        ("Reading images", 2),
        ("Reading predictions", 1),
        ("Judging on truth", 1),
        ("Judging on images", 1),
    ]


def test_work_of_unknown_length_shows_a_sign_of_life_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.show_life("Splitting the gap"):
        pass
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress, "Console", partial(Console, force_terminal=True))
    monkeypatch.setenv("TERM", "xterm")
    with progress.show_life("Splitting the gap"):
        pass
    captured = capsys.readouterr()
    assert "Splitting the gap" in captured.err
    assert captured.out == ""
