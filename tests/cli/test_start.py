"""Ctrl-C while modules are loaded waits until they are."""

from __future__ import annotations

import signal
import threading

import pytest

from regauge.interrupts import hold_stop


def test_a_stop_waits_until_modules_are_loaded():
    loaded = []

    def load() -> None:
        with hold_stop():
            signal.raise_signal(signal.SIGINT)
            loaded.append("module")

    with pytest.raises(KeyboardInterrupt):
        load()
    assert loaded == ["module"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_ignores_stops_goes_on_ignoring_them():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with hold_stop():
            signal.raise_signal(signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_threads_load_as_they_are():
    found = []

    def load() -> None:
        with hold_stop():
            found.append("loaded")

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert found == ["loaded"]
