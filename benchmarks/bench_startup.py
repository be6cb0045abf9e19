"""How long the first things take: the interpreter, the import, the help page, the first call that compiles."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.harness import Role, Variant, Workload, compare

FIRST_CALL = """
import numpy as np
from regauge.predictions.topk import find_top_k
find_top_k(np.zeros((2, 1_000), np.float32))
"""


def run_python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def run_uncached(program: str) -> None:
    """The program with an empty kernel cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def find_help_command() -> list[str] | None:
    """The installed command, or None while there is none."""
    command = Path(sys.executable).with_name("regauge")
    if not command.exists() or importlib.util.find_spec("regauge.cli.main") is None:
        return None
    return [str(command), "--help"]


def run() -> Workload:
    variants = [
        Variant("import regauge", partial(run_python, "-c", "import regauge"), Role.OURS, gives="the public names"),
        Variant("first find_top_k, kernels cached", partial(run_python, "-c", FIRST_CALL), Role.OURS, gives="top-k"),
        Variant("first find_top_k, empty cache", partial(run_uncached, FIRST_CALL), Role.OURS, gives="top-k"),
        Variant("python -c pass", partial(run_python, "-c", "pass"), Role.FLOOR, gives="nothing"),
    ]
    command = find_help_command()
    if command is not None:
        show_help = partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
        variants.insert(0, Variant("regauge --help", show_help, Role.OURS, gives="the help page"))
    missing = [] if command else ["the command regauge"]
    return Workload(
        "Start-up",
        "Wall time of whole processes. What a newcomer waits for before anything happens.",
        (compare("Time", variants, missing=missing),),
    )


if __name__ == "__main__":
    print(run().to_markdown())
