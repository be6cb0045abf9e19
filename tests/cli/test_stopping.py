"""Ctrl-C: one sentence and status 130 at any moment, and a study in which nothing is half done."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.storage.small_studies import make_circumstances
from tests.waits import PATIENCE

from regauge.cli.start import STOPPED
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import describe_status, init_study, open_study
from regauge.workflows.testsets.test_set import add_test_set

N_IMAGES = 5_000
MODELS = [f"model{number}" for number in range(6)]
BEGINNING = """
import sys
from types import SimpleNamespace
from regauge.cli import start

load = start.importlib.import_module

def begin(name):
    sys.stderr.write("begun")
    sys.stderr.flush()
    return load(name)

start.importlib = SimpleNamespace(import_module=begin)
sys.argv[0] = "regauge"
start.main()
"""
"""Before this, Python itself starts, which nobody but Python can stop in good order."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with a test set and one participant, and the files of five more."""
    made = tmp_path_factory.mktemp("stopping")
    rng = np.random.default_rng(0)
    ids = [f"image_{number}" for number in range(N_IMAGES)]
    rows = "".join(f"{one},{label}\n" for one, label in zip(ids, rng.integers(0, 10, N_IMAGES).tolist(), strict=True))
    (made / "set.csv").write_text(f"image_id,label\n{rows}")
    for model in MODELS:
        classes = np.argsort(rng.random((N_IMAGES, 10)), axis=1)[:, :5].astype(np.int32)
        np.savez(made / f"{model}.npz", image_ids=np.array(ids), classes=classes)
    study = init_study(made / "study", taxonomy="cifar-10", around=make_circumstances())
    with study.begin() as begun:
        add_test_set(begun, made / "set.csv")
        add_predictions(begun, PredictionSource(made / "model0.npz"))
    study.close()
    return made


def stop(folder: Path, after: float, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command and press Ctrl-C so many seconds after it has begun."""
    program = [sys.executable, "-c", BEGINNING, *words]
    with subprocess.Popen(program, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        assert child.stderr.read(5) == "begun"
        time.sleep(after)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(program, child.returncode, out, err)


def count(folder: Path) -> tuple[int, int, int]:
    """Participants, evaluations and arrays of the study, once what was left has been swept."""
    study = open_study(folder / "study", around=make_circumstances())
    with study.read() as begun:
        status = describe_status(begun)
    study.close()
    return len(status.predictions), len(status.evaluations), len(list(study.paths.predictions.iterdir()))


@pytest.mark.parametrize("after", [0.0, 0.1, 0.4, 1.0])
def test_a_stopped_command_says_one_sentence_and_leaves_nothing_half_done(folder: Path, after: float) -> None:
    before = count(folder)
    for words in (
        ("predictions", "add", *(f"{model}.npz" for model in MODELS), "--study", "study"),
        ("evaluate", "--n-bootstrap", "100000", "--study", "study", "--format", "json"),
    ):
        result = stop(folder, after, *words)
        n_participants, n_evaluations, n_arrays = count(folder)
        if result.returncode == 130:
            assert [line for line in result.stderr.splitlines() if line] == [STOPPED]
            assert "Traceback" not in result.stderr
        else:
            # The command was faster.
            assert result.returncode == 0, result.stderr
        assert n_participants in {before[0], len(MODELS)}
        assert n_arrays == n_participants
        assert n_evaluations - before[1] in {0, 1}


def test_a_command_that_was_stopped_goes_on_when_it_is_given_again(folder: Path) -> None:
    words = [sys.executable, "-m", "regauge", "predictions", "add", *(f"{model}.npz" for model in MODELS)]
    for _ in range(2):
        result = subprocess.run([*words, "--study", "study"], cwd=folder, capture_output=True, text=True, check=True)
        assert count(folder)[0] == len(MODELS)
    assert result.stderr.count("is already there with the same answers.") == len(MODELS)
