"""`regauge reproduce`: formats and exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.workflows.reproduce.study.released import write_mistakes, write_sets

from regauge.workflows.reproduce.papers import PAPERS


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    return make_runner(monkeypatch, capsys, "reproduce")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two coded mistakes, which do not give the published table."""
    rows = [
        {"image": number, "prediction": 1, "category": "Fine-grained error", "severity": "Major"} for number in (1, 2)
    ]
    (tmp_path / "vasudevan2022_mistakes_vit3b.json").write_text(json.dumps({"vit_3b": rows}), encoding="utf-8")
    return tmp_path


def test_a_surprise_ends_with_status_1_and_is_marked(run: Runner, folder: Path) -> None:
    result = run("vasudevan2022", "--data", str(folder))
    assert result.status == 1
    assert " DIFFERS " in result.out
    assert "Known to match and different here: 8, marked DIFFERS." in result.out


def test_a_paper_without_surprises_ends_with_status_0(run: Runner, folder: Path) -> None:
    result = run("shankar2020", "--data", str(folder))
    assert result.status == 0
    assert "figures: " in result.out


def test_every_format_has_the_same_fields(run: Runner, folder: Path) -> None:
    fields = ["paper", "figure", "published", "recomputed", "agreement", "expected", "note", "basis"]
    arguments = ["shankar2020", "--data", str(folder), "--format"]
    rows = read_rows(run(*arguments, "csv").out)
    assert list(rows[0]) == fields
    content = json.loads(run(*arguments, "json").out)
    assert content["paper"] == "shankar2020"
    assert content["is_sound"] is True
    assert [list(row) for row in content["figures"]] == [fields] * len(rows)
    lines = run(*arguments, "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == content["figures"]


def test_folders_add_up(run: Runner, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    (tmp_path / "first" / "real.json").write_text("[[1], []]", encoding="utf-8")
    np.savez(tmp_path / "second" / "golden.npz", tensor=np.eye(3)[np.newaxis])
    np.savez(
        tmp_path / "second" / "scores.npz",
        tensor=np.array([0.9]),
        info=np.array([["ILSVRC2012_val_00000001.JPEG", "1"]]),
    )
    arguments = ["--data", str(tmp_path / "first"), "--data", str(tmp_path / "second"), "--format", "json"]
    figures = {one["figure"]: one for one in json.loads(run("beyer2020", *arguments).out)["figures"]}
    assert figures["release: experts, questions and answers"]["recomputed"] == "1, 3 and 3"
    asked = figures["release: images asked about whose labels are those with a score of 0.8 or more"]
    assert (asked["recomputed"], asked["basis"]) == ("1 of 1", "recomputed from data")
    assert figures["release: people, questions and answers"]["note"] == "not in the folders given: raters.npz"


@pytest.mark.parametrize("width", [80, 140])
def test_tables_keep_to_the_width_and_group_what_is_absent(
    width: int, run: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = run("vasudevan2022", "--data", str(folder)).out
    assert max(map(len, out.splitlines())) <= width
    # One mention for all figures that lack the same file.
    assert " ".join(out.split()).count("metadata/greedy_soups_mistakes.json") == 1
    (head,) = [line for line in out.splitlines() if line.startswith("figure ")]
    assert ("note" in head) is (width == 140)


def test_all_papers_are_recomputed_in_turn(run: Runner, folder: Path) -> None:
    arguments = ["all", "--data", str(folder)]
    result = run(*arguments)
    assert result.status == 1
    assert result.out.count(" figures: ") == len(PAPERS)
    content = json.loads(run(*arguments, "--format", "json").out)
    assert {one["paper"]: one["is_sound"] for one in content["papers"]} == {
        name: name != "vasudevan2022" for name in PAPERS
    }
    rows = read_rows(run(*arguments, "--format", "csv").out)
    assert list(dict.fromkeys(row["paper"] for row in rows)) == list(PAPERS)
    assert len(rows) == sum(len(one["figures"]) for one in content["papers"])


@pytest.mark.parametrize("width", [80, 140])
def test_a_study_is_made_and_every_thing_left_out_has_a_line(
    width: int, run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    write_sets(tmp_path / "data")
    write_mistakes(tmp_path / "data")
    result = run("all", "--data", str(tmp_path / "data"), "--into", str(tmp_path / "my study"))
    assert result.status == 0
    lines = result.out.splitlines()
    assert max(map(len, lines[:-1])) <= width
    assert sum(line.startswith("Left out: ") for line in lines) == 8
    missed = "Left out: coded mistakes ViT-3B: not in the folders given: labels under which they are mistakes:"
    assert missed in " ".join(result.out.split())
    assert lines[-1] == f"Next: regauge status --study '{tmp_path / 'my study'}'"
    assert "fv_16k is stored worst first" in result.err


def test_a_study_is_described_for_programs(run: Runner, tmp_path: Path) -> None:
    write_sets(tmp_path / "data")
    arguments = ["all", "--data", str(tmp_path / "data"), "--into"]
    content = json.loads(run(*arguments, str(tmp_path / "one"), "--format", "json").out)
    assert content["folder"] == str(tmp_path / "one")
    rows = read_rows(run(*arguments, str(tmp_path / "two"), "--format", "csv").out)
    assert [list(row.values())[:3] for row in rows] == [
        [part["what"], part["name"], part["detail"]] for part in content["parts"]
    ]
    assert list(rows[0]) == ["what", "name", "detail", "is_added"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["beyer2020", "--data", ".", "--into", "study"], "write: reproduce all --into study"),
        (["all", "--data", "nowhere", "--into", "study"], "Error: There is no folder nowhere."),
        (["recht2019", "--data", "nowhere"], "Error: There is no folder nowhere."),
        (["nobody2000", "--data", "."], "'nobody2000' is not one of"),
        (["recht2019"], "Missing option '--data'"),
    ],
)
def test_what_cannot_be_reproduced_is_refused(run: Runner, arguments: list[str], problem: str) -> None:
    result = run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert problem in result.err
