"""`regauge candidates` in every format, inside a study and without one, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write
from tests.storage.small_studies import fill, make_study

from regauge.records.candidates import CANDIDATE_COLUMNS, POTENTIAL_COLUMNS, SPLIT_COLUMNS

FREQUENCIES = "image_id,class,n_shown,n_selected\na,0,9,4\na,1,9,5\na,2,0,0\nb,1,9,9\n"
TRUTH = "image_id,label\na,0\nb,1\n"
PREDICTIONS = "image_id,class\na,3\nb,1\n"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"f.csv": FREQUENCIES, "t.csv": TRUTH, "p.csv": PREDICTIONS})
    return make_runner(monkeypatch, capsys, "candidates")


def test_potential_labels_as_csv_and_table(run: Runner) -> None:
    rows = read_rows(run("potential", "p.csv", "--truth", "t.csv", "--format", "csv").out)
    assert list(rows[0]) == list(POTENTIAL_COLUMNS)
    assert [row["class"] for row in rows] == ["0", "3", "1"]
    assert "3 labels of 2 images, 1.5 each" in run("potential", "p.csv", "--truth", "t.csv").out


def test_final_candidates_as_json_and_table(run: Runner) -> None:
    arguments = ("final", "f.csv", "--truth", "t.csv", "--taxonomy", "cifar-10")
    result = run(*arguments, "--format", "json")
    rows = json.loads(result.out)["candidates"]
    assert list(rows[0]) == list(CANDIDATE_COLUMNS)
    assert [(row["class"], row["rule"], row["rank"]) for row in rows] == [
        (0, "dataset-label", 1),
        (1, "frequent", 2),
        (2, "", None),
        (1, "dataset-label", 1),
    ]
    assert "ask about them again" in result.err
    assert "ask again" in run(*arguments).out


def test_the_split_as_jsonl_and_table(run: Runner) -> None:
    rows = list(map(json.loads, run("split", "f.csv", "--truth", "t.csv", "--format", "jsonl").out.splitlines()))
    assert list(rows[0]) == list(SPLIT_COLUMNS)
    assert [row["part"] for row in rows] == ["follow-up", "easy"]
    assert "follow-up" in run("split", "f.csv", "--truth", "t.csv").out


def test_a_study_gives_its_own_predictions(run: Runner, tmp_path: Path) -> None:
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
    result = run("potential", "--study", "study", "--participant", "good", "--format", "json")
    content = json.loads(result.out)
    assert (content["participants"], len(content["potential_labels"])) == (["good"], 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("potential", "p.csv"), "Potential labels start from dataset labels; name a file that has them with --truth"),
        (("potential", "p.csv", "--truth", "t.csv", "--study", "."), "leave out PREDICTIONS to use it"),
        (("potential", "--truth", "t.csv"), "--truth and --taxonomy go with PREDICTIONS"),
        (("potential",), "study.toml"),
        (("potential", "p.csv", "--truth", "t.csv", "--top", "0"), "At least one answer of each participant"),
        (("final", "f.csv", "--truth", "t.csv"), "name the classes with --taxonomy"),
        (("final", "f.csv", "--taxonomy", "cifar-10"), "The rules compare with the dataset label"),
        (("split", "f.csv", "--truth", "p.csv"), "a truth table needs the columns image_id, label"),
        (("split", "none.csv", "--truth", "t.csv"), "none.csv: there is no such file"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(run: Runner, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_every_column_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in (*POTENTIAL_COLUMNS, *CANDIDATE_COLUMNS, *SPLIT_COLUMNS):
        assert f"`{name}`" in page, name
