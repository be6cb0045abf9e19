"""What all tests share: the folder of released data, a reduced demo, and a deterministic random generator."""

from __future__ import annotations

import fcntl
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pytest
from hypothesis import settings
from tests.storage.keeping import find_memory

if TYPE_CHECKING:
    from regauge.workflows.demo import Demo

Made = TypeVar("Made")

ROOT = Path(__file__).resolve().parents[1]

# Examples are derived from the test itself, so that a red run can be repeated; compiled kernels make first calls slow.
settings.register_profile("regauge", deadline=None, derandomize=True)
settings.load_profile("regauge")


def pytest_configure() -> None:
    """Make pytest keep the folders of tests in memory where it can, unless somebody has said where."""
    # What the program notes down for its user is not noted down for whoever runs the tests.
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="regauge-state-")
    memory = find_memory()
    if memory is not None:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))


def pytest_unconfigure() -> None:
    shutil.rmtree(os.environ["XDG_STATE_HOME"], ignore_errors=True)


def find_shared() -> Path:
    """The folder beside the checkout that holds the papers' released data, where there is one."""
    return Path(os.environ.get("REGAUGE_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def published() -> Path:
    """The released data of the papers; a test that asks for them is skipped where they are absent."""
    folder = find_shared() / "published"
    if not folder.is_dir():
        pytest.skip(f"the released data are not at {folder}")
    return folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder that holds the parts of public repositories, as they are cloned; tests of them are skipped without it."""
    folder = find_shared()
    if not (folder / "clones").is_dir():
        pytest.skip(f"the clones are not at {folder / 'clones'}")
    return folder


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A reduced demo in a folder whose name must be quoted in a shell, for tests that only read it."""
    # Imported here: most tests need no demo, and all that it stands on takes a second to load.
    from tests.simulated import make_demo

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        # The folder above is that of the whole run: whichever process comes first makes the demo for all.
        folder = folder.parent
    return make_once(folder / "demo.pickle", lambda: make_demo(folder / "my demo"))


def make_once(path: Path, make: Callable[[], Made]) -> Made:
    """What was made, by this process or by another that came first and kept it in a file."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            path.write_bytes(pickle.dumps(make()))
        found: Made = pickle.loads(path.read_bytes())  # noqa: S301 - these tests wrote it
        return found


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20190213)
