"""What takes long to make is made once, for all processes of a run."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

Made = TypeVar("Made")


def make_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """What was made, by this process or by another that came first and kept it in a file.

    Args:
        factory: knows the folder of the run.
        name: of the file.
        make: makes it; it is given the folder, for what it writes.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        # The folder above is that of the whole run.
        folder = folder.parent
    path = folder / f"{name}.pickle"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            path.write_bytes(pickle.dumps(make(folder)))
        found: Made = pickle.loads(path.read_bytes())  # noqa: S301 - these tests wrote it
        return found
