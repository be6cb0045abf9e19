"""Kill commands that write to a study at random moments, and check that it never loses or breaks anything.

    python scripts/crash_study.py [N]

A child process runs commands in a loop and names each one that has ended. It is killed (SIGKILL) at a random moment, N times
(100 unless given). After each kill the study is opened and everything in it is read: the database must be sound, every array
whole, and whatever a command had acknowledged must be there.
"""

from __future__ import annotations

import itertools
import json
import random
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from regauge.cli.main import cli
from regauge.cli.studies import open_for_reading
from regauge.storage.evaluations import load_scores
from regauge.storage.predictions import load_predictions
from regauge.storage.testsets import get_test_set, load_test_set
from regauge.workflows.studies import describe_status
from regauge.workflows.study_evaluations import list_evaluations

N_KILLS = 100
N_IMAGES = 2_000
LONGEST_LIFE = 0.5


def make_files(folder: Path, rng: np.random.Generator) -> None:
    """A test set, two states of one participant, verdicts, and the study that commands are to write to."""
    labels = rng.integers(0, 10, N_IMAGES)
    ids = [f"image_{number}" for number in range(N_IMAGES)]
    rows = "\n".join(f"{image_id},{label}" for image_id, label in zip(ids, labels.tolist(), strict=True))
    (folder / "set.csv").write_text(f"image_id,label\n{rows}\n")
    for state in ("one", "two"):
        classes = np.argsort(rng.random((N_IMAGES, 10)), axis=1)[:, :5].astype(np.int32)
        np.savez(folder / f"{state}.npz", image_ids=np.array(ids), classes=classes, scores=-classes.astype(np.float32))
    lines = [json.dumps({"image_id": one, "correct": [label]}) for one, label in zip(ids, labels.tolist(), strict=True)]
    (folder / "people.jsonl").write_text("\n".join(lines))
    run("init", str(folder / "study"), "--taxonomy", "cifar-10")
    study = ("--study", str(folder / "study"))
    run("testset", "add", str(folder / "set.csv"), *study)
    run("predictions", "add", f"model={folder}/one.npz", *study)


def run(*words: str) -> None:
    """One command, in this process."""
    cli.main([*words, "--format", "json"], standalone_mode=False)


def write_forever(folder: Path, start: int) -> None:
    """Replace, label and evaluate without end, beginning anywhere; say on standard error what has ended."""
    study = ("--study", str(folder / "study"))
    commands = (
        ("predictions", "add", f"model={folder}/one.npz", "--replace"),
        ("predictions", "add", f"model={folder}/two.npz", "--replace"),
        ("labels", "add", f"{folder}/people.jsonl"),
        ("evaluate", "--n-bootstrap", "100"),
    )
    print("started", file=sys.stderr, flush=True)
    for number in itertools.count(start):
        words = commands[number % len(commands)]
        run(*words, *study)
        print(words[0], file=sys.stderr, flush=True)


def run_and_kill(folder: Path, start: int, *, life: float) -> list[str]:
    """Start a child, wait until it is about to write, kill it after that many seconds; what it had acknowledged."""
    words = [sys.executable, str(Path(__file__).resolve()), "--write", str(folder), str(start)]
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # noqa: S603 - it is ourselves
    stream = child.stderr
    if stream is None:
        raise RuntimeError("The child has no standard error.")
    with child:
        select.select([stream], [], [], 60)
        time.sleep(life)
        child.kill()
        acknowledged = stream.read().decode().split("\n")
    # Notes of commands are on standard error too.
    return [word for word in acknowledged if word in {"predictions", "labels", "evaluate"}]


def read_everything(folder: Path) -> dict[str, int]:
    """How much the study holds; raises when any of it cannot be read."""
    with open_for_reading(folder / "study") as study:
        if (state := study.connection.exec_driver_sql("PRAGMA integrity_check").scalar()) != "ok":
            raise RuntimeError(f"The database is damaged: {state}")
        if study.connection.exec_driver_sql("PRAGMA foreign_key_check").all():
            raise RuntimeError("A row refers to a row that is not there.")
        status, entry = describe_status(study), get_test_set(study)
        test_set = load_test_set(study, entry)
        for one in status.predictions:
            load_predictions(study, one, test_set=test_set, digest=entry.digest)
        for evaluation in list_evaluations(study):
            load_scores(study, evaluation.id)
        return {
            "predictions": len(status.predictions),
            "labels": len(status.label_sets),
            "evaluate": len(status.evaluations),
            "files": len(list(study.paths.predictions.iterdir())),
        }


def crash(folder: Path, n_kills: int, *, seed: int = 0) -> int:
    """Kill that many times and check after each; returns how many commands were acknowledged in all."""
    make_files(folder, np.random.default_rng(seed))
    chance = random.Random(seed)  # noqa: S311 - moments, not secrets
    n_acknowledged = 0
    before = read_everything(folder)
    for _ in range(n_kills):
        acknowledged = run_and_kill(folder, chance.randrange(4), life=chance.uniform(0, LONGEST_LIFE))
        after = read_everything(folder)
        for what in ("labels", "evaluate"):
            n_new = after[what] - before[what]
            # The last command may have committed and died before it could say so.
            if not acknowledged.count(what) <= n_new <= acknowledged.count(what) + 1:
                raise RuntimeError(
                    f"{acknowledged.count(what)} commands ({what}) were acknowledged, {n_new} are there."
                )
        if (after["predictions"], after["files"]) != (1, 2):
            raise RuntimeError(f"{after['predictions']} participants with {after['files']} arrays, not 1 with 2.")
        n_acknowledged += len(acknowledged)
        before = after
    return n_acknowledged


def main() -> None:
    """Either the child that writes, or the parent that kills."""
    if sys.argv[1:2] == ["--write"]:
        write_forever(Path(sys.argv[2]), int(sys.argv[3]))
    n_kills = int(sys.argv[1]) if len(sys.argv) > 1 else N_KILLS
    with tempfile.TemporaryDirectory() as folder:
        n_acknowledged = crash(Path(folder), n_kills)
    print(
        f"Killed {n_kills} times; all of {n_acknowledged} acknowledged commands are there, and everything can be read."
    )


if __name__ == "__main__":
    main()
