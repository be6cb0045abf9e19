"""A study in which a participant makes five mistakes under a label set, and how coders look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.server.served_study import Visitor
from tests.verify.verify_study import Told, serve_told

from regauge.records.labels.label_set import LabelSet, Truth
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.predictions import PredictionSource, add_predictions

N_IMAGES = 24
"""The pictures of the study; image i0 has the label airplane, i1 automobile, i2 bird, i3 cat, and so on in turn."""
N_MISTAKES = 5
"""Of the participant `bad`, on the first images, each the class after its own number; that on i0 was judged before."""
Said = Mapping[str, Any]
MAJOR: Said = {"category": "fine-grained", "severity": "major"}
MINOR: Said = {"category": "fine-grained", "severity": "minor"}
LINE: Said = {"category": "spurious-correlation", "severity": "borderline"}
GONE: Said = {"overturned": "missed object", "comment": "There is one behind it."}


def predict(folder: Path, name: str, wrong: Mapping[int, int]) -> Path:
    rows = "".join(f"i{one},{wrong.get(one, one % 4)},0.{90 - one}\n" for one in range(N_IMAGES))
    path = folder / f"{name}.csv"
    path.write_text(
        "image_id,rank,class,score\n" + "".join(row.replace(",", ",1,", 1) + "\n" for row in rows.splitlines())
    )
    return path


@pytest.fixture
def told(tmp_path: Path, database: str) -> Iterator[Told]:
    with serve_told(tmp_path, database=database) as made:
        bad = predict(tmp_path, "bad", {one: one + 1 for one in range(N_MISTAKES)})
        # The same mistake on i0 and i1, and one of its own.
        other = predict(tmp_path, "other", {0: 1, 1: 2, 6: 9})
        ids = [f"i{one}" for one in range(N_IMAGES)]
        labels = [[one % 4] for one in range(N_IMAGES)]
        wrong = [[1] if one == 0 else [] for one in range(N_IMAGES)]
        truth = LabelSet.from_lists("truth", ids, correct=labels, wrong=wrong)
        with made.study.begin() as begun:
            add_predictions(begun, PredictionSource([bad, other]))
            add_labels(begun, Truth(label_sets=(truth,)))
        yield made


def ask(told: Told, *words: str, name: str = "codes", participant: str = "bad", coders: int = 0) -> None:
    """A campaign for everybody, or for so many coders who are named."""
    people = [word for one in told.panel[:coders] for word in ("--coders", one.annotator.name)]
    told.run("campaign", "create", "code", name, "--participant", participant, "--labels", "truth", *people, *words)
    told.run("campaign", "open", name)


def send(visitor: Visitor, task: Mapping[str, Any], answer: Said, *, revision: int = 0) -> Any:
    body = {"client_id": f"c{revision}-{task['id']}"[:64], "assignment_id": task["id"], "answer": answer}
    return visitor.post("/api/answers", {**body, "seconds": 4.0, "revision": revision})


def take(told: Told, who: Invitation, name: str = "codes") -> tuple[Visitor, list[dict[str, Any]]]:
    """Everything that somebody is given, without an answer to any."""
    campaign, visitor = told.get(name), told.enter(who)
    visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
    return visitor, visitor.take(campaign, 5)


def code_all(told: Told, say: Callable[[int, int], Said], *, name: str = "codes", coders: int = 2) -> list[Any]:
    """Every coder says something of each mistake, by their place and the number of the image; gives the tasks of each."""
    taken = []
    for place, who in enumerate(told.panel[:coders]):
        visitor, tasks = take(told, who, name)
        for task in tasks:
            reply = send(visitor, task, say(place, task["view"]["prediction"]["class"] - 1))
            assert reply.status_code == 200, reply.text
        taken.append(tasks)
    return taken
