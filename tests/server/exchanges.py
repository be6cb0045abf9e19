"""Whole campaigns over HTTP, every exchange kept: what each role gets, and what only the database knows beside it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy.stats import chi2_contingency, mannwhitneyu
from sqlalchemy import select
from starlette.testclient import TestClient
from tests.server.served_study import Reply, Served, Visitor
from tests.workflows.campaign_studies import Clock, get_clock, write_pictures

from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignTexts, Kind, Payload, Role, TaskRole
from regauge.records.campaigns.terms import Quiz, Terms
from regauge.records.evaluation.reviews import ReviewTerms
from regauge.records.guide.entries import GuideEdit, GuideTopic
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import Predictions
from regauge.records.responses.answers import GridShape
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.storage.database.schema import assignments, tasks
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.guide.cases import Citation, cite_verdict
from regauge.workflows.guide.entries import save_entry
from regauge.workflows.labels.audits import draw_study_audit
from regauge.workflows.labels.review_plans import ReviewRequest, plan_study_review, save_review_plan
from regauge.workflows.people.invitations import Invitation, invite_many, renew_link
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

LEASE = 3_600
N_ASKED, N_KNOWN, N_LABELLED = 128, 400, 60
QUIZ = Quiz(4, pass_mark=0.25, max_attempts=6)
MOST_BY_CHANCE = 1e-5
"""A feature that goes with the truth more closely than by this chance tells it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and all that came back."""

    method: str
    route: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(slots=True, eq=False)
class Reader:
    """Somebody who works like anybody else and keeps everything that the server sends."""

    role: str
    visitor: Visitor
    who: Invitation | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    pictures: dict[str, list[Exchange]] = field(default_factory=dict)
    receipts: dict[str, Exchange] = field(default_factory=dict)
    shown_again: dict[str, Any] = field(default_factory=dict)
    """What came back as the previous task."""
    n_done: list[int] = field(default_factory=list)
    """What the page said that one has done, after each answer."""
    n_before: int = 0
    """Exchanges before the first task."""

    def ask(self, method: str, path: str, json: object = None) -> Reply:
        reply = self.visitor.ask(method, path, json=json, headers={"Accept": "text/html" if is_page(path) else "*/*"})
        told = tuple(sorted((name, value) for name, value in reply.headers.items() if name != "date"))
        self.exchanges.append(Exchange(method, find_route(path), reply.status_code, told, reply.content))
        return reply

    def work(self, campaign: CampaignEntry, rng: np.random.Generator, *, n: int = 2) -> bool:
        """Take some tasks, look at all of their images, answer, and look back."""
        reply = self.ask("POST", f"/api/campaigns/{campaign.id}/tasks", {"n": n})
        assert reply.status_code == 200, reply.text
        for place, task in enumerate(reply.json()):
            self.taken.append({**task, "place": place})
            self.look(task)
            self.answer(campaign, task, rng)
        return bool(reply.json())

    def look(self, task: Mapping[str, Any]) -> None:
        for path in task["images"]:
            assert self.ask("GET", path).status_code == 200
        self.pictures[task["id"]] = self.exchanges[-len(task["images"]) :]

    def answer(self, campaign: CampaignEntry, task: Mapping[str, Any], rng: np.random.Generator) -> None:
        body = {"client_id": f"client-{task['id']}", "assignment_id": task["id"], "answer": make_answer(task, rng)}
        assert self.ask("POST", "/api/answers", {**body, "seconds": 20.0}).status_code == 200
        self.receipts[task["id"]] = self.exchanges[-1]
        reply = self.ask("GET", f"/api/campaigns/{campaign.id}/previous")
        if reply.json() is not None:
            self.shown_again[reply.json()["id"]] = reply.json()
        page = self.ask("GET", f"/campaigns/{campaign.id}").text
        self.n_done.append(int(re.findall(r'data-done="(\d+)"', page)[0]))

    def learn(self, campaign: CampaignEntry, rng: np.random.Generator) -> None:
        """Everything before the first task."""
        here = f"/api/campaigns/{campaign.id}"
        assert self.ask("POST", f"{here}/consent", {"version": 1}).status_code == 204
        for example in self.ask("GET", f"{here}/examples").json():
            assert self.ask("GET", example["image"]).status_code == 200
        self.ask("GET", f"{here}/quiz")
        for attempt in range(1, QUIZ.max_attempts + 1):
            view = self.ask("POST", f"{here}/quiz", {"attempt": attempt})
            question = view.json()["question"] if view.status_code == 200 else None
            if question is not None and attempt == 1:
                reply = self.ask("POST", f"{here}/quiz/reports", {"question": question["id"]})
                question = reply.json()["question"]
            while question is not None:
                assert self.ask("GET", question["images"][0]).status_code == 200
                sent = {"question": question["id"], "answer": make_answer(question, rng)}
                question = self.ask("POST", f"{here}/quiz/answers", sent).json()["next"]["question"]
        self.n_before = len(self.exchanges)

    def look_around(self, campaign: CampaignEntry) -> None:
        """Every other page and address there is for them."""
        for path in ("/", "/join", "/me", "/api/me", "/api/session", "/healthz", f"/campaigns/{campaign.id}/thanks"):
            self.ask("GET", path)
        for path in (f"/p/{campaign.id}", f"/m/{campaign.id}", "/metrics"):
            self.ask("GET", path)
        self.look_up(campaign)
        for path in ("finish", "return"):
            self.ask("POST", f"/api/campaigns/{campaign.id}/{path}", {})
        for path in ("3", "pictures/1/0", "cases/2"):
            self.ask("GET", f"/api/campaigns/{campaign.id}/guide/{path}")
        self.talk(campaign)
        self.ask("POST", "/api/me/erasure", {"with_answers": False})
        self.ask("POST", "/api/session", {"token": "nobody's"})
        self.ask("POST", "/api/guest")

    def talk(self, campaign: CampaignEntry) -> None:
        """All that can be asked about threads."""
        here = f"/api/campaigns/{campaign.id}/tasks/{self.taken[-1]['id'] if self.taken else '0' * 32}"
        self.ask("GET", f"{here}/threads")
        self.ask("POST", f"{here}/comments", {"client_id": "client-1", "text": "What is it?"})
        self.ask("POST", f"{here}/resolve", {"thread": 1, "is_resolved": True})

    def look_up(self, campaign: CampaignEntry) -> None:
        """Everything about a class."""
        self.ask("GET", self.ask("GET", "/api/classes").json()["address"])
        self.ask("GET", "/api/expertises")
        for path in ("pictured", "1/card", "1/tested/0", "nodes/n02084071/picture"):
            self.ask("GET", f"/api/classes/{path}?campaign={campaign.id}")


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A campaign that was worked through, by whom, and what is true of it."""

    served: Served
    campaign: CampaignEntry
    workers: tuple[Reader, ...]
    dropped: Reader
    late: Reader
    guest: Reader
    manager: Reader
    truth: Mapping[str, tuple[Payload, TaskRole]]
    """Per assignment what it shows and what it is there for, which no page is told."""

    @property
    def people(self) -> tuple[Reader, ...]:
        return (*self.workers, self.dropped, self.late)


