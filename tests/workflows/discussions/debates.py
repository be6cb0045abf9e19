"""A kind whose answers a panel discusses, made of VERIFY; and a served study with a debate among three people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from starlette.testclient import TestClient
from tests.server.served_study import Visitor
from tests.verify import KIND as VERIFY
from tests.verify import answers, making, task
from tests.workflows.campaign_studies import add_people, make_pictured

from regauge.campaigns.discussions.words import parse_argument
from regauge.campaigns.sources import MadeTasks, Sources
from regauge.campaigns.visibility import TaskContext
from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, Kind, Payload, Role
from regauge.records.campaigns.discussions import DISCUSSED
from regauge.server.app import create_app
from regauge.storage.campaigns.campaign import get_campaign
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.kinds import with_kinds
from regauge.workflows.people.invitations import Invitation, renew_link
from regauge.workflows.studies.study import Study

PAIRS = [("i0", 0), ("i0", 7), ("i1", 1), ("i2", 2)]
NAME = "debate"


def make_tasks(sources: Sources) -> MadeTasks:
    made = making.make_tasks(sources)
    return replace(made, tasks=[{**one, DISCUSSED: 1} for one in made.tasks])


def view(shown: Payload, context: TaskContext) -> Mapping[str, Any]:
    discussion = context.discussion
    return {**task.view(shown, context), "discussion": None if discussion is None else discussion.to_json()}


def parse(shown: Payload, answer: Payload) -> Payload:
    return {**task.parse(shown, answer), **parse_argument(answer)}


def read_votes(shown: Payload, answer: Payload) -> Mapping[str, str]:
    return {"label": answer["vote"]} if "vote" in answer else {}


def _change(module: Any, **changes: Any) -> Any:
    kept = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    return SimpleNamespace(**{**kept, **changes})


DEBATE = replace(
    VERIFY,
    name=Kind(NAME),
    fields=replace(VERIFY.fields, kind=Kind(NAME)),
    task=_change(task, view=view, parse=parse),
    making=_change(making, make_tasks=make_tasks),
    answers=answers,
    rounds=None,
    discussion=SimpleNamespace(read_votes=read_votes),
)
WITH_DEBATE = {**KINDS, DEBATE.name: DEBATE}


@dataclass(frozen=True, slots=True, eq=False)
class Debated:
    """A served study with a debate."""

    study: Study
    client: TestClient
    panel: tuple[Invitation, ...]
    outsider: Invitation
    manager: Invitation
    campaign: CampaignEntry

    def enter(self, who: Invitation) -> Visitor:
        reply = self.client.post("/api/session", json={"token": who.token})
        self.client.cookies.clear()
        cookie = reply.headers["set-cookie"].split(";")[0]
        return Visitor(self.client, {"Cookie": cookie, "X-CSRF-Token": reply.json()["csrf"]})

    @property
    def address(self) -> str:
        return f"/api/campaigns/{self.campaign.id}/discussion"

    def take_all(self, visitor: Visitor) -> dict[str, dict[str, Any]]:
        """All tasks of somebody by the name of the label; asked for as a page does."""
        visitor.post(f"/api/campaigns/{self.campaign.id}/consent", {"version": 1})
        return {one["view"]["target"]["name"]: one for one in visitor.take(self.campaign, 5)}

    def vote(self, place: int, said: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        visitor = self.enter(self.panel[place])
        tasks = self.take_all(visitor)
        for name, vote in said.items():
            assert send(visitor, tasks[name], vote).status_code == 200
        return tasks

    def vote_all(self, said: Sequence[Mapping[str, str]]) -> list[dict[str, dict[str, Any]]]:
        return [self.vote(place, one) for place, one in enumerate(said)]

    def look(self, place: int) -> dict[str, Any]:
        reply = self.enter(self.panel[place]).get(self.address)
        assert reply.status_code == 200, reply.text
        found: dict[str, Any] = reply.json()
        return found

    def enter_act(self, place: int, act: str, body: object = None) -> Any:
        return self.enter(self.panel[place]).post(f"{self.address}/{act}", body)


def send(visitor: Visitor, shown: Mapping[str, Any], vote: str, *, revision: int = 0, argument: str = "") -> Any:
    answer = {"vote": vote, **({"argument": argument} if argument else {})}
    body = {"client_id": f"client-{revision}-{shown['id']}"[:64], "assignment_id": shown["id"], "answer": answer}
    return visitor.post("/api/answers", {**body, "seconds": 2.0, "revision": revision})


@contextmanager
def serve_debate(folder: Path, *, database: str = "") -> Iterator[Debated]:
    with make_pictured(folder, database=database) as made:
        study = with_kinds(made, WITH_DEBATE)
        *panel, outsider = add_people(study, None, 4)
        with study.begin() as begun:
            manager = renew_link(begun, "manager", role=Role.MANAGER)
            settings = {"first": "any", "panelists": [one.annotator.name for one in panel]}
            plan = CampaignPlan("debate", Kind(NAME), 3)
            create_campaign(begun, plan, Questions(pairs=PAIRS, settings=settings))
            open_campaign(begun, "debate")
        with study.read() as reading:
            campaign = get_campaign(reading, "debate")
        with TestClient(create_app(study, kinds=WITH_DEBATE), raise_server_exceptions=False) as client:
            yield Debated(study, client, tuple(panel), outsider, manager, campaign)
