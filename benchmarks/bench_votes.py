"""How long a panelist waits until a vote is on disk, in round 1 and in the discussion, beside a server that only replies."""

from __future__ import annotations

import json
import multiprocessing
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from sqlalchemy import select
from tests.storage.postgres import USER, find_programs, start_server

from benchmarks.answers_client import Load, Rate, measure
from benchmarks.bench_answers import make_circumstances, run_server
from benchmarks.harness import Workload, format_table
from regauge.records.campaigns.campaign import CampaignPlan, Kind, NewAnswer
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.campaigns.assignments import insert_assignments
from regauge.storage.database.schema import tasks
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.discussions.acts import close_round
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.people.invitations import invite_many
from regauge.workflows.studies.study import Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_PANELISTS = 5
N_ITEMS = 2_000
N_ROUNDS = 5
SECONDS = 1.0
BATCH = 500
LIMIT = 100.0
WORDS = ("correct", "unclear", "wrong")
ALONE, CHANGED, NOTHING = "a vote in round 1", "a vote changed in round 2, with its reason", "floor: reads and replies"
QUESTION = (
    f"How long does one of {N_PANELISTS} panelists wait until a vote on one of {N_ITEMS:,} items is acknowledged, while the "
    "others vote at the same time? It is acknowledged once it is on disk. In round 2 the server compares it with the vote before "
    "and takes a change only with a reason. The floor is the same framework reading the body and replying. A vote is to be saved "
    f"within {LIMIT:.0f} ms."
)


def make_panel(folder: Path, *, database: str, is_closed: bool) -> list[list[bytes]]:
    """A study with a panel, in either round; per panelist the votes to send."""
    Image.new("RGB", (8, 8)).save(folder / "image.png")
    names = [f"i{number}" for number in range(N_ITEMS)]
    rows = "".join(f"{one},2,image.png\n" for one in names)
    (folder / "images.csv").write_text(f"image_id,label,file\n{rows}")
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=make_circumstances())
    with study.begin() as begun:
        add_test_set(begun, folder / "images.csv", name="images")
        add_labels(begun, Truth(label_sets=(LabelSet.from_lists("known", names, correct=[[2]] * N_ITEMS),)))
        panel = [one.annotator for one in invite_many(begun, N_PANELISTS)]
        settings = {"panelists": [one.name for one in panel], "labels": "known"}
        questions = Questions(pairs=[(one, 3) for one in names], settings=settings, seed=0)
        entry = create_campaign(begun, CampaignPlan("bench", Kind("panel"), N_PANELISTS), questions)
        open_campaign(begun, "bench")
        ids = list(begun.connection.scalars(select(tasks.c.id).order_by(tasks.c.position)))
        held = []
        for one in panel:
            consent(begun, entry.id, annotator_id=one.id, version=1)
            held.append(insert_assignments(begun, ids, annotator_id=one.id, expires_at=begun.around.now()))
    if is_closed:
        _vote_and_close(study, held, [one.id for one in panel])
    study.close()
    return [[_make_body(str(one), place, is_change=is_closed) for place, one in enumerate(own)] for own in held]


def _vote_and_close(study: Study, held: Sequence[Sequence[Any]], people: Sequence[int]) -> None:
    """Everybody votes on everything, one panelist otherwise than the others, so that all of it is discussed."""
    for number, (own, who) in enumerate(zip(held, people, strict=True)):
        vote = {"verdicts": {"3": "wrong" if number else "correct"}}
        for start in range(0, len(own), BATCH):
            part = own[start : start + BATCH]
            with study.begin() as begun:
                submit_answers(begun, [NewAnswer(f"first-{one}", one, who, vote, 5.0) for one in part])
    with study.begin() as begun:
        close_round(begun, "bench", by=people[0])


def _make_body(assignment_id: str, place: int, *, is_change: bool) -> bytes:
    said = {"verdicts": {"3": "unclear" if is_change else WORDS[place % len(WORDS)]}}
    answer = {**said, **({"argument": "Compare the images of the class."} if is_change else {})}
    body = {"client_id": f"bench-{assignment_id}", "assignment_id": assignment_id, "answer": answer, "seconds": 5.0}
    return json.dumps({**body, "revision": int(is_change)}).encode()


@contextmanager
def start(*, database: str | None = "", is_closed: bool = False) -> Iterator[tuple[int, list[str], list[list[bytes]]]]:
    """A server in a process of its own: its port, what panelists' browsers send along, and what they vote."""
    with tempfile.TemporaryDirectory() as place:
        folder = None if database is None else Path(place)
        bodies = [[_make_body("-" * 32, 0, is_change=False)] * N_ITEMS] * N_PANELISTS
        if folder is not None:
            bodies = make_panel(folder, database=database or "", is_closed=is_closed)
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=run_server, args=(theirs, folder, 0), daemon=True)
        process.start()
        port, headers = ours.recv()
        try:
            yield port, headers[:N_PANELISTS], bodies
        finally:
            process.terminate()
            process.join()


def run() -> Workload:
    rates: dict[str, list[Rate]] = {}
    with ExitStack() as stack:
        servers = {
            f"ours: {ALONE}": stack.enter_context(start()),
            f"ours: {CHANGED}": stack.enter_context(start(is_closed=True)),
        }
        if find_programs() is not None:
            for what, is_closed in ((ALONE, False), (CHANGED, True)):
                # Each has a server of its own: a study takes a whole database.
                place = stack.enter_context(start_server(is_durable=True))
                url = f"postgresql://{USER}@/postgres?host={place}"
                servers[f"ours, PostgreSQL: {what}"] = stack.enter_context(start(database=url, is_closed=is_closed))
        servers[NOTHING] = stack.enter_context(start(database=None))
        n_each = N_ITEMS // N_ROUNDS
        # Taking turns spreads the disturbances of a busy machine over all of them.
        for number in range(N_ROUNDS):
            for name, (port, headers, bodies) in servers.items():
                part = [own[number * n_each : (number + 1) * n_each] for own in bodies]
                rates.setdefault(name, []).append(measure(Load(port, "/api/answers", SECONDS), headers, part))
    return Workload("Votes of a panel", QUESTION, (describe(rates),))


def describe(rates: dict[str, list[Rate]]) -> str:
    """The table."""
    floor = statistics.median(one.p50 for one in rates[NOTHING])
    rows = []
    for name, own in rates.items():
        middle = statistics.median(one.p50 for one in own)
        slow = 1000 * statistics.median(one.p99 for one in own)
        rows.append(
            (
                name,
                f"{sum(one.n for one in own):,}",
                f"{1000 * middle:.2f} ms",
                f"{slow:.1f} ms",
                f"{middle / floor:.1f}",
                "yes" if slow < LIMIT else "no",
            )
        )
    head = ("what", "votes", "p50", "p99", "p50 / floor", f"p99 under {LIMIT:.0f} ms")
    return f"**{N_PANELISTS} panelists** ({N_ROUNDS} rounds of up to {SECONDS:g} s)\n\n{format_table(head, rows)}"


if __name__ == "__main__":
    print(run().to_markdown())
