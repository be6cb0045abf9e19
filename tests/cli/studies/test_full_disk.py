"""Commands on a full disk: one sentence, and a study that is as it was."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.cli.command_runner import write
from tests.storage.small_studies import fill, make_circumstances, make_study

from regauge import Predictions
from regauge.storage.database import engine
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import describe_status, open_study
from regauge.workflows.testsets.test_set import add_test_set

N_BYTES = 45_000
"""Enough for the 32 KiB that SQLite needs beside a database to read it, not enough for what these commands write."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with three test sets, two of them answered by many, beside files to add."""
    ids = [f"image_{number}" for number in range(15_000)]
    rng = np.random.default_rng(0)
    many = [
        Predictions(f"model{number}", np.array(list("abcd")), rng.integers(0, 10, 4, np.int32)) for number in range(80)
    ]
    write(tmp_path, {"large.csv": "image_id,class\n" + "".join(f"{one},0\n" for one in ids)})
    write(tmp_path, {"large-set.csv": "image_id,label\n" + "".join(f"{one},0\n" for one in ids)})
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
        with study.begin() as begun:
            add_test_set(begun, tmp_path / "large-set.csv", name="large")
            add_test_set(begun, tmp_path / "truth.csv", name="new")
            for name in ("truth", "new"):
                add_predictions(begun, PredictionSource(many), test_set=name)
    return tmp_path


def run_limited(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command that may write no file larger than so many bytes, which looks to it like a disk that is full."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (N_BYTES, N_BYTES))

    program = [sys.executable, "-m", "regauge", *words, "--study", "study"]
    # Where nothing was compiled yet, compiled code would be the first that does not fit.
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    options: dict[str, Any] = {"cwd": folder, "capture_output": True, "text": True, "env": environment}
    return subprocess.run(program, check=False, preexec_fn=limit, **options)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("evaluate --test-set truth --n-bootstrap 100", r"study\.db cannot be "),
        ("compare truth new --n-bootstrap 100", r"study\.db cannot be "),
        (
            "predictions add large.csv --test-set large",
            r"\.npy cannot be written: File too large\. Nothing was changed\.",
        ),
        ("testset add large-set.csv --name again", r"study\.db cannot be "),
        ("backup", "cannot be written"),
    ],
)
def test_a_full_disk_is_one_sentence_and_breaks_nothing(folder: Path, words: str, reason: str) -> None:
    before = read_status(folder)
    result = run_limited(folder, *words.split())
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    assert re.fullmatch(rf"Error: .*{reason}.*\n", result.stderr)
    assert read_status(folder) == before
    assert not list((folder / "study").rglob("*.partial"))


def read_status(folder: Path) -> object:
    study = open_study(folder / "study", around=make_circumstances())
    with study.read() as begun:
        status = describe_status(begun)
    study.close()
    return status


def test_a_disk_without_room_to_read_is_called_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    for usage.free, reason in ((10, "because the disk is full"), (10**9, "cannot be used: disk I/O error")):
        assert reason in engine._explain(str(tmp_path / "study.db"), "disk I/O error")
