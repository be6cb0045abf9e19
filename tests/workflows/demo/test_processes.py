"""Processes that work for another: whoever is killed or stopped, at whatever moment, leaves nobody waiting."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path

import pytest
from tests.waits import PATIENCE, wait_for
from tests.workflows.demo.children import list_children

from regauge.errors import FormatError
from regauge.workflows.demo.processes import Processes, open_processes


@pytest.fixture
def pair() -> Iterator[Processes]:
    with open_processes(2) as processes:
        yield processes
    assert not list_children()


def fail(sentence: str) -> None:
    raise ValueError(sentence)


def die_once(marker: Path) -> int:
    """Be killed, unless somebody was before."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def die_elsewhere(parent: int) -> int:
    """Be killed, except in that process."""
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_results_come_in_the_order_of_the_things(pair: Processes) -> None:
    assert list(pair.spread(pow, range(50), [2] * 50)) == [number**2 for number in range(50)]


def test_later_work_may_be_asked_for_first(pair: Processes) -> None:
    squares, cubes = pair.spread(pow, range(9), [2] * 9), pair.spread(pow, range(9), [3] * 9)
    assert list(cubes) == [number**3 for number in range(9)]
    assert list(squares) == [number**2 for number in range(9)]


def test_what_the_work_raises_is_raised_where_its_result_is_asked_for(pair: Processes) -> None:
    begun = pair.spread(fail, ["No."])
    with pytest.raises(ValueError, match=r"^No\.$"):
        next(begun)
    assert next(pair.spread(abs, [-1])) == 1


def refuse(path: str) -> None:
    raise FormatError(path, "no columns.", line=3)


def test_errors_of_ours_come_back_whole(pair: Processes) -> None:
    begun = pair.spread(refuse, ["table.csv"])
    with pytest.raises(FormatError, match=r"^table\.csv, line 3: no columns\.$") as raised:
        next(begun)
    assert raised.value.__dict__ == FormatError("table.csv", "no columns.", line=3).__dict__


def make_secret(number: int) -> object:
    return lambda: number


def test_a_result_that_cannot_be_handed_over_is_an_error_and_the_process_goes_on(pair: Processes) -> None:
    begun = pair.spread(make_secret, [1])
    with pytest.raises(RuntimeError, match="cannot be handed over"):
        next(begun)
    assert len({*pair.spread(die_once, [Path(__file__)] * 9)}) <= 2
    assert os.getpid() not in pair.spread(die_once, [Path(__file__)] * 3)


def test_the_work_of_one_that_is_killed_is_done_by_another(pair: Processes, tmp_path: Path) -> None:
    done = list(pair.spread(die_once, [tmp_path / "marker"] * 4))
    assert len(set(done)) == 1
    assert os.getpid() not in done


def test_when_all_are_killed_the_work_is_done_here(pair: Processes) -> None:
    assert list(pair.spread(die_elsewhere, [os.getpid()] * 5)) == [os.getpid()] * 5


def test_one_that_is_killed_while_it_is_idle_is_noticed_when_it_is_given_work(pair: Processes) -> None:
    assert list(pair.spread(abs, [1, 2])) == [1, 2]
    for process in list_children():
        process.kill()
        process.join()
    assert list(pair.spread(abs, [-3, -4])) == [3, 4]


def begin_and_stop(seconds: int) -> None:
    with open_processes(2) as processes:
        processes.spread(time.sleep, [seconds])
        assert list(processes.spread(abs, [1])) == [1]
        raise KeyboardInterrupt


def test_whoever_stops_does_not_wait_for_work() -> None:
    with pytest.raises(KeyboardInterrupt):
        begin_and_stop(3_600)
    assert not list_children()


def interrupt_a_result() -> None:
    """Stop while a process is in the middle of handing over more than a pipe holds."""
    with open_processes(1) as processes:
        assert list(processes.spread(abs, [1])) == [1]
        processes.spread(bytes, [10**8])
        (pipe,) = processes.busy
        assert wait([pipe], timeout=PATIENCE)
        raise KeyboardInterrupt


def test_whoever_stops_does_not_wait_for_the_rest_of_a_result() -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupt_a_result()
    assert not list_children()


def test_they_end_with_the_block() -> None:
    with open_processes(2) as processes:
        pids = set(processes.spread(die_once, [Path(__file__)] * 9))
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "the end of the processes")
