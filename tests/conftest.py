"""What all tests share: the folder of released data, a reduced demo, and a deterministic random generator."""

from __future__ import annotations

import gc
import os
import random
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from tests.sharing import make_once
from tests.storage.shared_statements import share_statements
from tests.storage.temporary_folders import find_memory

# To load modules and to collect tests makes objects and no garbage: it is looked for once the tests are there.
gc.disable()

if TYPE_CHECKING:
    import numpy as np
    from tests.simulated import ShownDemo

    from regauge.workflows.demo.flow import Demo

ROOT = Path(__file__).resolve().parents[1]
OBJECTS_PER_COLLECTION = 50_000
SEED = "REGAUGE_TEST_SEED"
"""The variable that makes a run repeat the order of another."""

# Several processes share the processors, and threads that wait for their part of a small product of matrices turn in circles
# meanwhile. NumPy reads this when it is loaded: nothing above may load it, and the other modules of this name come later.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Examples are derived from the test itself, so that a red run can be repeated; compiled kernels make first calls slow. As they
# are the same in every run, a hundred of them find little that forty do not.
settings.register_profile("regauge", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("regauge")


def pytest_configure() -> None:
    """Make pytest keep the folders of tests in memory where it can, unless somebody has said where."""
    # What the program notes down for its user is not noted down for whoever runs the tests.
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="regauge-state-")
    memory = find_memory()
    if memory is not None:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))
    share_statements()
    # The processes of a run inherit it, and so agree on the order.
    os.environ.setdefault(SEED, str(random.SystemRandom().randrange(10**6)))


def pytest_report_header() -> str:
    return f"tests come in a random order; {SEED}={os.environ[SEED]} repeats it"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Tests have no examples in docstrings, and need not be searched for any."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle the modules, and the tests within each of them: what a module sets up is set up once."""
    items[:] = _keep_different(items)
    by_module: dict[Path, list[pytest.Item]] = {}
    for item in items:
        by_module.setdefault(item.path, []).append(item)
    modules = list(by_module.values())
    chance = random.Random(os.environ[SEED])  # noqa: S311 - an order, no secret
    for module in modules:
        chance.shuffle(module)
    chance.shuffle(modules)
    items[:] = [item for module in modules for item in module]


def _keep_different(items: list[pytest.Item]) -> list[pytest.Item]:
    """Of the cases that ask the same of a database, all on SQLite and the first on PostgreSQL too."""
    kept, asked = [], set()
    for item in items:
        is_again = False
        if item.get_closest_marker("same_sql") and "postgresql" in item.name:
            name = item.nodeid.split("[")[0]
            is_again = name in asked
            asked.add(name)
        if not is_again:
            kept.append(item)
    return kept


def pytest_collection_finish() -> None:
    """Take what was collected out of the rounds of the garbage collector: it stays, and to walk over it again takes minutes.

    Rounds come less often, too, as in the program itself.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    gc.enable()


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
def shown_demo(tmp_path_factory: pytest.TempPathFactory) -> ShownDemo:
    """What `regauge demo` printed and made of a small world, in a folder whose name must be quoted in a shell."""
    # Imported here: most tests need no demo, and all that it stands on takes a second to load.
    from tests.simulated import show_demo

    return make_once(tmp_path_factory, "demo", lambda folder: show_demo(folder / "my demo"))


@pytest.fixture(scope="session")
def demo(shown_demo: ShownDemo) -> Demo:
    """A reduced demo for tests that only read it."""
    return shown_demo.demo


@pytest.fixture
def hasty_gaps() -> Iterator[None]:
    """Reports that take a tenth of the time."""
    from tests.simulated import hasten_gaps

    with hasten_gaps():
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    import numpy as np

    return np.random.default_rng(20190213)
