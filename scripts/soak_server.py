"""Kill the server at random while annotators work, and prove that nothing was lost, doubled or spoilt.

    python -m scripts.soak_server [N] [--database URL | --private-postgres] [--workers W] [--annotators A] [--seed S]

Starts the server on a study of its own, with grids and with reviews by image and by class, and lets simulated annotators work
over HTTP: they lose connections before and after sending, repeat answers, send them in any order, revise them, and let leases
end. Meanwhile the server is killed with SIGKILL and started again N times (100 unless given), and its clock jumps by up to a day
both ways. At the end, every answer that was acknowledged must be there once and whole; no task may count more answers than it
needs; nobody may have got a task twice; and the label sets of the reviews must have the votes and verdicts that reviewers were
told are saved, no more and no less.
With --workers it is the command `regauge serve --workers W` on an empty PostgreSQL database; single workers, their parent or all
of them are killed, and the clock stays as it is.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scripts.soak_annotators import Annotator, BrokenPromiseError
from scripts.soak_checks import SoakReport, check
from scripts.soak_study import make_circumstances, make_study
from tests.storage.postgres import USER, start_server

from regauge.server.running import ServeOptions, serve
from regauge.workflows.studies.study import open_study

N_KILLS, N_ANNOTATORS = 100, 50
LONGEST_LIFE = 2.0
TASKS_PER_KILL = 40
"""Of each campaign."""
START_SECONDS = 60.0
DAY = 24 * 3600
STARTED = "Serving "


@dataclass(slots=True, eq=False)
class Victim:
    """The server, which is killed and started again."""

    folder: Path
    port: int
    n_workers: int
    chance: random.Random
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; returns when it answers. Processes whose parent was killed must let go of the port by themselves."""
        log = self.folder / "log"
        log.touch()
        n_starts = log.read_text().count(STARTED)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with log.open("ab") as file:
                self.process = subprocess.Popen(self._find_program(), stdout=file, stderr=file, start_new_session=True)  # noqa: S603
            while self.process.poll() is None and time.monotonic() < end:
                # That something answers is not enough: it could be one of those who are about to let go.
                if log.read_text().count(STARTED) > n_starts and _is_answering(self.port):
                    return
                time.sleep(0.05)
            time.sleep(0.2)
        raise BrokenPromiseError(f"The server did not start: {log.read_text()[-2000:]}")

    def kill(self) -> str:
        """Kill it, or a part of it; says which."""
        if self.process is None:
            raise RuntimeError("It is not running.")
        part = self.chance.choice(("a worker", "the parent", "all")) if self.n_workers > 1 else "all"
        if part == "a worker":
            workers = find_workers(self.process.pid)
            if workers:
                os.kill(self.chance.choice(workers), signal.SIGKILL)
            return part
        if part == "the parent":
            self.process.kill()
        else:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        return part

    def stop(self) -> None:
        """Ask it to end, and wait."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=30)
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def jump(self) -> None:
        """Set its clock to another time."""
        new = self.folder / "offset.new"
        new.write_text(str(self.chance.uniform(-DAY, DAY)))
        new.replace(self.folder / "offset")

    def _find_program(self) -> Sequence[str]:
        if self.n_workers > 1:
            words = ("--port", str(self.port), "--workers", str(self.n_workers), "--study", str(self.folder / "study"))
            return (sys.executable, "-m", "regauge", "serve", *words)
        return (sys.executable, "-m", "scripts.soak_server", "--serve", str(self.folder), str(self.port))


@dataclass(frozen=True, slots=True)
class SoakPlan:
    """How to torment the server.

    Attributes:
        n_kills: how often it is killed.
        database: an empty PostgreSQL database; SQLite unless given.
        n_workers: processes that serve.
        n_annotators: people who work at the same time.
        seed: decides the moments.
    """

    n_kills: int = N_KILLS
    database: str = ""
    n_workers: int = 1
    n_annotators: int = N_ANNOTATORS
    seed: int = 0


def soak(folder: Path, plan: SoakPlan) -> SoakReport:
    """Kill while people work, then check everything.

    Raises:
        BrokenPromiseError: something was lost, doubled or spoilt.
    """
    chance = random.Random(plan.seed)  # noqa: S311 - moments, not secrets
    n_tasks = TASKS_PER_KILL * plan.n_kills
    campaigns, invited = make_study(folder, n_tasks, database=plan.database, n_annotators=plan.n_annotators)
    port = find_port()
    victim = Victim(folder, port, plan.n_workers, chance)
    heard = asyncio.Event()
    people = [
        Annotator(one.annotator.name, one.token, port, campaigns, random.Random(chance.random()), heard=heard)  # noqa: S311
        for one in invited
    ]
    try:
        victim.start()
        counts = asyncio.run(_live(people, victim, plan.n_kills))
        victim.stop()
    finally:
        if victim.process is not None and victim.process.poll() is None:
            os.killpg(victim.process.pid, signal.SIGKILL)
    if "Traceback" in (folder / "log").read_text():
        raise BrokenPromiseError(f"The server failed by itself: {(folder / 'log').read_text()[-4000:]}")
    for one in people:
        counts += one.counts
    return check(folder, people, n_kills=plan.n_kills, counts=counts)


async def _live(people: Sequence[Annotator], victim: Victim, n_kills: int) -> Counter[str]:
    """Let people work and the server die; returns when every answer was handed in."""
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for one in people:
            group.create_task(one.work(stop))
        counts = await _torment(victim, n_kills, heard=people[0].heard)
        stop.set()
    return counts


async def _torment(victim: Victim, n_kills: int, *, heard: asyncio.Event) -> Counter[str]:
    """Kill it again and again; every other time at the very moment when an answer has been acknowledged."""
    counts: Counter[str] = Counter()
    for number in range(n_kills):
        for _ in range(victim.chance.randrange(3) if victim.n_workers == 1 else 0):
            await asyncio.sleep(victim.chance.uniform(0, LONGEST_LIFE / 2))
            victim.jump()
            counts["jumps of the clock"] += 1
        await asyncio.sleep(victim.chance.uniform(0.2, LONGEST_LIFE))
        if number % 2:
            heard.clear()
            async with asyncio.timeout(START_SECONDS):
                await heard.wait()
        part = victim.kill()
        counts[f"kills of {part}"] += 1
        if part != "a worker":
            await asyncio.to_thread(victim.start)
    return counts


def find_workers(parent: int) -> list[int]:
    """The processes that serve: a process that was started for that alone has divided itself for each of them."""
    dividers = (one for one in _list_children(parent) if b"forkserver" in Path(f"/proc/{one}/cmdline").read_bytes())
    return [worker for one in dividers for worker in _list_children(one)]


def _list_children(parent: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def find_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_answering(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as probe:
            probe.sendall(b"GET /api/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return probe.recv(12).endswith(b"401")
    except OSError:
        return False


def serve_skewed(folder: Path, port: int) -> None:
    """Serve as the command does, with a clock that is wrong."""
    study = open_study(folder / "study", around=make_circumstances(folder / "offset"))
    serve(study, ServeOptions(port=port), announce=partial(print, flush=True))


def main() -> None:
    """Either the server, or the one who kills it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("n_kills", nargs="?", type=int, default=N_KILLS, metavar="N")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--database", default="", metavar="URL")
    where.add_argument("--private-postgres", action="store_true", help="on a PostgreSQL of its own")
    parser.add_argument("--workers", type=int, default=1, metavar="W")
    parser.add_argument("--annotators", type=int, default=N_ANNOTATORS, metavar="A")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve_skewed(Path(chosen.serve[0]), int(chosen.serve[1]))
        return
    start = time.monotonic()
    with ExitStack() as stack:
        database = chosen.database
        if chosen.private_postgres:
            database = f"postgresql://{USER}@/postgres?host={stack.enter_context(start_server())}"
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        report = soak(folder, SoakPlan(chosen.n_kills, database, chosen.workers, chosen.annotators, chosen.seed))
    print(report.describe(), f"It took {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main()
