"""A study with two test sets of pictures, references and people who are tested, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient
from tests.server.served_study import Visitor
from tests.workflows.campaign_studies import Clock, add_people, get_clock, write_pictures

from regauge.cli.main import cli
from regauge.records.campaigns.campaign import CampaignEntry, Role
from regauge.server.app import create_app
from regauge.storage.campaigns.campaign import get_campaign
from regauge.workflows.people.invitations import Invitation, renew_link
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_CLASSES = 4
SETS = {"original": ("o", 0, 16), "new": ("n", 100, 12), "refs": ("r", 200, 20)}
"""Per set the prefix of its images, the first picture, and how many there are: those of four classes of CIFAR-10 in turn."""


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """A served study, people who can be tested, and a manager."""

    study: Study
    folder: Path
    client: TestClient
    people: tuple[Invitation, ...]
    manager: Invitation

    @property
    def clock(self) -> Clock:
        return get_clock(self.study)

    def run(self, *words: str) -> None:
        cli.main([*words, "--study", str(self.study.paths.folder)], standalone_mode=False)

    def test(self, name: str = "test", *more: str) -> CampaignEntry:
        """An open evaluation of one image per class and set, with references."""
        usual = ("--sets", "original", "new", "--per-class", "1", "--seed", "3", "--references", "refs")
        self.run("campaign", "create", "label", name, "--mode", "evaluation", *usual, *more)
        self.run("campaign", "open", name)
        return self.get(name)

    def get(self, name: str) -> CampaignEntry:
        with self.study.read() as reading:
            return get_campaign(reading, name)

    def enter(self, who: Invitation) -> Visitor:
        reply = self.client.post("/api/session", json={"token": who.token})
        self.client.cookies.clear()
        cookie = reply.headers["set-cookie"].split(";")[0]
        return Visitor(self.client, {"Cookie": cookie, "X-CSRF-Token": reply.json()["csrf"]})

    def begin(self, who: Invitation, campaign: CampaignEntry) -> Visitor:
        """Somebody who has agreed to the text."""
        visitor = self.enter(who)
        visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": campaign.plan.texts.version})
        return visitor

    def answer_all(
        self, who: Invitation, campaign: CampaignEntry, *, n: int = 1_000, seconds: float = 7.0
    ) -> list[str]:
        """Somebody answers up to n images with class 1, each after some seconds; returns the ids of the tasks in their order."""
        visitor = self.begin(who, campaign)
        taken: list[str] = []
        while len(taken) < n and (tasks := visitor.take(campaign, 1)):
            (task,) = tasks
            assert visitor.post("/api/shown", {"assignment_id": task["id"]}).status_code == 204
            self.clock.jump(seconds)
            reply = send(visitor, task, 1, seconds=seconds)
            assert reply.status_code == 200, reply.text
            taken.append(task["id"])
        return taken


def send(
    visitor: Visitor, task: Mapping[str, Any], named: int, *, seconds: float = 7.0, revision: int = 0, **more: Any
) -> Any:
    """An answer as the page sends it."""
    shown = {"seconds": seconds, "steady": seconds, "asleep": 0.0, "is_again": False, **more}
    body = {"client_id": f"c-{revision}-{task['id']}"[:64], "assignment_id": task["id"], "answer": {"class": named}}
    return visitor.post("/api/answers", {**body, "seconds": seconds - 1.0, "revision": revision, "shown": shown})


@contextmanager
def serve_examined(folder: Path, *, database: str = "", n_people: int = 3) -> Iterator[Examined]:
    """The study, served."""
    around = Circumstances(clock=Clock(), rng=np.random.default_rng(0), who="tester")
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=around)
    try:
        with study.begin() as begun:
            for name, (prefix, first, n) in SETS.items():
                add_test_set(begun, write_pictures(folder / name, n_images=n, prefix=prefix, first=first), name=name)
            manager = renew_link(begun, "manager", role=Role.MANAGER)
        people = add_people(study, None, n_people)
        with TestClient(create_app(study), raise_server_exceptions=False) as client:
            yield Examined(study, folder, client, people, manager)
    finally:
        study.close()