def is_page(path: str) -> bool:
    return not path.startswith(("/api", "/images"))


def find_route(path: str) -> str:
    """The route of an address, without what differs from task to task."""
    path = path.partition("?")[0]
    path = re.sub(r"^/api/classes/index/.*", "/api/classes/index/{digest}", path)
    path = re.sub(r"^/api/classes/nodes/[^/]+/", "/api/classes/nodes/{node}/", path)
    path = re.sub(r"^/api/classes/\d+/card", "/api/classes/{class_index}/card", path)
    path = re.sub(r"^/api/classes/\d+/\w+/\d+$", "/api/classes/{class_index}/{which}/{place}", path)
    short = re.sub(r"^/images/[^/]+/\d+$", "/images/{assignment_id}/{cell}", path)
    short = re.sub(r"/tasks/[^/]+/", "/tasks/{assignment_id}/", short)
    short = re.sub(r"/(campaigns|p|m)/\d+", r"/\1/{campaign_id}", short)
    short = re.sub(r"/guide/\d+$", "/guide/{class_index}", short)
    return re.sub(r"/guide/(pictures|cases)/\d+", r"/guide/\1/{version}", short).replace(
        "{version}/0", "{version}/{place}"
    )


def make_answer(task: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """An answer at random."""
    if task["kind"] == Kind("contains"):
        return {"mask": f"{int(rng.integers(0, 1 << task['view']['n_cells'])):x}"}
    if task["kind"] == Kind("review"):
        words = rng.choice(["correct", "wrong", "unclear"], len(task["view"]["items"])).tolist()
        return {"verdicts": {one["key"]: word for one, word in zip(task["view"]["items"], words, strict=True)}}
    shown = [one["class"] for one in task["view"]["candidates"]]
    selected = rng.permutation(shown)[:2].tolist()
    return {"selected": selected, "main": selected[0]}


@contextmanager
def read_campaign(folder: Path, kind: Kind) -> Iterator[Read]:
    """A campaign with controls or candidates, training, quiz, repeats, somebody who is dropped and answers that come late."""
    around = Circumstances(clock=Clock(), rng=np.random.default_rng(0), who="tester")
    study = init_study(folder / "study", taxonomy="cifar-10", around=around)
    campaign = make_campaign(study, folder, kind)
    with study.begin() as begun:
        people = invite_many(begun, 5)
        for one in people[3:]:
            consent(begun, campaign.id, annotator_id=one.annotator.id, version=1)
        manager = renew_link(begun, "manager", role=Role.MANAGER)
        save_entry(begun, GuideTopic(3), GuideEdit("Ears.\n\n![](image:k3)"))
        cite_verdict(begun, Citation("k4", 3, "clear"), verdict=Verdict.CORRECT)
    app = create_app(study, ServerSettings(has_guests=True))
    with TestClient(app, raise_server_exceptions=False) as client:
        served = Served(study, app, client, campaign, people, manager)
        yield drive(served, campaign)
    study.close()


def make_campaign(study: Study, folder: Path, kind: Kind) -> CampaignEntry:
    texts = CampaignTexts("Look.", "Agree?", training="Learn.")
    plan = CampaignPlan("whole", kind, 3, LEASE, texts, terms=Terms(quiz=QUIZ, repeats=0.2))
    if kind == Kind("review"):
        return make_audited(study, folder, replace(plan, texts=CampaignTexts("Look.", "Agree?"), terms=Terms()))
    with study.begin() as begun:
        add_test_set(begun, write_pictures(folder / "asked", n_images=N_ASKED, prefix="a"), name="asked")
        add_test_set(begun, write_pictures(folder / "known", n_images=N_KNOWN, prefix="k", first=N_ASKED), name="known")
        if kind == Kind("contains"):
            create_contains(begun, plan, ContainsQuestions("asked", None, "known", GridShape(8, 2, 2), seed=0))
        else:
            create_classify(begun, plan, ClassifyQuestions(draw_candidates(), "asked", 0, "known"))
        return open_campaign(begun, "whole")


def make_audited(study: Study, folder: Path, plan: CampaignPlan) -> CampaignEntry:
    """A review that follows a plan, with an audit among its images: on every second one a participant is wrong."""
    rng = np.random.default_rng(7)
    with study.begin() as begun:
        add_test_set(begun, write_pictures(folder / "asked", n_images=N_ASKED, prefix="a"), name="asked")
        add_test_set(begun, write_pictures(folder / "known", n_images=20, prefix="k", first=N_ASKED), name="known")
        images = load_test_set(begun, get_test_set(begun, "asked"))
        odd = np.where(
            rng.random(len(images)) < 0.5, (images.labels + rng.integers(1, 10, len(images))) % 10, images.labels
        )
        third = np.where(odd != images.labels, (images.labels + rng.integers(0, 2, len(images))) % 10, images.labels)
        sources = {"good": images.labels, "odd": odd, "third": third}
        answers = [Predictions(name, images.image_ids, classes) for name, classes in sources.items()]
        add_predictions(begun, PredictionSource(answers), test_set="asked")
        made = plan_study_review(begun, ReviewRequest(test_set="asked", terms=ReviewTerms(n_simulations=10)))
        save_review_plan(made.planned, folder / "plan.json")
        draw_study_audit(begun, ReviewRequest(test_set="asked"), path=folder / "audit.json", n=40)
        files = {"plan": str(folder / "plan.json"), "audit": str(folder / "audit.json")}
        create_campaign(begun, plan, Questions("asked", settings=files, seed=1))
        return open_campaign(begun, "whole")


def draw_candidates() -> dict[str, list[int]]:
    """The dataset label first, as predictions give it, and four others at random."""
    rng = np.random.default_rng(7)
    return {f"a{number}": rng.permutation(10)[:5].tolist() for number in range(N_LABELLED)}


def drive(served: Served, campaign: CampaignEntry) -> Read:
    rng = np.random.default_rng(1)
    readers = [Reader("annotator", served.enter(one), one) for one in served.people]
    *workers, dropped, late = readers
    for reader in readers:
        reader.learn(campaign, rng)
    # Somebody takes a task, and answers it when its place was given to others.
    (held,) = late.visitor.take(campaign, 1)
    late.taken.append({**held, "place": 0})
    get_clock(served.study).jump(2 * LEASE)
    for _ in range(4):
        dropped.work(campaign, rng)
    with served.study.begin() as begun:
        assert dropped.who is not None
        kept = dropped.visitor.take(campaign, 1)
        drop_annotator(begun, campaign.name, annotator=dropped.who.annotator.name, reason="too fast")
    for task in kept:
        dropped.taken.append({**task, "place": 0})
        dropped.look(task)
        dropped.answer(campaign, task, rng)
    busy = list(workers)
    while busy:
        get_clock(served.study).jump(30)
        busy = [reader for reader in busy if reader.work(campaign, rng)]
    late.look(held)
    late.answer(campaign, held, rng)
    guest, manager = Reader("guest", served.enter_as_guest()), Reader("manager", served.enter(served.manager))
    for reader in (guest, manager):
        reader.learn(campaign, rng)
        reader.work(campaign, rng)
    for reader in (*readers, guest, manager):
        reader.look_around(campaign)
    query = select(assignments.c.id, tasks.c.payload, tasks.c.role).join(tasks, tasks.c.id == assignments.c.task_id)
    with served.study.read() as reading:
        truth = {row.id: (row.payload, TaskRole(row.role)) for row in reading.connection.execute(query)}
    return Read(served, campaign, tuple(workers), dropped, late, guest, manager, truth)


def find_telling(features: Mapping[str, Sequence[Any]], truth: Sequence[bool]) -> dict[str, float]:
    """The features that go with the truth more closely than by chance, each with how likely that were by chance."""
    is_true = np.array(truth, np.bool_)
    assert is_true.any()
    assert not is_true.all()
    found = {name: measure_chance(values, is_true) for name, values in features.items()}
    return {name: chance for name, chance in found.items() if chance < MOST_BY_CHANCE}


def measure_chance(values: Sequence[Any], is_true: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    """How likely it is that a feature goes with the truth as closely, if it tells nothing."""
    names = list(dict.fromkeys(values))
    if len(names) == 1:
        return 1.0
    if isinstance(names[0], int | float) and not isinstance(names[0], bool):
        column = np.array(values, np.float64)
        return float(mannwhitneyu(column[is_true], column[~is_true]).pvalue)
    table = np.zeros((2, len(names)))
    np.add.at(table, (is_true.astype(int), np.array([names.index(one) for one in values])), 1)
    return float(chi2_contingency(table).pvalue)


def find_shape(content: bytes) -> tuple[Any, ...]:
    """All of an image but what is in it."""
    with Image.open(io.BytesIO(content)) as picture:
        quantization = picture.quantization  # type: ignore[attr-defined]
        tables_ = tuple(tuple(table) for table in quantization.values())
        return (picture.size, picture.mode, picture.format, tables_, tuple(sorted(picture.info)))


def drop_length(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in headers if name != "content-length")


def identify(picture: Exchange) -> str:
    """What tells an image from others: its bytes."""
    return sha256(picture.body).hexdigest()


def list_fields(exchange: Exchange) -> set[str]:
    """The names of the fields of a reply in JSON, each with those around it."""

    def walk(value: object, name: str) -> Iterator[str]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from walk(inner, f"{name}.{key}" if name else key)
        elif isinstance(value, list):
            yield name
            for inner in value:
                yield from walk(inner, name)
        else:
            yield name

    is_json = dict(exchange.headers).get("content-type", "").startswith("application/json")
    return {one for one in walk(json.loads(exchange.body), "") if one} if is_json else set()
