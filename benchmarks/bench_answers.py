"""Durable answers per second over HTTP: group commit against a commit per answer and against a server that does nothing."""

from __future__ import annotations

import multiprocessing
import socket
import statistics
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from fastapi import FastAPI, Request, Response
from PIL import Image
from sqlalchemy import func, insert, select
from tests.storage.postgres import USER, find_programs, start_server

from benchmarks.answers_client import Load, Rate, make_bodies, measure
from benchmarks.harness import Workload, format_table
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.responses.answers import GridShape
from regauge.server.app import create_app
from regauge.server.running import run_app
from regauge.server.state import ServerSettings
from regauge.server.writer import Writer
from regauge.storage.campaigns.assignments import insert_assignments
from regauge.storage.database.schema import responses, tasks
from regauge.storage.people.annotators import list_annotators
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.people.invitations import invite_many
from regauge.workflows.studies.study import Circumstances, Study, init_study, open_study
from regauge.workflows.testsets.test_set import add_test_set

N_CLIENTS = 50
N_ROUNDS = 5
SECONDS = 2.0
MOST_PER_SECOND = 12_000
N_CELLS = 48

OURS, EACH, NOTHING, POSTGRES = "group commit", "a commit per answer", "nothing: reads and replies", "PostgreSQL"
QUESTION = (
    f"How many answers to a grid of {N_CELLS} images does one server process store in a second, acknowledged only once on "
    f"disk (SQLite, synchronous = FULL), sent by {N_CLIENTS} clients that each wait for the reply? The clients share the "
    "machine's cores. The same code with one answer per transaction shows what sharing a sync gives; a server of the same "
    "framework that reads the body and replies shows what HTTP alone costs."
)


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A running server, and what to send to it."""

    name: str
    port: int
    path: str
    headers: Sequence[str]
    bodies: Sequence[Sequence[bytes]]
    folder: Path | None = None

    def send(self, number: int) -> Rate:
        """One round; every round has answers of its own."""
        n_each = len(self.bodies[0]) // N_ROUNDS
        part = [own[number * n_each : (number + 1) * n_each] for own in self.bodies]
        return measure(Load(self.port, self.path, SECONDS), self.headers, part)


def make_circumstances() -> Circumstances:
    return Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(), who="benchmark")


def make_study(folder: Path, *, database: str = "") -> list[list[str]]:
    """A study in which every annotator holds more tasks than they can answer; per annotator the assignments."""
    n_each = int(MOST_PER_SECOND * SECONDS * N_ROUNDS / N_CLIENTS)
    Image.new("RGB", (8, 8)).save(folder / "image.png")
    (folder / "images.csv").write_text(
        "image_id,label,file\n" + "".join(f"i{number},{number % 10},image.png\n" for number in range(600))
    )
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=make_circumstances())
    with study.begin() as begun:
        add_test_set(begun, folder / "images.csv", name="images")
        plan = CampaignPlan("bench", Kind("contains"), N_CLIENTS)
        entry = create_contains(begun, plan, ContainsQuestions(shape=GridShape(N_CELLS), seed=0))
        open_campaign(begun, "bench")
        payload = begun.connection.scalars(select(tasks.c.payload)).first()
        more = [
            {"campaign_id": entry.id, "position": entry.n_tasks + number, "payload": payload}
            for number in range(n_each)
        ]
        begun.connection.execute(insert(tasks), more)
        ids = list(begun.connection.scalars(select(tasks.c.id).order_by(tasks.c.position.desc()).limit(n_each)))
        expires_at = begun.around.now()
        people = [one.annotator.id for one in invite_many(begun, N_CLIENTS)]
        held = [insert_assignments(begun, ids, annotator_id=who, expires_at=expires_at) for who in people]
    study.close()
    return [[str(one) for one in own] for own in held]


def run_server(pipe: Connection, folder: Path | None, max_batch: int) -> None:
    """The server process; tells its port and the headers of every annotator."""
    study = None if folder is None else open_study(folder / "study", around=make_circumstances())
    # Each client stands for many people, so none may be held back.
    app = make_null_app() if study is None else create_app(study, ServerSettings(answers_per_minute=0))
    headers = [""] * N_CLIENTS
    if study is not None:
        if max_batch:
            app.state.regauge.writer = Writer(study, max_batch=max_batch)
        headers = make_headers(app, study)
    listener = socket.create_server(("127.0.0.1", 0))
    pipe.send((listener.getsockname()[1], headers))
    run_app(app, listener)


def make_null_app() -> FastAPI:
    """The same framework, doing nothing."""
    app = FastAPI(docs_url=None, redoc_url=None)

    @app.post("/api/answers")
    async def answer(request: Request) -> Response:
        await request.body()
        return Response(b'{"status":"stored"}', media_type="application/json")

    return app


def make_headers(app: FastAPI, study: Study) -> list[str]:
    """What every annotator's browser would send along."""
    sessions = app.state.regauge.sessions
    headers = []
    with study.read() as reading:
        people = list_annotators(reading)
    for one in people:
        response = Response()
        session = sessions.begin(response, one)
        cookie = response.headers["set-cookie"].split(";")[0]
        headers.append(f"Cookie: {cookie}\r\nX-CSRF-Token: {sessions.make_csrf_token(session)}\r\n")
    return headers


