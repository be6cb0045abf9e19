"""`regauge reproduce`: formats and exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows


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


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["recht2019", "--data", "nowhere"], "Error: There is no folder nowhere."),
        (["nobody2000", "--data", "."], "'nobody2000' is not one of"),
        (["recht2019"], "Missing option '--data'"),
    ],
)
def test_what_cannot_be_reproduced_is_refused(run: Runner, arguments: list[str], problem: str) -> None:
    result = run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert problem in result.err
