"""The whole way of docs/mistakes.md, command by command: find, panel, code, analyse, slice, report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.code.coded_study import GONE, MAJOR, send, take
from tests.kinds.panel.panel_study import N_IMAGES, NAME, Panelled, serve_panel
from tests.kinds.panel.test_all_the_way import FIRST
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.workflows.predictions import PredictionSource, add_predictions

__all__ = ["database", "postgres", "postgres_database"]


@pytest.fixture
def panelled(tmp_path: Path, database: str) -> Iterator[Panelled]:
    """The study of a panel, and another model that gets i2 wrong in the same way and i5 right."""
    with serve_panel(tmp_path, database=database) as made:
        rows = "".join(f"i{number},{7 if number == 2 else number % 4}\n" for number in range(N_IMAGES))
        (tmp_path / "other.csv").write_text("image_id,class\n" + rows, encoding="utf-8")
        with made.study.begin() as begun:
            add_predictions(begun, PredictionSource(tmp_path / "other.csv"))
        yield made


class Way:
    """Somebody who types commands and reads what they print."""

    def __init__(self, panelled: Panelled, capsys: pytest.CaptureFixture[str]) -> None:
        self.panelled, self._capsys = panelled, capsys

    def run(self, *words: str) -> str:
        self._capsys.readouterr()
        self.panelled.run(*words)
        return self._capsys.readouterr().out

    def ask(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--format", "json"))


def vote_and_lock(way: Way) -> None:
    """One prediction is found correct, one wrong, and one dataset label is wrong."""
    for place, said in enumerate(FIRST):
        way.panelled.cast(place, said)
    assert way.panelled.enter_act(0, "close").status_code == 200
    assert way.panelled.lock_all().status_code == 200
    way.run("campaign", "labels", NAME, "--name", "known")


def code(way: Way) -> None:
    """Both coders find the mistake on i2 major, and that on i5 none."""
    way.run("campaign", "create", "code", "codes", "--participant", "top", "--labels", "known", "--annotators", "2")
    way.run("campaign", "open", "codes")
    for who in way.panelled.panel[:2]:
        visitor, tasks = take(way.panelled, who)
        assert len(tasks) == 2
        for task in tasks:
            said = MAJOR if task["view"]["prediction"]["class"] == 7 else GONE
            assert send(visitor, task, said).status_code == 200
    way.run("campaign", "coding", "codes")


def test_from_a_models_answers_to_a_slice_of_major_mistakes(
    panelled: Panelled, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    way = Way(panelled, capsys)
    found = way.ask("mistakes", "find", "--participant", "top", "--labels", "known")
    assert (found["n_mistakes"], found["n_novel"], found["n_judged"]) == (4, 3, 1)

    vote_and_lock(way)
    (review,) = way.ask("mistakes", "overturned", "--participant", "top", "--before", "known@1", "--after", "known@2")[
        "flows"
    ]
    assert review["fates"] == {"correct": 1, "unclear": 0, "problematic": 1, "not known": 0, "remains": 2}

    code(way)
    flow = way.ask("mistakes", "flow", "--coded", "codes", "--figure", str(tmp_path / "flow.svg"))
    assert [(step["n"], step["left"]) for step in flow["steps"]] == [
        (4, ["correct 1", "problematic 1"]),
        (2, ["missed object 1"]),
    ]
    assert (flow["n_end"], flow["ends"], flow["n_overturned"]) == (1, {"major": 1, "minor": 0, "borderline": 0}, 3)
    assert "4 mistakes under known@1, 3 of them judged by nobody" in (tmp_path / "flow.svg").read_text("utf-8")

    # What coders overturned is a verdict of the next version, and both ways of counting agree.
    way.run("campaign", "labels", "codes", "--name", "known")
    again = way.ask("mistakes", "overturned", "--participant", "top", "--before", "known@1", "--after", "known@3")
    assert (again["flows"][0]["n_overturned"], again["flows"][0]["fates"]["remains"]) == (3, 1)

    overlap = way.ask("mistakes", "compare", "top", "other", "--labels", "known@2")
    assert (overlap["n_corrected"], overlap["n_common_same"], overlap["n_new"]) == (1, 1, 0)
    (fixed,) = way.ask("mistakes", "fixed", "codes", "--participant", "other")["participants"]
    assert (fixed["n_corrected"], fixed["n_kept"], fixed["n_kept_major"]) == (0, 1, 1)
    (summary,) = way.ask("mistakes", "summary", "codes")["files"]
    assert (summary["n"], summary["severities"]) == (1, {"major": 1, "minor": 0})

    way.run("slice", "create", "major", "major", "--reference", "top", "--models", "other", "--at-least", "2")
    scores = way.run("slice", "score", "major", "--format", "csv")
    assert "other" in scores

    way.run("evaluate", "--participant", "top", "--participant", "other")
    way.run("report", "--output", str(tmp_path / "report"))
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert "Mistakes that remain" in page
    assert (tmp_path / "report" / "figures" / "mistakes-1-flow.pdf").exists()
