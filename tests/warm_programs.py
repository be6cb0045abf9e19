"""`regauge` in processes of their own that need not load it: a process that has done so once divides itself for each.

To load the server takes a second of work, which a run of all tests would spend a hundred times.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import IO

from tests.waits import PATIENCE

PRELOADED = ["tests.warm_programs", "regauge.cli.main", "regauge.cli.serve", "regauge.server.app"]


@dataclass(frozen=True, slots=True, eq=False)
class WarmProgram:
    """A running `regauge`.

    Attributes:
        process: where it runs.
        output: what it prints.
    """

    process: multiprocessing.process.BaseProcess
    output: IO[str]

    def read_lines(self) -> Iterator[str]:
        """What it prints, as it comes."""
        yield from self.output

    def end(self, how: signal.Signals) -> None:
        """Stop it, politely or not, and wait until it has ended."""
        assert self.process.pid is not None
        os.kill(self.process.pid, how)
        self.process.join(PATIENCE)
        assert self.process.exitcode is not None, "the program did not end"
        self.output.close()


@dataclass(frozen=True, slots=True, eq=False)
class WarmServer:
    """A running `regauge` in a session of its own, as `subprocess.Popen` shows a program.

    Attributes:
        process: where it runs.
        out: what it prints for people.
        err: what it writes down.
    """

    process: multiprocessing.process.BaseProcess
    out: IO[str]
    err: IO[str]

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    @property
    def returncode(self) -> int | None:
        return self.process.exitcode

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, timeout: float = PATIENCE) -> int:
        self.process.join(timeout)
        assert self.process.exitcode is not None, "the program did not end"
        return self.process.exitcode

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def communicate(self, timeout: float = PATIENCE) -> tuple[str, str]:
        """All that it says until it has ended."""
        told = self.out.read(), self.err.read()
        self.wait(timeout)
        return told

    def end(self) -> None:
        """End all that it has started, too, and read no more."""
        if self.process.exitcode is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.process.join(PATIENCE)
        self.out.close()
        self.err.close()


def start_program(*words: str) -> WarmProgram:
    """Start `regauge` with these words; what it prints can be read."""
    output, writer = _open_pipe()
    return WarmProgram(_start(_run, words, writer, is_daemon=True), output)


def start_server(*words: str) -> WarmServer:
    """Start `regauge` with these words, so that it may start processes in its turn; what it says on both streams can be read."""
    (out, first), (err, second) = _open_pipe(), _open_pipe()
    return WarmServer(_start(_run_apart, words, first, second), out, err)


def _open_pipe() -> tuple[IO[str], Connection]:
    reader, writer = multiprocessing.Pipe(duplex=False)
    output = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
    reader.close()
    return output, writer


def _start(
    run: Callable[..., None], words: tuple[str, ...], *writers: Connection, is_daemon: bool = False
) -> multiprocessing.process.BaseProcess:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=run, args=(words, *writers), daemon=is_daemon)
    process.start()
    for writer in writers:
        writer.close()
    return process


def _run_apart(words: tuple[str, ...], out: Connection, err: Connection) -> None:
    os.setsid()
    os.dup2(err.fileno(), 2)
    err.close()
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    _run(words, out)


def _run(words: tuple[str, ...], writer: Connection) -> None:
    os.dup2(writer.fileno(), 1)
    writer.close()
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.argv = ["regauge", *words]
    from regauge.cli.start import main

    main()
