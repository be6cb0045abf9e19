"""A study with a VERIFY campaign for tests, and what three people say of its labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tests.server.served_study import Visitor
from tests.verify import WITH_VERIFY
from tests.workflows.campaign_studies import add_people, make_pictured

from regauge.cli.main import cli
from regauge.records.campaigns.campaign import CampaignEntry, Role
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.server.app import create_app
from regauge.storage.campaigns.campaign import get_campaign
from regauge.workflows.kinds import with_kinds
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.people.invitations import Invitation, renew_link
from regauge.workflows.studies.study import Study

PAIRS = "image_id,class\ni0,0\ni0,7\ni1,1\ni2,2\n"
"""Four pairs; horse is none of the dataset's labels."""
FIRST = {
    "airplane": ("correct", "correct", "unclear"),
    "horse": ("correct", "wrong", "unclear"),
    "automobile": ("correct", "correct", "wrong"),
    "bird": ("unclear", "unclear", "unclear"),
}
"""Per label what the three say alone. The third is in doubt more often than not."""
SECOND = {
    "airplane": ("correct", "correct", "unclear"),
    "horse": ("wrong", "wrong", "unclear"),
    "automobile": ("correct", "wrong", "wrong"),
}
"""What they say when they have seen what the others said; about birds they agree, so nobody is asked again."""


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A served study with three people on the panel, one who is not, and a manager."""

    study: Study
    client: TestClient
    panel: tuple[Invitation, ...]
    outsider: Invitation
    manager: Invitation

    def enter(self, who: Invitation) -> Visitor:
        """Somebody comes in by their link."""
        reply = self.client.post("/api/session", json={"token": who.token})
        self.client.cookies.clear()
        cookie = reply.headers["set-cookie"].split(";")[0]
        return Visitor(self.client, {"Cookie": cookie, "X-CSRF-Token": reply.json()["csrf"]})

    def get(self, name: str) -> CampaignEntry:
        """A campaign as it is now."""
        with self.study.read() as reading:
            return get_campaign(reading, name)

    def run(self, *words: str) -> None:
        """A command of a program that has the kind."""
        cli.main([*words, "--study", str(self.study.paths.folder)], obj=WITH_VERIFY, standalone_mode=False)

    def vote(self, campaign: CampaignEntry, said: Mapping[str, tuple[str, ...]]) -> list[list[dict[str, Any]]]:
        """Everybody answers what they are given; returns the tasks of each, in the order in which they came."""
        taken = []
        for place, who in enumerate(self.panel):
            visitor = self.enter(who)
            visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
            tasks = visitor.take(campaign, 5)
            for task in tasks:
                assert send(visitor, task, said[task["view"]["target"]["name"]][place]).status_code == 200
            taken.append(tasks)
        return taken


def send(visitor: Visitor, task: Mapping[str, Any], vote: str, *, revision: int = 0) -> Any:
    """A vote as the page sends it; who says no says why."""
    answer = {"vote": vote, **({"comment": "It is a toy."} if vote == "wrong" else {})}
    body = {"client_id": f"client-{revision}-{task['id']}"[:64], "assignment_id": task["id"], "answer": answer}
    return visitor.post("/api/answers", {**body, "seconds": 2.0, "revision": revision})


@contextmanager
def serve_told(folder: Path, *, database: str = "") -> Iterator[Told]:
    """The study, served by a program that has the kind; a label set tells what is known of one image."""
    with make_pictured(folder, database=database) as made:
        study = with_kinds(made, WITH_VERIFY)
        (folder / "pairs.csv").write_text(PAIRS)
        *panel, outsider = add_people(study, None, 4)
        with study.begin() as begun:
            manager = renew_link(begun, "manager", role=Role.MANAGER)
            known = LabelSet.from_lists("known", ["i0"], correct=[[0]], wrong=[[7]])
            add_labels(begun, Truth(label_sets=(known,)))
        with TestClient(create_app(study, kinds=WITH_VERIFY), raise_server_exceptions=False) as client:
            yield Told(study, client, tuple(panel), outsider, manager)
