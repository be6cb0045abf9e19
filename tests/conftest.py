"""What all tests share: the folder of released data, a reduced demo, and a deterministic random generator."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from regauge.workflows.demo import Demo

ROOT = Path(__file__).resolve().parents[1]

# Examples are derived from the test itself, so that a red run can be repeated; compiled kernels make first calls slow.
settings.register_profile("regauge", deadline=None, derandomize=True)
settings.load_profile("regauge")


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
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A reduced demo in a folder whose name must be quoted in a shell, for tests that only read it."""
    # Imported here: most tests need no demo, and all that it stands on takes a second to load.
    from tests.simulated import make_demo

    return make_demo(tmp_path_factory.mktemp("session") / "my demo")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20190213)
