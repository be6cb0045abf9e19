"""Waiting for what happens, not for the clock: however busy the machine is, a test goes on when it has happened."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds after which something does not come any more; nobody waits for so long unless something is wrong."""


def wait_for(is_so: Callable[[], object], what: str = "it") -> None:
    """Until something is so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"{what} has not come"
        time.sleep(0.01)
