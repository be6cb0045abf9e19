"""`regauge` in processes of their own that need not load it: a process that has done so once divides itself for each.

To load the server takes a second of work, which a run of all tests would spend a hundred times.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
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


def start_program(*words: str) -> WarmProgram:
    """Start `regauge` with these words; what it prints can be read."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(words, writer), daemon=True)
    process.start()
    writer.close()
    output = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
    reader.close()
    return WarmProgram(process, output)


def _run(words: tuple[str, ...], writer: Connection) -> None:
    os.dup2(writer.fileno(), 1)
    writer.close()
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.argv = ["regauge", *words]
    from regauge.cli.start import main

    main()
