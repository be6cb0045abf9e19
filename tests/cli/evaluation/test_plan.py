"""`regauge plan`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import make_runner
from tests.workflows.campaign_studies import add_contains, add_people, answer, make_answer, make_pictured, take

from regauge.records.evaluation.planning import PLAN_COLUMNS
from regauge.workflows.labels.campaign_labels import build_labels

QUICK = ("--classes", "10", "--candidates", "40", "--per-class", "10", "--n-studies", "2")


@pytest.fixture
def run(monkeypatch, capsys):
    return make_runner(monkeypatch, capsys, "plan")


def test_the_table_ends_with_the_cheapest_in_a_sentence(run) -> None:
    result = run(*QUICK, "--annotators", "5,10", "--target", "0.2", "--pay", "0.1", "--fee", "0.2")
    assert result.status == 0
    assert "For ± 20 points on the frequency-adjusted gap the cheapest is 5 annotators on" in result.out
    assert "USD." in result.out
    assert "A grid takes 60 s" in result.err
    assert "A draw asks for 10 annotators per candidate" in result.err


def test_every_figure_stands_under_its_heading(run) -> None:
    result = run(*QUICK, "--annotators", "5", "--target", "0.2", "--pay", "0.1")
    width, share = r"\d+\.\d\d", r"\d+%"
    precision = rf"{width} +{share} +{width} \[{width}, {width}\] +{share} +[+-]\d\.\d ± \d\.\d"
    assert re.search(rf"^ +5 +10 +\d+ +{precision} +\d\.\d% +\d+ +\d+\.\d$", result.out, re.MULTILINE)
    heads = re.findall(r"reached|adjusted gap ±|naive bias|short|hours", result.out.partition("Target")[2])
    assert heads[:6] == ["reached", "adjusted gap ±", "reached", "naive bias", "short", "hours"]


def test_a_target_out_of_reach_is_said(run) -> None:
    result = run(*QUICK, "--annotators", "5", "--target", "0.001")
    assert "No combination that was tried reaches ± 0.1 points on the raw gap" in result.out


def test_csv_has_a_row_per_combination_and_json_says_what_was_expected(run) -> None:
    result = run(*QUICK, "--annotators", "10,5", "--format", "csv")
    header, *rows = result.out.splitlines()
    assert header.split(",") == list(PLAN_COLUMNS)
    assert [row.split(",")[0] for row in rows] == ["5", "10"]
    found = json.loads(run(*QUICK, "--annotators", "5", "--spread", "2,2", "--format", "json").out)
    assert found["design"]["original"] == {"a": 2.0, "b": 2.0}
    assert found["currency"] is None
    assert found["cheapest"] == {"adjusted": None, "raw": None}
    assert found["points"][0]["cost"] is None


def test_the_same_seed_gives_the_same_plan(run) -> None:
    words = (*QUICK, "--annotators", "5", "--format", "csv")
    assert run(*words).out == run(*words).out != run(*words, "--seed", "3").out


def test_the_figure_is_written(run, tmp_path: Path) -> None:
    run(*QUICK, "--annotators", "5", "--figure", str(tmp_path / "plan.svg"))
    assert "annotators per image" in (tmp_path / "plan.svg").read_text()


def test_frequencies_come_from_a_table_or_a_label_set(run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [f"i{n},0,20,{rng.binomial(20, rng.beta(4, 2))}" for n in range(400)]
    (tmp_path / "votes.csv").write_text("image_id,class,n_shown,n_selected\n" + "\n".join(rows) + "\n")
    with make_pictured(tmp_path) as study:
        campaign = add_contains(study)
        for person in add_people(study, campaign, 2):
            for one in take(study, campaign, person, n=5):
                answer(study, make_answer(one, "ff"))
        with study.begin() as begun:
            build_labels(begun, campaign.name, name="found")
    result = run(
        *(*QUICK, "--annotators", "5", "--format", "json", "--study", str(tmp_path / "study")),
        *("--frequencies", str(tmp_path / "votes.csv"), "--pool-frequencies", "found"),
    )
    found = json.loads(result.out)
    assert 2 < found["design"]["original"]["a"] < 8
    assert "400 pairs with a median of 20 votes" in result.err
    assert "Frequencies of candidates" in result.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--annotators", "5,x"), "separated by commas"),
        (("--annotators", "2.5"), "whole numbers"),
        (("--spread", "3"), "--spread is the two shapes"),
        (("--pool-spread", "3,-1"), "two positive shapes"),
        (("--target", "2"), "half-width that is wanted"),
        (("--truth", "t.csv"), "both a truth and predictions"),
        (("--frequencies", "absent.csv"), "absent.csv"),
        (("--pay", "-1"), "A task pays 0 to"),
        (("--annotators", "1,10"), "One vote on each image does not show"),
        (("--fee", "0.2"), "say how much that is with --pay"),
        (("--classes", "99999999999999999999"), "up to 1,000,000 classes"),
        (("--cells", "6"), "no room for a pair"),
        (("--method", "jackknife", "--annotators", "3", *QUICK), "jackknife needs"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_a_sentence(run, words, problem) -> None:
    result = run(*words)
    assert result.status == 2
    assert problem in result.err
    assert "Traceback" not in result.err
