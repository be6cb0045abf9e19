"""`regauge aggregate contains` in every format, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write

from regauge.records.labels.contains import AGREEMENT_COLUMNS, DROPPED_COLUMNS, PAIR_COLUMNS
from regauge.records.responses.screening import ANNOTATOR_COLUMNS

HEADER = "task_id,annotator_id,class,image_id,control,selected,seconds\n"
VOTES = {"u": "11111", "v": "11110", "w": "11101", "x": "11110", "y": "11100", "z": "00011"}
ANSWERS = HEADER + "".join(
    f"t,{who},3,{image},{'positive' if image in 'pqr' else ''},{vote},40\n"
    for who, text in VOTES.items()
    for image, vote in zip("pqrab", text, strict=True)
)
ALL_BAD = HEADER + "t,w,0,p,positive,0,\nt,v,0,p,positive,0,\n"
FILES = {
    "a.csv": ANSWERS,
    "plain.csv": HEADER + "t,w,0,a,,1,\nt,v,0,a,,0,\n",
    "bad.csv": ALL_BAD,
    "twice.csv": ANSWERS + "t,u,3,a,,0,40\n",
    "same.csv": ANSWERS + "t,u,3,a,,1,40\n",
    "single.csv": HEADER + "t,w,0,p,positive,1,\nt,w,0,a,,1,\n",
    "empty.csv": "",
    "ids.txt": "p\nq\nr\na\n",
}
PAGE = Path(__file__).resolve().parents[3] / "docs" / "formats.md"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys, "aggregate", "contains")


def test_csv_has_the_documented_columns_and_counts(run):
    result = run("a.csv", "--format", "csv")
    assert result.status == 0
    rows = read_rows(result.out)
    assert list(rows[0]) == ["image_id", "class", "n_shown", "n_selected", "selection_frequency", "low", "high"]
    assert [row["image_id"] for row in rows] == list("pqrab")
    a = rows[3]
    # z is dropped; three of the five others selected a.
    assert (a["class"], a["n_shown"], a["n_selected"], a["selection_frequency"]) == ("3", "5", "3", "0.6")
    assert "drops 1 of 6 annotators with 1 response" in result.err
    assert "Verdicts by selection-frequency" in result.err


def test_json_holds_everything_that_made_the_counts(run):
    result = run("a.csv", "--format", "json", "--method", "beta-binomial", "--taxonomy", "cifar-10")
    content = json.loads(result.out)
    assert list(content["pairs"][0]) == [*PAIR_COLUMNS, "posterior_mean", "class_id"]
    assert content["pairs"][0]["class_id"] == "n02121620"
    assert list(content["annotators"][0]) == list(ANNOTATOR_COLUMNS)
    assert content["annotators"][5]["dropped"] is True
    assert [row["annotator_id"] for row in content["dropped"]] == ["z"]
    assert (content["n_responses"], content["n_accepted"]) == (6, 5)
    assert set(content["prior"]) == {"a", "b", "n_pairs"}
    assert content["settings"]["rules"]["task_controls"] == 0.4
    assert content["settings"]["verdicts"]["name"] == "selection-frequency"


def test_jsonl_and_missing_values(run):
    result = run("bad.csv", "--no-screening", "--format", "jsonl")
    assert [json.loads(line)["n_shown"] for line in result.out.splitlines()] == [2]
    # A single positive control cannot judge the vote on itself: no value, and no zero.
    rows = [json.loads(line) for line in run("single.csv", "--format", "jsonl").out.splitlines()]
    assert [(row["image_id"], row["n_shown"], row["selection_frequency"], row["low"]) for row in rows] == [
        ("p", 0, None, None),
        ("a", 1, 1.0, pytest.approx(0.2065, abs=1e-4)),
    ]


def test_the_table_shows_pairs_bins_and_who_was_dropped(run):
    result = run("a.csv")
    assert "Selection frequencies of 5 pairs on 5 images" in result.out
    assert "60.0% [23.1, 88.2]" in result.out
    assert "[0.8, 1.0]" in result.out
    assert "dropped: selected" in result.out
    assert "posterior" in run("a.csv", "--method", "beta-binomial").out


def test_files_are_written_where_asked(run, tmp_path):
    names = ("--annotators", "who.csv", "--dropped", "dropped.csv", "--labels-out", "l.jsonl", "--output", "o.parquet")
    result = run("a.csv", *names, "--format", "csv")
    assert (result.status, result.out) == (0, "")
    assert pl.read_csv(tmp_path / "who.csv").columns == list(ANNOTATOR_COLUMNS)
    assert pl.read_csv(tmp_path / "dropped.csv").columns == list(DROPPED_COLUMNS)
    assert pl.read_parquet(tmp_path / "o.parquet").columns == list(PAIR_COLUMNS)
    lines = [json.loads(line) for line in (tmp_path / "l.jsonl").read_text().splitlines()]
    assert [line["correct"] for line in lines] == [[3], [3], [3], [3], []]
    assert [line["unclear"] for line in lines] == [[], [], [], [], [3]]
    for name in ("o.csv", "o.jsonl"):
        assert run("a.csv", "--output", name).status == 0
        assert (tmp_path / name).read_text()


def test_whoever_is_kept_counts_and_is_recorded(run):
    result = run("a.csv", "--keep-annotator", "z", "--keep-response", "t", "z", "--format", "json")
    content = json.loads(result.out)
    assert content["n_accepted"] == 6
    assert content["settings"]["keep_annotators"] == ["z"]
    assert content["settings"]["keep_responses"] == [["t", "z"]]
    assert content["annotators"][5]["restored"] is True


REFUSED = {
    "empty": (["empty.csv"], "the file is empty"),
    "no file": (["none.csv"], "no such file"),
    "no controls": (["plain.csv"], "Task 't' has no positive control"),
    "nobody left": (["bad.csv"], "Screening drops all 2 responses of 2 annotators"),
    "contradiction": (["twice.csv"], "'u' answers for image 'a' of task 't' twice, once selected and once not"),
    "repeat": (["same.csv"], "twice, both times alike"),
    "one file twice": (["a.csv", "a.csv"], "twice, both times alike"),
    "unknown class": (["a.csv", "--taxonomy", "none.csv"], "none.csv"),
    "unknown image": (["a.csv", "--images", "ids.txt"], "Image 'b' of the answers is not in ids.txt"),
    "unknown annotator": (["a.csv", "--keep-annotator", "q"], "no annotator 'q' to keep"),
    "threshold": (["a.csv", "--min-task-controls", "40"], "share between 0 and 1, not 40"),
    "verdicts": (["a.csv", "--correct", "0.1"], "0 ≤ unclear ≤ correct ≤ 1"),
    "level": (["a.csv", "--level", "95"], "strictly between 0 and 1"),
    "nobody to keep": (["a.csv", "--no-screening", "--keep-annotator", "z"], "leave out one of the two"),
    "output": (["a.csv", "--output", "o.xlsx"], "--output writes .csv, .jsonl, .parquet files, not .xlsx"),
    "folder": (["a.csv", "--annotators", "nowhere/who.csv"], "--annotators: nowhere/who.csv cannot be written"),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_bad_input_is_one_sentence_and_exit_status_2(run, arguments, message):
    result = run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_every_column_is_documented():
    page = PAGE.read_text(encoding="utf-8")
    for column in [
        *PAIR_COLUMNS,
        *ANNOTATOR_COLUMNS,
        *DROPPED_COLUMNS,
        *AGREEMENT_COLUMNS,
        "posterior_mean",
        "class_id",
    ]:
        assert f"`{column}`" in page, column
