"""The way in, which can be stopped from its first moment on."""

from __future__ import annotations

import gc
import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS_PER_COLLECTION = 50_000
"""Loading modules makes objects and no garbage; looking for some after every 700 of them takes a tenth of a short command."""
STOPPED = "Stopped. Nothing was left half done; give the same command again to start over."


def main() -> None:
    """Run the command line; whoever stops it while its modules are still being loaded gets the same one sentence."""
    gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    try:
        with hold_stop():
            module = importlib.import_module("regauge.cli.main")
        module.main()
    except KeyboardInterrupt:
        sys.stderr.write(f"\n{STOPPED}\n")
        sys.exit(130)
    finally:
        # All that is left is to end, which must not be interrupted again.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def hold_stop() -> Iterator[None]:
    """Let Ctrl-C wait until modules are loaded: some written in C take it for an error of their own, and say so at length."""
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt
