"""A study with answers of two models that reviewers judge, and how they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.server.served_study import Visitor
from tests.verify.verify_study import Told, serve_told

from regauge.workflows.predictions import PredictionSource, add_predictions

N_IMAGES = 24
"""The pictures of the study; image i0 has the label airplane, which is known to be correct, and horse, known to be wrong."""


@pytest.fixture
def told(tmp_path: Path, database: str) -> Iterator[Told]:
    with serve_told(tmp_path, database=database) as made:
        labels = {f"i{number}": number % 4 for number in range(N_IMAGES)}
        good = "".join(f"{one},{label}\n" for one, label in labels.items())
        odd = "".join(f"{one},{(label + (one == 'i1') * 5) % 10}\n" for one, label in labels.items())
        (tmp_path / "good.csv").write_text(f"image_id,class\n{good}", encoding="utf-8")
        (tmp_path / "odd.csv").write_text(f"image_id,class\n{odd}", encoding="utf-8")
        with made.study.begin() as begun:
            add_predictions(begun, PredictionSource([tmp_path / "good.csv", tmp_path / "odd.csv"]))
        yield made


def ask(told: Told, *words: str) -> None:
    panel = [word for one in told.panel for word in ("--panel", one.annotator.name)]
    told.run("campaign", "create", "review", "experts", "--annotators", "3", "--labels", "known", *panel, *words)
    told.run("campaign", "open", "experts")


def send(visitor: Visitor, task: Mapping[str, Any], answer: Mapping[str, Any], *, revision: int = 0) -> Any:
    body = {"client_id": f"c{revision}-{task['id']}"[:64], "assignment_id": task["id"], "answer": answer}
    return visitor.post("/api/answers", {**body, "seconds": 4.0, "revision": revision})


def answer_all(told: Told, *, said: Mapping[int, Mapping[str, Any]]) -> list[list[dict[str, Any]]]:
    """Everybody finds every label correct, but for what is said of the second image by the place of the reviewer."""
    campaign, taken = told.get("experts"), []
    for place, who in enumerate(told.panel):
        visitor = told.enter(who)
        visitor.post(f"/api/campaigns/{campaign.id}/consent", {"version": 1})
        mine = []
        while tasks := visitor.take(campaign, 5):
            for task in tasks:
                keys = [one["key"] for one in task["view"]["items"]]
                answer: Mapping[str, Any] = {"verdicts": dict.fromkeys(keys, "correct")}
                # Only the second image has two labels.
                answer = said.get(place, answer) if len(keys) == 2 else answer
                reply = send(visitor, task, answer)
                assert reply.status_code == 200, reply.text
            mine += tasks
        taken.append(mine)
    return taken
