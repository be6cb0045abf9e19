"""`regauge campaign extend` and `decisions`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.running import Result, make_runner
from tests.workflows.campaigning import add_people, make_pictured, write_pictures
from tests.workflows.test_campaign_rounds import QUOTA, add_grids, work

from regauge.cli.campaign_rounds import ROUND_COLUMNS
from regauge.formats.frequencies import load_selection_counts
from regauge.records.redundancy import DECISION_COLUMNS
from regauge.workflows.study_testsets import add_test_set

Run = Callable[..., Result]
RULE = ("--strategy", "threshold", "--max-annotators", "9")


@pytest.fixture
def run(tmp_path: Path, monkeypatch, capsys) -> Run:
    """A campaign whose first round is done."""
    with make_pictured(tmp_path) as study:
        with study.begin() as begun:
            add_test_set(begun, write_pictures(tmp_path / "known", prefix="k"), name="known")
        campaign = add_grids(study)
        work(study, campaign, add_people(study, campaign, QUOTA))
    runner = make_runner(monkeypatch, capsys, "campaign")
    return lambda *arguments: runner(*arguments, "--study", str(tmp_path / "study"))


def test_a_round_is_added_and_said(run: Run) -> None:
    trial = run("extend", "grids", *RULE, "--dry-run")
    assert "Round 2 would ask about" in trial.err
    result = run("extend", "grids", *RULE, "--format", "json")
    (row,) = json.loads(result.out)["rounds"]
    assert tuple(row) == ROUND_COLUMNS
    assert row["round"] == 2
    assert row["n_asked"] == row["n_open"] > 0
    assert row["n_open"] + row["n_certain"] + row["n_likely"] + row["n_exhausted"] == row["n_pairs"] == 24
    assert "Round 2 asks about" in result.err
    assert f"it needs {QUOTA}, so invite more" in result.err
    again = run("extend", "grids", "--format", "csv")
    assert "nothing to ask" in again.err
    assert "wait for answers" in again.err


def test_decisions_are_listed_and_settled_votes_can_be_drawn_from(run: Run, tmp_path: Path) -> None:
    result = run("decisions", "grids", *RULE, "--format", "csv", "--settled", str(tmp_path / "settled.csv"))
    header, *rows = result.out.splitlines()
    assert header.split(",") == list(DECISION_COLUMNS)
    assert len(rows) == 24
    settled = load_selection_counts(tmp_path / "settled.csv")
    assert set(settled.n_shown.tolist()) == {9}
    decided = {row.split(",")[0]: row.split(",")[5] for row in rows}
    taken = (10 * settled.n_selected >= 7 * settled.n_shown).tolist()
    named = zip(settled.image_ids[settled.images].tolist(), taken, strict=True)
    assert {one: "in" if is_in else "out" for one, is_in in named} == decided
    assert "exists" in run("decisions", "grids", "--settled", str(tmp_path / "settled.csv")).err


def test_the_table_counts_states_and_json_has_both(run: Run) -> None:
    assert "certain" in run("decisions", "grids", *RULE).out
    found = json.loads(run("decisions", "grids", *RULE, "--format", "json").out)
    assert sum(found["states"].values()) == len(found["decisions"]) == 24


def test_labels_of_an_extended_campaign_warn_of_raw_shares(run: Run) -> None:
    assert "biased" not in run("labels", "grids", "--preview").err
    run("extend", "grids", *RULE)
    assert "raw shares of votes are biased" in run("labels", "grids", "--preview").err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("extend", "absent"), "no campaign 'absent'"),
        (("extend", "grids", "--max-annotators", "2"), "allow more"),
        (("extend", "grids", "--doubt", "0.7"), "The doubt that is left"),
        (("extend", "grids", "--threshold", "1.5"), "share from 0 to 1"),
        (("decisions", "grids", "--per-class", "0"), "1 or more images per class"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(run: Run, words: tuple[str, ...], problem: str) -> None:
    result = run(*words)
    assert (result.status, result.out) == (2, "")
    assert problem in result.err