@contextmanager
def start(name: str, *, database: str | None = "", max_batch: int = 0) -> Iterator[Target]:
    """A server in a process of its own; without a database, the one that does nothing."""
    with tempfile.TemporaryDirectory() as place:
        folder = None if database is None else Path(place)
        held = [[""] * int(MOST_PER_SECOND * SECONDS * N_ROUNDS / N_CLIENTS)] * N_CLIENTS
        if folder is not None:
            held = make_study(folder, database=database or "")
        client_ids = iter(lambda: uuid.uuid4().hex, "")
        bodies = [make_bodies(own, client_ids=client_ids) for own in held]
        # Spawned, not forked: a process that is being measured should not carry the memory of this one.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=run_server, args=(theirs, folder, max_batch), daemon=True)
        process.start()
        port, headers = ours.recv()
        try:
            yield Target(name, port, "/api/answers", headers, bodies, folder)
        finally:
            process.terminate()
            process.join()


def count_stored(target: Target) -> int:
    """Answers that are on disk."""
    if target.folder is None:
        return 0
    study = open_study(target.folder / "study", around=make_circumstances())
    with study.read() as reading:
        n = reading.connection.scalar(select(func.count()).select_from(responses))
    study.close()
    return n or 0


def run() -> Workload:
    with ExitStack() as stack:
        targets = [
            stack.enter_context(start(OURS)),
            stack.enter_context(start(EACH, max_batch=1)),
            stack.enter_context(start(NOTHING, database=None)),
        ]
        if find_programs() is not None:
            place = stack.enter_context(start_server(is_durable=True))
            targets.append(stack.enter_context(start(POSTGRES, database=f"postgresql://{USER}@/postgres?host={place}")))
        # Taking turns spreads the disturbances of a busy machine over all of them.
        rounds = [[target.send(number) for target in targets] for number in range(N_ROUNDS)]
        for target, rates in zip(targets, zip(*rounds, strict=True), strict=True):
            if target.folder is not None and count_stored(target) != sum(rate.n for rate in rates):
                raise RuntimeError(
                    f"{target.name}: {count_stored(target)} answers are stored, not as many as acknowledged."
                )
    return Workload("Answers over HTTP", QUESTION, (describe(targets, rounds), compare(rounds)))


def describe(targets: Sequence[Target], rounds: Sequence[Sequence[Rate]]) -> str:
    """The table."""
    rows = []
    for target, rates in zip(targets, zip(*rounds, strict=True), strict=True):
        speeds = sorted(rate.per_second for rate in rates)
        ratios = [one.per_second / each[0].per_second for one, each in zip(rates, rounds, strict=True)]
        rows.append(
            (
                target.name,
                f"{statistics.median(speeds):,.0f}",
                f"{speeds[0]:,.0f} to {speeds[-1]:,.0f}",
                f"{1000 * statistics.median(rate.p50 for rate in rates):.1f} ms",
                f"{1000 * statistics.median(rate.p99 for rate in rates):.1f} ms",
                f"{1000 * min(rate.p99 for rate in rates):.1f} ms",
                f"{statistics.median(ratios):.2f}",
            )
        )
    head = ("server", "answers per second", "rounds", "p50", "p99", "best p99", "speed / ours")
    return f"**{N_CLIENTS} clients** ({N_ROUNDS} rounds of {SECONDS:g} s)\n\n{format_table(head, rows)}"


def compare(rounds: Sequence[Sequence[Rate]]) -> str:
    """The two ratios, each round against its own neighbours."""
    times = statistics.median(ours.per_second / each.per_second for ours, each, *_ in rounds)
    share = statistics.median(ours.per_second / nothing.per_second for ours, _, nothing, *_ in rounds)
    return (
        f"Group commit stores {times:.1f} times as many as a commit per answer, and {share:.0%} of what the framework could "
        "receive at all. Every acknowledged answer was counted in the database afterwards."
    )


if __name__ == "__main__":
    print(run().to_markdown())
