"""`regauge mistakes flow` in every format, as a figure, from files and in a study, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write
from tests.cli.mistakes.test_find import FILES as ANSWERS
from tests.storage.small_studies import fill, make_study

from regauge.cli.mistakes.flow import COLUMNS

CODED = "image_id,prediction,category,severity,overturned\na,1,FG,major,\nc,0,,,missed object\n"
FILES = {**ANSWERS, "coded.csv": CODED, "mine.csv": "image_id,prediction,category,severity\na,2,FG,major\n"}
FLOW = ("flow", "m.csv", "--labels", "before.jsonl", "--labels", "after.jsonl")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run in a folder with answers, two label sets and coded mistakes."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys, "mistakes")


def test_the_table_says_what_takes_mistakes_away(run: Runner) -> None:
    result = run(*FLOW, "--coded", "coded.csv")
    assert result.status == 0, result.err
    assert "What a review left of the mistakes of m" in result.out
    assert "Overturned in all: 2 of 4 first mistakes, 50.0% [6.8, 93.2] (Clopper–Pearson)." in result.out
    assert "At the end: 2 mistakes (major 1, not coded 1)." in result.out


def test_csv_has_a_row_for_each_step_and_json_the_end(run: Runner) -> None:
    rows = read_rows(run(*FLOW, "--coded", "coded.csv", "--format", "csv").out)
    assert tuple(rows[0]) == COLUMNS
    assert [(row["after"], row["n"], row["left"], row["n_remaining"]) for row in rows] == [
        ("after", "4", "correct 1", "3"),
        ("coded", "3", "missed object 1", "2"),
    ]
    content = json.loads(run(*FLOW, "--format", "json").out)
    assert (content["n_end"], content["ends"], content["n_overturned"], content["n_first"]) == (3, None, 1, 4)


def test_a_figure_is_written(run: Runner, tmp_path: Path) -> None:
    result = run(*FLOW, "--figure", "flow.svg", "--width", "84mm", "--no-title")
    assert result.status == 0, result.err
    text = (tmp_path / "flow.svg").read_text(encoding="utf-8")
    assert "4 mistakes under before" in text
    assert "What a review left" not in text


def test_in_a_study_a_coding_is_enough(run: Runner, tmp_path: Path) -> None:
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
    here = ("--study", "study")
    write(tmp_path, {"mine.csv": "image_id,prediction,category,severity\na,7,FG,major\nb,2,FG,minor\n"})
    assert run("add", "mine.csv", "--participant", "bad", "--labels", "verdicts", *here).status == 0
    content = json.loads(run("flow", "--coded", "mine", *here, "--format", "json").out)
    assert (content["participant"], content["labels"], content["coding"]) == ("bad", ["verdicts@1"], "mine@1")
    assert content["ends"]["minor"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("flow", "m.csv"), "--labels is needed"),
        ((*FLOW[:4],), "A flow of mistakes goes from one label set to another, or through a coding; name two."),
        ((*FLOW, "n.csv"), "name one with --participant"),
        ((*FLOW, "--coded", "none.csv"), "there is no such file"),
        ((*FLOW, "--test-set", "x"), "--test-set goes with a study"),
        (("flow", "--truth", "t.csv"), "--truth goes with files of predictions"),
        ((*FLOW, "--width", "84mm"), "--width is about a figure"),
        ((*FLOW, "--figure", "flow.gif"), "A figure is .svg, .png, .pdf, .html, not .gif"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(run: Runner, words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert result.status == 2
    assert said in " ".join(result.err.split())
