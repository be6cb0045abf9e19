"""Kill the server at random while a panel votes, argues and locks, and prove that nothing was lost, doubled or decided otherwise.

    python -m scripts.soak_panel [N] [--kind KIND] [--database URL | --private-postgres] [--workers W] [--items I] [--seed S]

Five panelists vote on everything alone, or with --kind code five coders code it; they change votes, and send answers twice. Two
chairs close round 1 at the same moment, and lock and unlock items while the others still vote, late votes included. Meanwhile
the server is killed with SIGKILL and started again N times (20 unless given), half of them in round 1. At the end, every vote
that was acknowledged must be there once and whole; each item must have been locked and unlocked in turn; every lock must have
counted the votes that its chair saw; and all outcomes, and the coding, must be those of the votes, counted here otherwise. The
server is that of `soak_server.py`.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from scripts.soak_annotators import BrokenPromiseError
from scripts.soak_panelists import LockAttempt, Panelist, let_all
from scripts.soak_server import Victim, find_port
from scripts.soak_study import make_circumstances
from scripts.soak_topics import TOPICS, Topic
from sqlalchemy import select
from tests.storage.postgres import USER, start_server

from regauge.campaigns.discussions.outcomes import decide_item
from regauge.records.campaigns.campaign import CampaignPlan, Payload
from regauge.records.campaigns.discussions import CastVote, DiscussionAct, DiscussionEntry
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.database.schema import responses
from regauge.storage.discussions.entries import list_entries, load_cast
from regauge.workflows.campaigns.campaign import create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.discussions.standing import load_standing
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.people.invitations import Invitation, invite_many
from regauge.workflows.studies.study import Study, init_study, open_study
from regauge.workflows.testsets.test_set import add_test_set

NAME = "mistakes"
N_KILLS, N_ITEMS, N_PEOPLE, N_CHAIRS = 20, 60, 5, 2
LONGEST_LIFE = 1.5


@dataclass(frozen=True, slots=True)
class PanelPlan:
    """How to torment the server.

    Attributes:
        n_kills: how often it is killed.
        database: an empty PostgreSQL database; SQLite unless given.
        n_workers: processes that serve.
        n_items: what is voted on.
        seed: decides the moments.
        kind: what is discussed, of `TOPICS`.
    """

    n_kills: int = N_KILLS
    database: str = ""
    n_workers: int = 1
    n_items: int = N_ITEMS
    seed: int = 0
    kind: str = "panel"


def make_panel(folder: Path, plan: PanelPlan) -> tuple[int, str, tuple[Invitation, ...]]:
    """A study with a panel; the number of its campaign, what pages call the question, and everybody's links."""
    topic, n_items = TOPICS[plan.kind], plan.n_items
    (folder / "images").mkdir()
    pixels = np.random.default_rng(0).integers(0, 255, (8, 8, 3), np.uint8)
    Image.fromarray(pixels).save(folder / "images" / "same.png")
    names = [f"i{number}" for number in range(n_items)]
    rows = "".join(f"{name},2,same.png\n" for name in names)
    (folder / "images" / "set.csv").write_text(f"image_id,label,file\n{rows}")
    offset = folder / "offset"
    offset.write_text("0")
    study = init_study(folder / "study", taxonomy="cifar-10", database=plan.database, around=make_circumstances(offset))
    with study.begin() as begun:
        add_test_set(begun, folder / "images" / "set.csv")
        add_labels(begun, Truth(label_sets=(LabelSet.from_lists("known", names, correct=[[2]] * n_items),)))
        invited = invite_many(begun, N_PEOPLE)
        panel = [one.annotator.name for one in invited]
        questions = topic.ask(begun, names, {"panelists": panel, "chairs": panel[:N_CHAIRS]})
        entry = create_campaign(begun, CampaignPlan(NAME, topic.kind, N_PEOPLE), questions)
        open_campaign(begun, NAME)
    question = study.taxonomy.classes[int(topic.question)].name if topic.question.isdigit() else topic.question
    study.close()
    return entry.id, question, invited


