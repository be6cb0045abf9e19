"""Processes that do work for this one, and can be stopped at any moment.

Each has a pipe of its own, whose other end nobody else holds, and no thread stands between: whoever is killed in the middle of a
sentence is a pipe that ends. The standard library's pool reads all results from one pipe, of which it holds both ends, and
waits for ever when a process is stopped while it writes (seen with Python 3.11).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from regauge.interrupts import hold_stop

_N_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""The variable by which a numerical library learns how many threads it may use; it is read when a process starts."""


@dataclass(slots=True, eq=False)
class _Work:
    """A call that a process makes, and what came of it."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    is_done: bool = False
    result: Any = None
    error: Exception | None = None


@dataclass(slots=True)
class Processes:
    """Hands work out to processes and collects what comes back.

    Attributes:
        starting: the pipes of those that have not said yet that they are there.
        idle: the pipes of those that wait for work.
        busy: the pipes of those that work, with what they do.
        waiting: work that nobody does yet.
    """

    starting: set[Connection]
    idle: list[Connection] = field(default_factory=list)
    busy: dict[Connection, _Work] = field(default_factory=dict)
    waiting: deque[_Work] = field(default_factory=deque)

    def spread(self, function: Callable[..., Any], *columns: Iterable[Any]) -> Iterator[Any]:
        """Apply a function to many things; those who are idle begin at once, and the results come in the order of the things."""
        works = [_Work(function, arguments) for arguments in zip(*columns, strict=True)]
        self.waiting.extend(works)
        self._hand_out()
        return map(self._await, works)

    def _await(self, work: _Work) -> Any:  # noqa: ANN401 - whatever the function returns
        """The result of some work, once it has come.

        Raises:
            Exception: what the work raised.
        """
        while not work.is_done:
            if not self.starting and not self.busy:
                # All were killed, for want of memory say. Nothing is lost but time.
                return work.function(*work.arguments)
            for pipe in wait([*self.starting, *self.busy]):
                self._receive(pipe)  # type: ignore[arg-type]  # Pipes are all that is waited for.
            self._hand_out()
        if work.error is not None:
            raise work.error
        return work.result

    def _receive(self, pipe: Connection) -> None:
        """Take what a process has to say: that it is there, or what came of its work. Work of one that was killed waits again."""
        self.starting.discard(pipe)
        work = self.busy.pop(pipe, None)
        try:
            result, error = pipe.recv()
        except (EOFError, OSError):
            if work is not None:
                self.waiting.appendleft(work)
            return
        self.idle.append(pipe)
        if work is not None:
            work.result, work.error, work.is_done = result, error, True

    def _hand_out(self) -> None:
        while self.waiting and self.idle:
            pipe, work = self.idle.pop(), self.waiting.popleft()
            try:
                pipe.send((work.function, work.arguments))
            except OSError:
                # It was killed while it had nothing to do.
                self.waiting.appendleft(work)
            else:
                self.busy[pipe] = work


@contextmanager
def open_processes(n: int) -> Iterator[Processes]:
    """That many processes, which load their modules meanwhile, and end with the block."""
    started: list[tuple[BaseProcess, Connection]] = []
    try:
        with _hold_back_stop(), _use_one_thread_each():
            started.extend(_start() for _ in range(n))
        yield Processes({pipe for _, pipe in started})
        # Who waits for work reads that there is no more.
        for process, pipe in started:
            pipe.close()
            process.join()
    except BaseException:
        # Whoever stops does not wait for work that nobody wants any more.
        for process, _ in started:
            process.terminate()
        raise
    finally:
        for process, pipe in started:
            pipe.close()
            process.join()
            process.close()


def _start() -> tuple[BaseProcess, Connection]:
    # Forked processes would inherit locks that threads of numerical libraries hold; these start afresh.
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    with closing(there):
        process = context.Process(target=_work, args=(there,))
        process.start()
    return process, here


@contextmanager
def _hold_back_stop() -> Iterator[None]:
    """Processes that are started here inherit that Ctrl-C is held back: it is left to this one, which takes it afterwards."""
    # Python's watcher over what processes share is started with the first of them, and lets Ctrl-C through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with hold_stop():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _use_one_thread_each() -> Iterator[None]:
    """Processes that are started here have one thread for matrices: there are as many of them as processors."""
    before = os.environ.get(_N_BLAS_THREADS)
    os.environ[_N_BLAS_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_N_BLAS_THREADS]
        else:
            os.environ[_N_BLAS_THREADS] = before


def _work(pipe: Connection) -> None:
    """What a process does: one call after the other, until there are no more or nobody listens."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        pipe.send((None, None))
        while True:
            function, arguments = pipe.recv()
            _send(pipe, _call(function, arguments))


def _call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    """What a call gives, or what it raises."""
    try:
        return function(*arguments), None
    except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
        return None, error


def _send(pipe: Connection, outcome: tuple[Any, Exception | None]) -> None:
    """Hand over what came of a call, or why it cannot be handed over."""
    try:
        pipe.send(outcome)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever keeps it from being written as bytes
        pipe.send((None, RuntimeError(f"What the work gave cannot be handed over: {error}")))


def _end_with_parent() -> None:
    """End when the parent ends, even if it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
