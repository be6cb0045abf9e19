"""`regauge export`, `import` and `testset relocate`, as a user gives them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.workflows.picture_study import evaluate_all, make_pictured_study

from regauge.cli.studies.export import command
from regauge.formats.exports.tables import TABLES

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command inside a study with pictures."""
    with make_pictured_study(tmp_path) as study:
        evaluate_all(study)
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("words", "files"),
    [
        ("bundle ../x.zip", ["x.zip"]),
        ("csv ../out --test-set pictures", ["images.csv", "labels.csv", "predictions.csv", "scores.csv"]),
        ("jsonl ../out --labels people@1", ["images.jsonl", "labels.jsonl", "predictions.jsonl", "scores.jsonl"]),
        (
            "parquet ../out --participant b*",
            [f"{one}.parquet" for one in ("images", "labels", "predictions", "scores")],
        ),
        ("huggingface ../hf --labels people --license mit", ["metadata.jsonl", "README.md"]),
        ("croissant ../c.json", ["c.json", "images.csv", "labels.csv", "predictions.csv", "scores.csv"]),
        ("label-studio ../t.json --image-url-prefix https://x.org/ --labels people", ["t.json", "t.xml"]),
        ("crowd-kit ../votes.csv", ["votes.csv"]),
    ],
)
def test_each_export_says_which_files_it_wrote(run: Runner, words: str, files: list[str]) -> None:
    result = run("export", *words.split(), "--format", "json")
    assert (result.status, result.err) == (0, f"wrote {words.split()[1]}\n")
    rows = json.loads(result.out)["files"]
    assert [Path(row["file"]).name for row in rows] == files
    assert all(Path(row["file"]).stat().st_size == row["n_bytes"] > 0 for row in rows)


def test_a_study_is_exported_and_imported_and_its_images_found_again(run: Runner, tmp_path: Path) -> None:
    assert "x.zip" in run("export", "bundle", "../x.zip").out
    (tmp_path / "pictures").rename(tmp_path / "moved")
    result = run("import", "../x.zip", "../again")
    assert result.out == "Created a study in ../again from ../x.zip.\n"
    assert "Note: The images of pictures are not at" in result.err
    assert run("export", "huggingface", "../hf", "--study", "../again").status == 2
    result = run("testset", "relocate", "pictures", "../moved", "--study", "../again", "--format", "csv")
    assert read_rows(result.out)[0]["root"] == str(tmp_path / "moved")
    assert "4 checksums were compared" in result.err
    assert run("export", "huggingface", "../hf", "--study", "../again").status == 0
    row = json.loads(run("import", "../x.zip", "../third", "--format", "jsonl").out)
    assert (row["folder"], len(row["sha256"])) == (str(tmp_path / "third"), 64)


def test_commands_say_whose_access_was_voided_and_keep_it_when_asked(run: Runner, tmp_path: Path) -> None:
    run("campaign", "invite", "somebody")
    run("export", "bundle", "../x.zip")
    result = run("import", "../x.zip", "../again")
    assert (
        "Note: Of the original study, 1 personal link, the sessions of 1 person and 0 roles of manager are void"
        in result.err
    )
    row = json.loads(run("import", "../x.zip", "../counted", "--format", "jsonl").out)
    assert (row["n_links_voided"], row["n_sessions_voided"], row["n_roles_voided"]) == (1, 1, 0)
    assert "void" not in run("import", "../x.zip", "../kept", "--keep-access").err
    # A bundle that was exported is not a backup of this installation; one that was backed up is.
    assert "1 personal link" in run("restore", "../x.zip", "../restored").err
    assert "void" not in run("restore", "../x.zip", "../trusted", "--keep-access").err
    assert run("backup", "../own.zip", "--bundle").err == ""
    assert "void" not in run("restore", "../own.zip", "../own").err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("export bundle ../good.csv", "good.csv exists; name a file that does not"),
        ("export bundle ../nowhere/x.zip", "x.zip cannot be written: No such file or directory"),
        ("export csv ../pictures", "exists and is not an empty folder"),
        ("export csv ../out --test-set other", "no test set 'other'"),
        ("export csv ../out --labels people@9", "has the versions 1 to 1, not '9'"),
        ("export crowd-kit ../v.csv --participant nobody", "matches 'nobody'"),
        ("import ../good.csv ../again", "this is not a bundle of Regauge"),
        ("import ../gone.zip ../again", "there is no such file"),
        ("import ../good.csv ../again --database mysql://x/y", "SQLite or PostgreSQL, not mysql"),
        ("testset relocate other ..", "no test set 'other'"),
        ("testset relocate pictures ..", "there is no such file"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_leaves_nothing(
    run: Runner, tmp_path: Path, words: str, reason: str
) -> None:
    def look() -> list[str]:
        return sorted(str(path) for path in tmp_path.rglob("*") if not path.name.startswith("study."))

    before = look()
    result = run(*words.split())
    assert (result.status, result.out) == (2, "")
    assert reason in result.err
    assert result.err.count("\n") == 1
    assert look() == before


def test_the_readers_of_other_programs_are_not_needed_to_write() -> None:
    program = "import sys, regauge.cli.studies.export, regauge.cli.studies.imports\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"datasets", "mlcroissant", "label_studio_sdk", "crowdkit", "pandas"} & set(loaded)


def test_the_page_has_an_example_of_every_export() -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    for name in command.commands:
        assert f"    regauge export {name} " in page


def test_the_page_names_every_column() -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    columns = {column for name in ("images", "labels", "predictions") for column in TABLES[name]} | {"evaluation"}
    assert [column for column in sorted(columns) if f"`{column}`" not in page] == []


def test_the_examples_of_the_page_run_as_written(run: Runner, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    lines = [line.removeprefix("    regauge ") for line in page.splitlines() if line.startswith("    regauge ")]
    for line in lines:
        if "postgresql:" not in line:
            result = run(*shlex.split(line))
            assert result.status == 0, (line, result.err)