def soak_panel(folder: Path, plan: PanelPlan) -> str:
    """Kill while a panel works, then check everything; returns what happened in words.

    Raises:
        BrokenPromiseError: something was lost, doubled or decided otherwise.
    """
    chance = random.Random(plan.seed)  # noqa: S311 - moments, not secrets
    campaign, question, invited = make_panel(folder, plan)
    topic = TOPICS[plan.kind]
    port = find_port()
    victim = Victim(folder, port, plan.n_workers, chance)
    address = f"http://127.0.0.1:{port}"
    people = [
        Panelist(one.annotator.name, one.token, address, campaign, question, topic, random.Random(chance.random()))  # noqa: S311
        for one in invited
    ]
    chairs = people[:N_CHAIRS]
    try:
        victim.start()
        with let_all(people, lambda one: lambda _: one.vote_alone()) as threads:
            _torment(victim, plan.n_kills // 2)
            for thread in threads:
                thread.join()
        with let_all(chairs, lambda one: one.close):
            pass
        with let_all(people, lambda one: one.chair if one in chairs else one.discuss):
            _torment(victim, plan.n_kills - plan.n_kills // 2)
        victim.stop()
    finally:
        if victim.process is not None and victim.process.poll() is None:
            os.killpg(victim.process.pid, signal.SIGKILL)
    if "Traceback" in (folder / "log").read_text():
        raise BrokenPromiseError(f"The server failed by itself: {(folder / 'log').read_text()[-4000:]}")
    study = open_study(folder / "study", around=make_circumstances(folder / "offset"))
    with study.read() as reading:
        told = check(reading, people, topic)
    study.close()
    counts = sum((one.counts for one in people), Counter[str]())
    return f"Killed {plan.n_kills} times. {told} It had: {', '.join(f'{n:,} {what}' for what, n in sorted(counts.items()))}."


def _torment(victim: Victim, n_kills: int) -> None:
    for _ in range(n_kills):
        time.sleep(victim.chance.uniform(0.2, LONGEST_LIFE))
        if victim.kill() != "a worker":
            victim.start()


def check(study: Study, people: list[Panelist], topic: Topic) -> str:
    """Compare what people were promised with what is there.

    Raises:
        BrokenPromiseError: something was lost, doubled or decided otherwise.
    """
    campaign = get_campaign(study, NAME)
    _check_answers(study, people)
    cast, entries = load_cast(study, campaign), list_entries(study, campaign.id)
    n_closed = sum(one.act is DiscussionAct.CLOSE for one in entries)
    _demand(n_closed == 1, f"one entry that closes round 1, not {n_closed}")
    attempts = {attempt for one in people for attempt in one.attempts}
    standing = load_standing(study, campaign)
    locked = []
    for item in standing.items:
        own = [one for one in cast if one.task_id == item.task_id]
        acts = [one for one in entries if one.task_id == item.task_id]
        _check_locks(own, acts, attempts, read=topic.read)
        until = acts[-1].until if acts and acts[-1].act is DiscussionAct.LOCK else None
        answers = _find_answers(own, until)
        locked += [] if until is None else [list(answers.values())]
        votes = {who: topic.read(answer) for who, answer in answers.items()}
        _demand(len(votes) == N_PEOPLE, f"a vote of everybody on item {item.task_id}")
        found, told = decide_item(item)[topic.question].vote, _decide(list(votes.values()))
        _demand(found == told, f"the outcome {told} on item {item.task_id}, not {found}")
    topic.check(study, NAME, locked)
    n_locks = sum(one.act is DiscussionAct.LOCK for one in entries)
    n_late = sum(said.is_late for item in standing.items for stance in item.stances for said in stance.said)
    return (
        f"All of {sum(len(one.promised) for one in people):,} acknowledged votes are there once and whole, {n_late:,} of them "
        f"after a lock that holds. All of {n_locks:,} locks counted the votes that the chair saw, and all of "
        f"{len(standing.items):,} outcomes are those of the votes."
    )


def _check_answers(study: Study, people: list[Panelist]) -> None:
    """Every row is a vote that was sent, whole; every vote that was acknowledged is a row, and none is there twice."""
    sent = {client_id: answer for one in people for client_id, answer in one.sent.items()}
    rows = study.connection.execute(select(responses.c.client_id, responses.c.answer)).all()
    stored = {row.client_id: {what: said for what, said in row.answer.items() if what != "version"} for row in rows}
    _demand(len(stored) == len(rows), "every vote once")
    for client_id, answer in stored.items():
        _demand(sent.get(client_id) == answer, f"{client_id} as it was sent")
    for client_id in {client_id for one in people for client_id in one.promised}:
        _demand(client_id in stored, f"{client_id}, which was acknowledged")


def _check_locks(
    cast: list[CastVote], acts: list[DiscussionEntry], attempts: set[LockAttempt], *, read: Callable[[Payload], str]
) -> None:
    """An item is locked and unlocked in turn, and every lock counts what a chair saw when they asked for it."""
    for place, one in enumerate(acts):
        is_lock = place % 2 == 0
        _demand((one.act is DiscussionAct.LOCK) == is_lock, f"locks and unlocks of item {one.task_id} in turn")
        if is_lock:
            version = max(vote.id for vote in cast if vote.id <= one.until) + sum(before.id for before in acts[:place])
            counts = tuple(sorted(Counter(map(read, _find_answers(cast, one.until).values())).items()))
            seen = LockAttempt(one.task_id or 0, version, counts)
            _demand(seen in attempts, f"a lock of item {one.task_id} that counts what its chair saw, not {counts}")


def _find_answers(cast: list[CastVote], until: int | None) -> dict[int, Payload]:
    """The last answer of everybody, of those up to a number."""
    ordered = sorted((one for one in cast if until is None or one.id <= until), key=lambda one: (one.revision, one.id))
    return {one.annotator_id: one.answer for one in ordered}


def _decide(words: list[str]) -> str:
    first, *others = Counter(words).most_common()
    return "unclear" if others and others[0][1] == first[1] else first[0]


def _demand(is_so: bool, what: str) -> None:  # noqa: FBT001 - what is demanded
    if not is_so:
        raise BrokenPromiseError(f"There should be {what}.")


def main() -> None:
    """Kill it, and say what happened."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("n_kills", nargs="?", type=int, default=N_KILLS, metavar="N")
    parser.add_argument("--kind", choices=sorted(TOPICS), default="panel")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--database", default="", metavar="URL")
    where.add_argument("--private-postgres", action="store_true", help="on a PostgreSQL of its own")
    parser.add_argument("--workers", type=int, default=1, metavar="W")
    parser.add_argument("--items", type=int, default=N_ITEMS, metavar="I")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    chosen = parser.parse_args()
    start = time.monotonic()
    with ExitStack() as stack:
        database = chosen.database
        if chosen.private_postgres:
            database = f"postgresql://{USER}@/postgres?host={stack.enter_context(start_server())}"
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        plan = PanelPlan(chosen.n_kills, database, chosen.workers, chosen.items, chosen.seed, chosen.kind)
        told = soak_panel(folder, plan)
    print(told, f"It took {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main()
