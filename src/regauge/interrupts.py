"""Ctrl-C waits for what must not be stopped half way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hold_stop() -> Iterator[None]:
    """Let Ctrl-C wait until the block has ended, where this thread is the one that it stops.

    Modules are loaded so, for some written in C take it for an error of their own, and say so at length; and processes are
    started so, for one that was started and never told its work says so too. To hold the signal back from this thread would not
    do: the system gives it to another one, and Python stops this one all the same.
    """
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
