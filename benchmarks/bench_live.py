"""Figures about a running campaign of a million answers: a ledger in memory against asking the database each time."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from PIL import Image
from sqlalchemy import func, select, text

from benchmarks.harness import Workload, format_seconds, format_table
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, Kind
from regauge.records.campaigns.terms import Pay, Terms
from regauge.records.labels.classify import ClassifySettings
from regauge.records.labels.contains import ContainsSettings
from regauge.records.responses.answers import GridShape
from regauge.records.responses.quality import AnnotatorOrder, ImageOrder, ListPage
from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.database.schema import responses, tasks
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.labels.campaign_labels import LabelRule, prepare_labels
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.people.invitations import invite_many
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_PEOPLE = 1_000
N_PER_TASK = 10
N_NEW = 100
N_ROUNDS = 5
N_IMAGES = {Kind("classify"): 100_000, Kind("contains"): 430_000}
"""So that there are a million answers to CLASSIFY tasks, or a hundred thousand to grids of 48 images."""
QUESTION = (
    f"How long does the manager wait for the figures of a running campaign, {N_NEW} answers having come in since the last look? "
    f"{N_PEOPLE:,} annotators have answered nearly all tasks, {N_PER_TASK} each. The ledger reads what is new and counts anew "
    "what it concerns; otherwise the database is asked each time, or everything is read and counted anew, as for a label set."
)
UNSCREENED: dict[Kind, LabelRule] = {
    Kind("classify"): ClassifySettings(screening=False),
    Kind("contains"): ContainsSettings(rules=None),
}
"""Nobody of this crowd looks at controls."""
PAGE = ListPage(0, 50)
IMAGE = 711

_GIVEN = """
WITH RECURSIVE n(k) AS (SELECT :first UNION ALL SELECT k + 1 FROM n WHERE k + 1 < :last)
INSERT INTO assignments (id, task_id, annotator_id, leased_at, expires_at)
SELECT printf('%032x', k), :task + k / :each, :person + (k / :each * 13 + k % :each * 97) % :people, :at, :at FROM n
"""
_ANSWERED = """
INSERT INTO responses
    (client_id, assignment_id, task_id, annotator_id, answer, seconds, revision, status, received_at)
