"""Pictures drawn in several processes are those drawn in one, and the processes never outlive their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.waits import wait_for
from tests.workflows.demo.children import list_children

from regauge.workflows.demo.rendering import CHUNK, count_processors, open_rendering_pool
from regauge.world.collections import Sizes, make_world, render_all
from regauge.world.sampling import ORIGINAL_HABITS, sample_scene
from regauge.world.scenes import Scene

PROGRAM = """
import multiprocessing, time
from regauge.workflows.demo.rendering import open_rendering_pool
from tests.workflows.demo.test_rendering import sample
if __name__ == "__main__":
    with open_rendering_pool(2) as pool:
        pool.render(sample(101))
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        time.sleep(60)
"""


def sample(n: int) -> list[Scene]:
    rng = np.random.default_rng(7)
    return [sample_scene("bagel", ORIGINAL_HABITS, rng=rng) for _ in range(n)]


@pytest.mark.parametrize("n_processes", [1, 2])
def test_pictures_do_not_depend_on_the_number_of_processes(n_processes: int) -> None:
    scenes = sample(CHUNK + 20)
    with open_rendering_pool(n_processes) as pool:
        assert pool.render(scenes).tobytes() == render_all(scenes).tobytes()
    assert not list_children()


def test_the_drawing_tells_how_far_it_is() -> None:
    told: list[tuple[str, int | None]] = []

    def track(items, description, *, total=None):
        told.append((description, total))
        return iter(items)

    with open_rendering_pool(1, track=track) as pool:
        pool.render(sample(CHUNK + 1))
    assert told == [("Drawing, by the hundred", 2)]


@pytest.mark.parametrize("n_processes", [1, 2])
def test_other_work_is_done_meanwhile_and_its_result_is_waited_for(
    n_processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    with open_rendering_pool(n_processes) as pool:
        where, n_threads = pool.begin(os.getpid), pool.begin(partial(os.getenv, "OPENBLAS_NUM_THREADS"))
        assert (where() == os.getpid()) == (n_processes == 1)
        # As many processes as there are processors: each has one thread for matrices. This one keeps what it had.
        assert n_threads() == ("3" if n_processes == 1 else "1")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"


def test_saved_pictures_are_named_by_their_ids_and_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    collection = make_world(np.random.default_rng(0), sizes=Sizes(64, 64, 64)).original
    saved = []
    for n_processes in (1, 2):
        folder = tmp_path / str(n_processes)
        folder.mkdir()
        with open_rendering_pool(n_processes) as pool:
            names = pool.save(collection, folder, side=80)
        assert names == [f"{image_id}.jpg" for image_id in collection.image_ids.tolist()]
        saved.append([(folder / name).read_bytes() for name in names])
    assert saved[0] == saved[1]
    with Image.open(tmp_path / "1" / names[0]) as picture:
        assert picture.size == (80, 80)


def test_the_processes_end_when_their_parent_is_killed(tmp_path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    with subprocess.Popen(
        [sys.executable, tmp_path / "program.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as parent:
        assert parent.stdout is not None
        children = [int(pid) for pid in parent.stdout.readline().split()]
        parent.send_signal(signal.SIGKILL)
    assert len(children) == 2
    wait_for(lambda: not any(is_running(pid) for pid in children), "the end of the processes")


def test_ctrl_c_while_the_processes_start_is_left_to_their_parent(tmp_path: Path) -> None:
    program = PROGRAM.replace("        pool.render", "        print(flush=True)\n        pool.render")
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    with subprocess.Popen(
        [sys.executable, tmp_path / "program.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stderr is not None
        parent.stdout.readline()
        # Both have begun with their imports, which take more than half a second.
        wait_for(lambda: count_importing(parent.pid) == 2, "the second process")
        os.killpg(parent.pid, signal.SIGINT)
        errors = parent.stderr.read()
    assert errors.count("Traceback") == errors.count("KeyboardInterrupt") == 1


def count_importing(pid: int) -> int:
    """How many children of a process have loaded NumPy, and so know what they are to do."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return sum(b"numpy" in Path(f"/proc/{child}/maps").read_bytes() for child in children)


def is_running(pid: int) -> bool:
    """Whether there is such a process, and not only its remains that nobody has collected yet."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_at_least_one_process_draws() -> None:
    assert 1 <= count_processors() <= 8
