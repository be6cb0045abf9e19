"""What all tests share: the folder of released data, and a deterministic random generator."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

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


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20190213)