SELECT 'client-' || a.id, a.id, a.task_id, a.annotator_id, {answer}, 5 + a.rowid * 7 % 40, 0, 'counted', :at
FROM assignments a JOIN tasks t ON t.id = a.task_id
WHERE a.id >= printf('%032x', :first) AND a.id < printf('%032x', :last) ORDER BY a.id
"""
_MAIN = "json_extract(t.payload, '$.candidates[' || CASE WHEN a.rowid % 7 THEN 0 ELSE a.rowid % 5 END || ']')"
_ANSWER = {
    Kind("classify"): f"json_object('version', 1, 'selected', json_array({_MAIN}), 'main', {_MAIN})",
    Kind(
        "contains"
    ): "json_object('version', 1, 'mask', printf('%x', 281474976710655 & (t.id * 2654435761 * (7 + a.rowid % 3))))",
}


@dataclass(slots=True, eq=False)
class Crowd:
    """A campaign that answers come in to."""

    study: Study
    campaign: CampaignEntry
    first_task: int
    first_person: int
    n_sent: int = 0

    def send(self, n: int) -> None:
        """More answers, as quickly as the database takes them."""
        last = self.n_sent + n
        values = {
            "first": self.n_sent,
            "last": last,
            "task": self.first_task,
            "person": self.first_person,
            "each": N_PER_TASK,
            "people": N_PEOPLE,
            "at": self.study.around.now(),
        }
        with self.study.begin() as begun:
            begun.connection.execute(text(_GIVEN), values)
            begun.connection.execute(text(_ANSWERED.format(answer=_ANSWER[self.campaign.kind])), values)
        self.n_sent = last


@contextmanager
def make_crowd(kind: Kind, *, n_left: int = (N_ROUNDS + 1) * N_NEW) -> Iterator[Crowd]:
    """A campaign with all answers but the last ones, which come while somebody looks."""
    with tempfile.TemporaryDirectory() as place:
        around = Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(0), who="benchmark")
        study = init_study(Path(place) / "study", taxonomy="cifar-10", around=around)
        n_images = N_IMAGES[kind]
        table = Path(place) / "images.csv"
        Image.new("RGB", (8, 8)).save(table.parent / "image.png")
        table.write_text("image_id,label,file\n" + "".join(f"i{k},{k % 10},image.png\n" for k in range(n_images)))
        with study.begin() as begun:
            add_test_set(begun, table, name="images")
            plan = CampaignPlan("bench", kind, N_PER_TASK, terms=Terms(pay=Pay(0.05)))
            if kind == "contains":
                create_contains(begun, plan, ContainsQuestions(shape=GridShape(48), seed=0))
            else:
                candidates = {f"i{k}": [(k + step) % 10 for step in (0, 1, 3, 4, 7)] for k in range(n_images)}
                create_classify(begun, plan, ClassifyQuestions(candidates, seed=0))
            campaign = open_campaign(begun, "bench")
            person = invite_many(begun, N_PEOPLE)[0].annotator.id
            task = begun.connection.scalar(select(func.min(tasks.c.id))) or 0
        crowd = Crowd(study, campaign, task, person)
        crowd.send(campaign.n_tasks * N_PER_TASK - n_left)
        yield crowd
        study.close()


def ask_database(study: Study, campaign: CampaignEntry) -> None:
    """Answers, counted ones and mean seconds of every annotator: the least that a table of them needs."""
    columns = (responses.c.annotator_id, func.count(), func.avg(responses.c.seconds))
    query = select(*columns).join(tasks, tasks.c.id == responses.c.task_id).where(tasks.c.campaign_id == campaign.id)
    study.connection.execute(query.group_by(responses.c.annotator_id)).all()


Look = Callable[[Study, CampaignEntry], object]


def list_looks(live: LiveCampaigns) -> dict[str, Look]:
    """What is timed, in the order in which it is done; the first look of a round learns of the new answers."""
    order = AnnotatorOrder.AGREEMENT
    return {
        f"pulse, with {N_NEW} new answers": live.pulse,
        "pulse": live.pulse,
        "progress, asked of the database": measure_progress,
        "annotators, 50 of them": lambda study, campaign: live.annotators(study, campaign, order=order, page=PAGE),
        "answers of all annotators, asked of the database": ask_database,
        "annotators, everything read anew": lambda study, campaign: LiveCampaigns().annotators(study, campaign),
        "label set, everything read anew": lambda study, campaign: prepare_labels(
            study, campaign.name, settings=UNSCREENED[campaign.kind]
        ),
        "one image": lambda study, campaign: live.image(study, campaign, number=IMAGE),
        "images by disagreement, 50 of them": lambda study, campaign: live.images(
            study, campaign, order=ImageOrder.DISAGREEMENT, page=PAGE
        ),
    }


def measure(crowd: Crowd) -> tuple[float, dict[str, list[float]]]:
    """Seconds of the first look, and of every look in every round."""
    live = LiveCampaigns()
    looks = list_looks(live)
    times: dict[str, list[float]] = {name: [] for name in looks}
    with crowd.study.read() as reading:
        # Compiled loops are loaded before anything is timed.
        LiveCampaigns().annotators(reading, crowd.campaign)
        first = take_time(lambda: live.pulse(reading, crowd.campaign))
        live.annotators(reading, crowd.campaign)
    for _ in range(N_ROUNDS):
        crowd.send(N_NEW)
        with crowd.study.read() as reading:
            for name, look in looks.items():
                times[name].append(take_time(lambda look=look: look(reading, crowd.campaign)))  # type: ignore[misc]
    return first, times


def take_time(work: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def describe(kind: Kind) -> str:
    """The table of a kind."""
    with make_crowd(kind) as crowd:
        first, times = measure(crowd)
        heading = f"**{kind.upper()}: {crowd.campaign.n_tasks:,} tasks, {crowd.n_sent:,} answers** ({N_ROUNDS} rounds)"
    pulse = times["pulse"]
    rows = [("first look, everything read", format_seconds(first), "", f"{first / min(pulse):,.0f}")]
    rows += [
        (name, format_seconds(statistics.median(own)), format_seconds(min(own)), f"{min(own) / min(pulse):,.2f}")
        for name, own in times.items()
    ]
    return f"{heading}\n\n{format_table(('look', 'median', 'best', 'best / pulse'), rows)}"


def run(kinds: Sequence[Kind] = tuple(N_IMAGES)) -> Workload:
    """Both kinds."""
    return Workload("Figures of a running campaign", QUESTION, tuple(describe(kind) for kind in kinds))


if __name__ == "__main__":
    print(run().to_markdown())
