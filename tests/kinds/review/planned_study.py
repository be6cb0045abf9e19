"""A study of drawn pictures on which two participants differ, the plan that settles who is ahead, and an audit of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.server.served_study import Visitor
from tests.verify.verify_study import Told, serve_told

from regauge.records.predictions import Predictions
from regauge.workflows.predictions import PredictionSource, add_predictions

N_IMAGES = 24
IDS = tuple(f"i{number}" for number in range(N_IMAGES))
LABELS = {image_id: number % 4 for number, image_id in enumerate(IDS)}
DIFFERING = IDS[1:13]
"""Where the poor participant answers the class five above the dataset label, and the good one the dataset label."""


@contextmanager
def serve_planned(folder: Path, *, database: str = "", knows: bool = False) -> Iterator[Told]:
    """The study with a plan of good against poor, and an audit of six of the other images; i0 is judged already if it knows."""
    with serve_told(folder, database=database) as made:
        poor = [label + 5 * (one in DIFFERING) for one, label in LABELS.items()]
        with made.study.begin() as begun:
            answers = [Predictions("good", IDS, list(LABELS.values())), Predictions("poor", IDS, poor)]
            add_predictions(begun, PredictionSource(answers))
        labels = ("--labels", "known") if knows else ()
        made.run("labels", "plan", *labels, "--write", str(folder / "plan.json"), "--simulations", "20")
        made.run("labels", "draw-audit", str(folder / "audit.json"), *labels, "--n", "6")
        yield made


def answer_some(told: Told, n: int, *, n_people: int = 3, wrong: int = 5) -> list[list[dict[str, Any]]]:
    """People answer their first n tasks: dataset labels and what is below 4 are correct, other classes are wrong."""
    campaign, taken = told.get("experts"), []
    for who in told.panel[:n_people]:
        visitor = told.enter(who)
        visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
        mine: list[dict[str, Any]] = []
        while len(mine) < n and (tasks := visitor.take(campaign, min(5, n - len(mine)))):
            for task in tasks:
                keys = [one["key"] for one in task["view"]["items"]]
                verdicts = {key: "wrong" if int(key) >= wrong else "correct" for key in keys}
                assert send(visitor, task, {"verdicts": verdicts}).status_code == 200
            mine += tasks
        taken.append(mine)
    return taken


def send(visitor: Visitor, task: Mapping[str, Any], answer: Mapping[str, Any]) -> Any:
    body = {"client_id": f"c-{task['id']}"[:64], "assignment_id": task["id"], "answer": answer}
    return visitor.post("/api/answers", {**body, "seconds": 4.0})


def create(told: Told, folder: Path, *words: str, files: Sequence[str] = ("plan",)) -> None:
    """The campaign of the files, open."""
    options = [word for one in files for word in (f"--{one}", str(folder / f"{one}.json"))]
    told.run("campaign", "create", "review", "experts", *options, *words)
    told.run("campaign", "open", "experts")
