"""`regauge aggregate classify` in every format, the files it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write

from regauge.cli.labels.aggregate_classify import CLASSIFY_COLUMNS
from regauge.records.labels.classify import CLASSIFY_ANNOTATOR_COLUMNS, DROPPED_COLUMNS

ROWS = [
    {"image_id": "i", "annotator_id": "a", "selected": [5, 7], "main": 5},
    {"image_id": "i", "annotator_id": "b", "selected": [5, 8], "main": 5},
    {"image_id": "i", "annotator_id": "c", "selected": [6], "main": 6},
    {"image_id": "j", "annotator_id": "d", "selected": [], "main": None},
]
PAGE = Path(__file__).resolve().parents[3] / "docs" / "formats.md"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    write(
        tmp_path, {"a.jsonl": lines, "t.csv": "image_id,label\ni,8\nj,1\n", "twice.jsonl": lines + json.dumps(ROWS[0])}
    )
    return make_runner(monkeypatch, capsys, "aggregate", "classify")


def test_json_lines_have_the_documented_fields_and_null_where_nothing_is_known(run: Runner) -> None:
    result = run("a.jsonl", "--truth", "t.csv", "--format", "jsonl")
    first, second = map(json.loads, result.out.splitlines())
    assert list(first) == list(CLASSIFY_COLUMNS)
    assert (first["main"], first["n_objects"], first["objects"], first["object_labels"]) == (
        5,
        2,
        [[5], [7, 8]],
        [5, 7],
    )
    assert (first["unplaced"], first["confidence"], first["n"], first["n_shown"]) == ([6], 2 / 3, 3, 3)
    assert (first["main_object"], first["label"], first["dataset_object"]) == (0, 8, 1)
    assert (first["is_unique_cut"], first["n_best_cuts"], first["cut_weight"]) == (True, 1, 2)
    assert (second["main"], second["n_objects"], second["objects"], second["confidence"]) == (None, None, [], None)
    assert "1 of 2 images, the first being 'j', have no accepted answer" in result.err


def test_csv_joins_lists_and_leaves_the_unknown_empty(run: Runner) -> None:
    first, second = read_rows(run("a.jsonl", "--format", "csv").out)
    assert (first["objects"], first["object_labels"], first["unplaced"], first["label"]) == ("5|7 8", "5|7", "6", "")
    assert (second["main"], second["n_objects"], second["confidence"], second["n"]) == ("", "", "", "0")


def test_json_has_summary_screening_and_annotators(run: Runner) -> None:
    content = json.loads(run("a.jsonl", "--format", "json").out)
    assert content["summary"]["several_objects"]["n"] == 1
    assert content["screening"] == {
        "n_responses": 4,
        "n_accepted": 3,
        "ignored": {"no_label": 1, "main_not_selected": 0, "annotator": 0},
    }
    assert list(content["annotators"][0]) == list(CLASSIFY_ANNOTATOR_COLUMNS)
    assert content["settings"]["level"] == 0.95


def test_the_table_shows_shares_and_images(run: Runner) -> None:
    out = run("a.jsonl", "--taxonomy", "imagenet-1k").out
    assert "images with several objects" in out
    assert "5 electric ray | 7 cock, 8 hen" in out


def test_the_other_files_are_written(run: Runner, tmp_path: Path) -> None:
    files = ("--annotators", "who.csv", "--dropped", "out.csv", "--labels-out", "labels.jsonl")
    assert run("a.jsonl", "--truth", "t.csv", *files).status == 0
    assert [row["annotator_id"] for row in read_rows((tmp_path / "who.csv").read_text())] == ["a", "b", "c", "d"]
    assert list(read_rows((tmp_path / "out.csv").read_text())[0]) == list(DROPPED_COLUMNS)
    truth = json.loads((tmp_path / "labels.jsonl").read_text().splitlines()[0])
    assert (truth["correct"], truth["main"], truth["objects"]) == ([5, 7], 5, [[5], [7, 8]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.jsonl",), "none.jsonl: there is no such file"),
        (("twice.jsonl",), "twice.jsonl, line 5: annotator 'a' has answered image 'i' before, at line 1"),
        (("a.jsonl", "a.jsonl"), "line 1: annotator 'a' has answered image 'i' before"),
        (("a.jsonl", "--keep-annotator", "z"), "There is no annotator 'z' to keep"),
        (("a.jsonl", "--keep-response", "i", "z"), "Annotator 'z' has no response on image 'i'"),
        (("a.jsonl", "--no-screening", "--keep-annotator", "a"), "Without screening every response counts"),
        (("a.jsonl", "--level", "2"), "A confidence level lies strictly between 0 and 1"),
        (("a.jsonl", "--annotators", "no/such/folder.csv"), "--annotators: no/such/folder.csv cannot be written"),
        (("a.jsonl", "--taxonomy", "cifar-10", "--truth", "none.csv"), "none.csv"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(run: Runner, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_every_field_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in (*CLASSIFY_COLUMNS, *CLASSIFY_ANNOTATOR_COLUMNS):
        assert f"`{name}`" in page, name
