"""How long whole commands take: the interpreter, the import, the help page, and one model scored from files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from benchmarks.bench_scores import N_IMAGES, draw_answers
from benchmarks.harness import Role, Variant, Workload, compare
from benchmarks.scoring import draw_truth
from regauge.formats.exports.writers import write_predictions
from regauge.records.predictions import Predictions

COLD_ROUNDS = 3


def run_python(*arguments: str, environment: Mapping[str, str] | None = None) -> None:
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)


def run_uncached(*arguments: str) -> None:
    """The command with an empty kernel cache."""
    with tempfile.TemporaryDirectory() as folder:
        run_python(*arguments, environment=os.environ | {"NUMBA_CACHE_DIR": folder})


def write_files(folder: Path) -> list[str]:
    """One model and its truth as files; the words of the command that scores it."""
    truth = draw_truth(N_IMAGES)
    ids = truth.target.image_ids
    write_predictions(Predictions("model", ids, draw_answers(truth)[0]), folder / "model.npz")
    rows = zip(ids.tolist(), truth.labels.tolist(), strict=True)
    lines = ["image_id,label", *(f"{image_id},{label}" for image_id, label in rows)]
    (folder / "val.csv").write_text("\n".join(lines), encoding="utf-8")
    files = (str(folder / "model.npz"), "--truth", str(folder / "val.csv"))
    return ["-m", "regauge", "score", *files, "--taxonomy", "imagenet-1k"]


def compare_commands() -> str:
    variants = [
        Variant("regauge --help", partial(run_python, "-m", "regauge", "--help"), Role.OURS, gives="the help page"),
        Variant("import regauge", partial(run_python, "-c", "import regauge"), Role.OURS, gives="the public names"),
        Variant("python -c pass", partial(run_python, "-c", "pass"), Role.FLOOR, gives="nothing"),
    ]
    return compare("Start-up", variants)


def compare_scoring() -> str:
    with tempfile.TemporaryDirectory() as name:
        words = write_files(Path(name))
        variants = [
            Variant("regauge score, kernels cached", partial(run_python, *words), Role.OURS, gives="a table"),
            Variant("the same, empty kernel cache", partial(run_uncached, *words), Role.OURS, gives="a table"),
            Variant("python -c pass", partial(run_python, "-c", "pass"), Role.FLOOR, gives="nothing"),
        ]
        return compare(f"One model × {N_IMAGES:,} images from files", variants, n_rounds=COLD_ROUNDS)


def run() -> Workload:
    return Workload(
        "Whole commands",
        "Wall time of processes, from the prompt to the prompt.",
        (compare_commands(), compare_scoring()),
    )


if __name__ == "__main__":
    print(run().to_markdown())
