"""Reduced demos for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from tests.storage.small_studies import make_circumstances

from regauge.records.evaluation.gaps import GapSettings
from regauge.workflows.demo.flow import Demo, WorldSize, run_demo
from regauge.world.collections import Sizes

SMALL = WorldSize(Sizes(training=640, original=192, pool=416), (4, 16, 64), n_asked=24)
TINY = WorldSize(Sizes(training=64, original=96, pool=128), (2,), n_asked=4)
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
