"""Reduced demos for tests."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.command_runner import Result
from tests.storage.small_studies import make_circumstances

import regauge.cli.demo as module
from regauge.cli.main import main
from regauge.records.evaluation.gaps import GapSettings
from regauge.workflows.demo.flow import Demo, WorldSize, run_demo
from regauge.workflows.studies.study import Circumstances
from regauge.world.collections import Sizes

SMALL = WorldSize(Sizes(training=640, original=192, pool=416), (4, 16, 64), n_asked=24, n_per_class=2)
TINY = WorldSize(Sizes(training=64, original=96, pool=128), (2,), n_asked=4, n_per_class=1)
"""Enough to run; its models know next to nothing."""


@contextmanager
def hasten_gaps() -> Iterator[None]:
    """Reports with a tenth of the bootstrap samples of gaps, which take most of their time and are no subject of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regauge.workflows.reports.report.GapSettings", partial(GapSettings, n_bootstrap=100))
        yield


def make_demo(folder: Path, *, seed: int = 0, extent: WorldSize = SMALL, n_processes: int = 1) -> Demo:
    """A demo at a time that stands still."""
    with hasten_gaps():
        return run_demo(folder, around=make_circumstances(seed), extent=extent, n_processes=n_processes)


class ShownDemo(NamedTuple):
    """What the command `regauge demo` made and printed."""

    demo: Demo
    result: Result


def show_demo(folder: Path) -> ShownDemo:
    """Run the command on a small world, at a time that stands still."""
    made: list[Demo] = []

    def run(folder: Path, *, around: Circumstances, extent: WorldSize, n_processes: int) -> Demo:
        state = make_circumstances(0)
        assert around.rng.bit_generator.state == state.rng.bit_generator.state
        made.append(run_demo(folder, around=state, extent=extent, n_processes=n_processes))
        return made[0]

    with pytest.MonkeyPatch.context() as patch, hasten_gaps():
        out, err = io.StringIO(), io.StringIO()
        patch.setattr(module, "USUAL", SMALL)
        patch.setattr(module, "run_demo", run)
        patch.setattr(module, "count_processors", lambda: 1)
        patch.setattr(sys, "argv", ["regauge", "demo", str(folder)])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as stop:
            main()
    assert made, err.getvalue()
    return ShownDemo(made[0], Result(stop.value.code or 0, out.getvalue(), err.getvalue()))
