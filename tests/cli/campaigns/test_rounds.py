"""`regauge campaign extend` and `decisions`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.command_runner import Result, make_runner
from tests.workflows.campaign_studies import add_people, make_pictured, write_pictures
from tests.workflows.campaigns.test_rounds import QUOTA, add_grids, work

from regauge.cli.campaigns.rounds import ROUND_COLUMNS
from regauge.formats.labels.frequencies import load_selection_counts
from regauge.records.campaigns.redundancy import DECISION_COLUMNS
from regauge.workflows.testsets.test_set import add_test_set

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


def test_images_that_a_round_cannot_show_are_told(run: Run, tmp_path: Path) -> None:
    assert "cannot be shown" not in run("extend", "grids", *RULE, "--dry-run").err
    (tmp_path / "pictures" / "i0.png").write_bytes(b"no picture")
    assert "1 of 24 images of pictures cannot be shown: i0" in run("extend", "grids", *RULE).err


def test_decisions_are_listed_and_settled_votes_can_be_drawn_from(run: Run, tmp_path: Path) -> None:
    result = run("decisions", "grids", *RULE, "--format", "csv", "--settled", str(tmp_path / "settled.csv"))
    header, *rows = result.out.splitlines()
    assert header.split(",") == list(DECISION_COLUMNS)
    assert len(rows) == 24
    assert "of them are still open" in result.err
    sure = run("decisions", "grids", *RULE, "--doubt", "0.49", "--settled", str(tmp_path / "sure.csv"))
    assert "still open" not in sure.err
    settled = load_selection_counts(tmp_path / "settled.csv")
    assert set(settled.n_shown.tolist()) == {9}
    decided = {row.split(",")[0]: row.split(",")[5] for row in rows}
    taken = (10 * settled.n_selected >= 7 * settled.n_shown).tolist()
    named = zip(settled.image_ids[settled.images].tolist(), taken, strict=True)
    assert {one: "in" if is_in else "out" for one, is_in in named} == decided
    assert "exists" in run("decisions", "grids", "--settled", str(tmp_path / "settled.csv")).err
    nowhere = run("decisions", "grids", "--settled", str(tmp_path / "absent" / "settled.csv"))
    assert (nowhere.status, "cannot be written: No such file or directory." in nowhere.err) == (2, True)


def test_a_threshold_of_a_class_holds_until_another_is_given(run: Run) -> None:
    def list_taken(*words: str) -> set[str]:
        found = json.loads(run("decisions", "grids", *words, "--format", "json").out)["decisions"]
        return {row["image_id"] for row in found if row["class"] == 0 and row["decision"] == "in"}

    plain, low = list_taken(*RULE), list_taken(*RULE, "--class-threshold", "0=0.01")
    assert plain < low
    run("extend", "grids", *RULE, "--class-threshold", "0=0.01")
    assert list_taken() == low
    assert list_taken("--class-threshold", "0=0.7") == plain


def test_a_dry_run_waits_for_no_writer(run: Run, tmp_path: Path) -> None:
    database = tmp_path / "study" / "study.db"
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "Round 2 would ask about" in run("extend", "grids", *RULE, "--dry-run").err


def test_a_round_of_a_closed_campaign_says_that_nobody_gets_it(run: Run) -> None:
    assert "until it is opened" not in run("extend", "grids", *RULE, "--dry-run").err
    run("close", "grids")
    assert (
        "nobody gets these tasks until you open it; run: regauge campaign open grids."
        in run("extend", "grids", *RULE).err
    )


def test_the_table_counts_states_and_json_has_both(run: Run) -> None:
    shown = run("decisions", "grids", *RULE).out
    assert "expected_" in shown
    assert "votes spent" in shown
    assert "certain" not in shown
    found = json.loads(run("decisions", "grids", *RULE, "--format", "json").out)
    assert found["expected_errors"].keys() == found["states"].keys()
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
        (("decisions", "grids", "--per-class", "0"), "images per class, not 0"),
        (("decisions", "grids", "--class-threshold", "0"), "takes CLASS=SHARE"),
        (("decisions", "grids", "--class-threshold", "unicorn=0.5"), "unicorn"),
        (("decisions", "grids", "--class-threshold", "0=nan"), "not nan"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(run: Run, words: tuple[str, ...], problem: str) -> None:
    result = run(*words)
    assert (result.status, result.out) == (2, "")
    assert problem in result.err
