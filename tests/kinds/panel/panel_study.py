"""A served study with a panel of three on the mistakes of two models, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tests.server.served_study import Visitor
from tests.verify import WITH_VERIFY
from tests.verify.verify_study import Told
from tests.workflows.campaign_studies import add_people, make_pictured

from regauge.records.campaigns.campaign import Role
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.server.app import create_app
from regauge.workflows.kinds import with_kinds
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.people.invitations import renew_link
from regauge.workflows.predictions import PredictionSource, add_predictions

N_IMAGES = 24
NAME = "panel"
MISTAKES = {"i1": 6, "i2": 7, "i3": 8, "i5": 9}
"""What the model answers instead of the dataset label; i5 was judged before."""


@dataclass(frozen=True, slots=True, eq=False)
class Panelled(Told):
    """The study, with what tests of panels ask of it."""

    @property
    def address(self) -> str:
        return f"/api/campaigns/{self.get(NAME).id}/discussion"

    def take_all(self, place: int) -> dict[int, dict[str, Any]]:
        """The tasks of a panelist by the class that is asked about first."""
        visitor = self.enter(self.panel[place])
        visitor.post(f"/api/campaigns/{self.get(NAME).id}/consent", {"version": 1})
        return {one["view"]["items"][0]["class"]: one for one in visitor.take(self.get(NAME), 5)}

    def cast(self, place: int, said: Mapping[int, Mapping[str, Any] | str]) -> dict[int, dict[str, Any]]:
        tasks = self.take_all(place)
        for index, answer in said.items():
            reply = send(self.enter(self.panel[place]), tasks[index], answer)
            assert reply.status_code == 200, reply.text
        return tasks

    def enter_act(self, place: int, act: str, body: object = None) -> Any:
        return self.enter(self.panel[place]).post(f"{self.address}/{act}", body)

    def look(self, place: int) -> dict[str, Any]:
        found: dict[str, Any] = self.enter(self.panel[place]).get(self.address).json()
        return found

    def lock_all(self, place: int = 0) -> Any:
        items = [{"task": one["task"], "version": one["version"]} for one in self.look(place)["items"]]
        return self.enter_act(place, "lock", {"items": items})


def send(
    visitor: Visitor, task: Mapping[str, Any], said: Mapping[str, Any] | str, *, revision: int = 0, **more: Any
) -> Any:
    """An answer as the page sends it: a vote on every prediction, and what else is said."""
    keys = [one["key"] for one in task["view"]["items"]]
    answer = {"verdicts": dict.fromkeys(keys, said)} if isinstance(said, str) else dict(said)
    body = {"client_id": f"c{revision}-{task['id']}"[:64], "assignment_id": task["id"], "answer": {**answer, **more}}
    return visitor.post("/api/answers", {**body, "seconds": 4.0, "revision": revision})


@contextmanager
def serve_panel(folder: Path, *, database: str = "", n_panelists: int = 3, opens: bool = True) -> Iterator[Panelled]:
    with make_pictured(folder, database=database) as made:
        study = with_kinds(made, WITH_VERIFY)
        *panel, outsider = add_people(study, None, n_panelists + 1)
        labels = {f"i{number}": number % 4 for number in range(N_IMAGES)}
        rows = [
            (one, MISTAKES.get(one, label), 0.5 + 0.01 * place) for place, (one, label) in enumerate(labels.items())
        ]
        text = "".join(f"{one},1,{index},{score:.4f}\n" for one, index, score in rows)
        (folder / "top.csv").write_text(f"image_id,rank,class,score\n{text}", encoding="utf-8")
        with study.begin() as begun:
            manager = renew_link(begun, "manager", role=Role.MANAGER)
            known = LabelSet.from_lists(
                "known",
                list(labels),
                correct=[[one] for one in labels.values()],
                wrong=[[9] if one == "i5" else [] for one in labels],
            )
            add_labels(begun, Truth(label_sets=(known,)))
            add_predictions(begun, PredictionSource([folder / "top.csv"]))
        with TestClient(create_app(study, kinds=WITH_VERIFY), raise_server_exceptions=False) as client:
            panelled = Panelled(study, client, tuple(panel), outsider, manager)
            if opens:
                create(panelled)
            yield panelled


def create(panelled: Panelled, *more: str) -> None:
    names = [word for one in panelled.panel for word in ("--panelists", one.annotator.name)]
    words = ("campaign", "create", "panel", NAME, "--participant", "top", "--labels", "known", *names, *more)
    panelled.run(*words)
    panelled.run("campaign", "open", NAME)
