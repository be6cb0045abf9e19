"""The commands inside a study as a user meets them: what they print, what they refuse, and that nothing is half done."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write
from tests.storage.small_studies import FILES, VERDICTS

from regauge.records.evaluation.scores import SCORE_COLUMNS
from regauge.workflows.demo.flow import Demo

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command in a folder with a truth, two participants, verdicts and an empty study of CIFAR-10."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    runner = make_runner(monkeypatch, capsys)
    assert runner("init", "study", "--taxonomy", "cifar-10").status == 0
    monkeypatch.chdir(tmp_path / "study")
    return runner


@pytest.fixture
def filled(run: Runner) -> Runner:
    """The same with everything added."""
    for words in ("testset add ../truth.csv", "predictions add ../good.csv ../bad.csv", "labels add ../verdicts.jsonl"):
        result = run(*words.split())
        assert result.status == 0, result.err
    return run


# What they print


def test_init_says_what_was_made_and_what_comes_next(run: Runner, tmp_path: Path) -> None:
    result = run("init", "../second", "--taxonomy", "cifar-10")
    assert result.out.splitlines() == [
        "Created a study in ../second with the 10 classes of cifar-10.",
        "Next, inside it or with --study ../second: regauge testset add PATH",
    ]
    rows = json.loads(run("init", "../third", "--taxonomy", "cifar-10", "--format", "json").out)["studies"]
    folder = tmp_path / "third"
    assert rows == [{"folder": str(folder), "database": str(folder / "study.db"), "taxonomy": "cifar-10"}]


def test_each_addition_shows_what_was_added(run: Runner) -> None:
    added = run("testset", "add", "../truth.csv", "--name", "mine", "--format", "json")
    assert json.loads(added.out)["test_sets"][0]["name"] == "mine"
    assert (
        added.err
        == "Note: truth.csv: dataset labels of 4 images.\nNote: truth.csv: the images themselves are not at hand.\n"
    )
    rows = read_rows(run("predictions", "add", "b=../bad.csv", "--format", "csv").out)
    assert [(row["participant"], row["test_set"], row["k"], row["has_scores"]) for row in rows] == [
        ("b", "mine", "5", "true")
    ]
    line = json.loads(run("labels", "add", "../verdicts.jsonl", "--name", "people", "--format", "jsonl").out)
    assert (line["name"], line["version"], line["n_verdicts"], line["n_problematic"]) == ("people", 1, 5, 1)


def test_lists_show_everything_or_say_that_there_is_nothing(run: Runner) -> None:
    assert run("testset", "list").out == "There are no test sets yet.\n"
    assert run("labels", "list", "--format", "jsonl").out == ""
    run("testset", "add", "../truth.csv")
    run("predictions", "add", "../good.csv")
    assert re.search(r"truth +table +4", run("testset", "list").out)
    assert re.search(r"good +truth +1 +4 +no", run("predictions", "list", "--test-set", "truth").out)


def test_status_loads_no_library_that_measures_or_draws(filled: Runner) -> None:
    code = (
        "import sys; from click.testing import CliRunner; from regauge.cli.main import cli; "
        "print(CliRunner().invoke(cli, ['status']).exit_code, "
        "[name for name in ('scipy', 'numba', 'altair', 'alembic', 'fastapi', 'PIL') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "0 []\n"


def test_status_tells_what_is_there_and_what_is_missing(filled: Runner) -> None:
    content = json.loads(filled("status", "--format", "json").out)
    assert [len(content[name]) for name in ("test_sets", "predictions", "label_sets", "evaluations")] == [1, 2, 1, 0]
    assert content["next_steps"] == ["Evaluate 2 new predictions: regauge evaluate --test-set truth"]
    row = read_rows(filled("status", "--format", "csv").out)[0]
    assert (row["n_predictions"], row["n_evaluations"]) == ("2", "0")
    table = filled("status").out
    assert "10 classes of cifar-10" in table
    assert table.endswith("Next: Evaluate 2 new predictions: regauge evaluate --test-set truth\n")


def test_evaluate_prints_scores_like_score_and_keeps_them(filled: Runner) -> None:
    result = filled("evaluate", "--labels", "verdicts@1", "--participant", "good", "--format", "csv")
    rows = read_rows(result.out)
    assert list(rows[0]) == list(SCORE_COLUMNS)
    assert ("top1", "4", "4") in [(row["metric"], row["n"], row["n_correct"]) for row in rows]
    assert {row["labels"] for row in rows} == {"dataset", "verdicts@1"}
    assert result.err.endswith("Note: This is evaluation 1 of the study.\n")
    assert len(json.loads(filled("status", "--format", "json").out)["evaluations"]) == 1


def test_evaluate_compares_scores_parts_and_draws(filled: Runner, tmp_path: Path) -> None:
    words = ("--against", "good", "--by", "class", "--figure", str(tmp_path / "f.svg"), "--format", "csv")
    rows = read_rows(filled("evaluate", *words).out)
    assert {row["against"] for row in rows if (row["participant"], row["metric"]) == ("bad", "top1")} == {"good"}
    assert len({row["subset"] for row in rows}) == 11
    assert (tmp_path / "f.svg").stat().st_size > 1_000


def test_label_versions_are_compared_and_exported(filled: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"verdicts.jsonl": VERDICTS.replace('"correct":[0,1]', '"correct":[0]')})
    filled("labels", "add", "../verdicts.jsonl")
    diff = filled("labels", "diff", "verdicts@1", "verdicts")
    assert "verdicts@1 → verdicts@2: 1 verdict changed, 0 images added, 0 removed" in diff.out
    changes = json.loads(filled("labels", "diff", "verdicts@1", "verdicts@2", "--format", "json").out)["changes"]
    ((change),) = changes
    assert change | {"image_id": "a", "class_index": 1, "before": "correct", "after": "unlisted"} == change
    assert (change["votes"], change["guide"], change["expert"]) == ("", None, False)
    assert filled("labels", "export", "verdicts@1", "../out.jsonl").status == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 3


def test_two_test_sets_are_compared_and_drawn(filled: Runner, tmp_path: Path) -> None:
    filled("testset", "add", "../truth.csv", "--name", "new")
    filled("predictions", "add", "../good.csv", "--test-set", "new")
    words = ("compare", "truth", "new", "--n-bootstrap", "100", "--figure", str(tmp_path / "f.svg"))
    result = filled(*words, "--format", "json")
    models = json.loads(result.out)["models"]
    assert [(one["name"], one["gap"]) for one in models] == [("good", 0.0)]
    assert (tmp_path / "f.svg").exists()
    assert "Note: This is comparison 1 of the study.\n" in result.err
    assert result.err.splitlines()[-1].startswith("wrote ")
    rows = json.loads(filled("status", "--format", "json").out)["comparisons"]
    assert [(row["id"], row["original"], row["new"], row["participants"]) for row in rows] == [
        (1, "truth", "new", ["good"])
    ]
    assert "Comparisons" in filled("status").out


def test_a_comparison_takes_every_option_of_a_fit(filled: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"families.csv": "model,family\ngood,a\nbad,b\n", "new.csv": "image_id,label\na,0\nb,2\n"})
    filled("testset", "add", "../new.csv")
    filled("predictions", "add", "../good.csv", "../bad.csv", "--test-set", "new")
    words = ("compare", "truth", "new", "--baseline", "*", "--n-bootstrap", "100", "--format", "json")
    drawn = ("--resample", "families", "--families", "../families.csv", "--figure", "../f.svg", "--label", "good")
    content = json.loads(filled(*words, *drawn).out)
    # In the new set good is right on a alone and bad on b alone: from 4 of 4 and 0 of 4 both go to 1 of 2.
    assert (content["fit"]["slope"], content["fit"]["offset"], content["fit"]["resample"]) == (0.0, 0.5, "families")
    assert [one["effective_robustness"] for one in content["models"]] == [0.0, 0.0]
    assert "good" in (tmp_path / "f.svg").read_text()
    assert "--label prints names in a figure" in filled(*words, "--label", "good").err
    assert "--families is of use only with" in filled(*words, "--families", "../families.csv").err


def test_a_backup_is_a_study_database(filled: Runner, tmp_path: Path) -> None:
    assert "The database is in ../copy.db" in filled("backup", "../copy.db").out
    (tmp_path / "study" / "study.db").unlink()
    (tmp_path / "copy.db").rename(tmp_path / "study" / "study.db")
    assert len(json.loads(filled("status", "--format", "json").out)["predictions"]) == 2
    assert json.loads(filled("backup", "--format", "jsonl").out)["n_bytes"] > 0


# What they refuse


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("status --study ..", "is not a study: it has no study.toml"),
        ("init . --taxonomy cifar-10", "already holds a study"),
        ("init ../truth.csv --taxonomy cifar-10", "is a file; name a folder"),
        ("init ../x --taxonomy cifar-11", "There is no taxonomy 'cifar-11'"),
        ("testset add ../bad.csv --name truth", "needs the columns image_id, label"),
        ("testset add ../verdicts.jsonl --name truth", "needs the dataset labels of its images"),
        ("testset add ../gone.csv", "there is no such file"),
        (
            "predictions add good=../bad.csv",
            "good already has predictions on truth, and these are others; replace them",
        ),
        ("predictions add ../gone.csv", "gone.csv: there is no such file"),
        ("labels add ../good.csv", "needs the columns image_id, label"),
        ("labels diff verdicts@1 verdicts@9", "has the versions 1 to 1, not '9'"),
        ("evaluate --labels other", "no label set 'other'; it has: verdicts"),
        ("evaluate --against nobody", "no participant 'nobody' to compare with"),
        ("compare truth other", "no test set 'other'"),
        ("backup ../truth.csv", "truth.csv exists"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(filled: Runner, words: str, reason: str) -> None:
    before = filled("status", "--format", "json").out
    result = filled(*words.split())
    assert (result.status, result.out) == (2, "")
    assert reason in result.err
    assert result.err.startswith("Error: ")
    assert "Traceback" not in result.err
    assert filled("status", "--format", "json").out == before


def test_of_several_files_all_are_added_or_none(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"short.csv": "image_id,class\na,0\n"})
    run("testset", "add", "../truth.csv")
    assert run("predictions", "add", "../good.csv", "../short.csv").status == 2
    assert run("predictions", "list", "--format", "jsonl").out == ""
    assert run("predictions", "add", "../good.csv", "../short.csv", "--allow-missing").status == 0


def test_a_folder_that_cannot_be_written_is_one_sentence(run: Runner, tmp_path: Path) -> None:
    # A file where a folder should be is refused to everybody, also to root, whom permissions do not stop.
    (tmp_path / "study" / "study.lock").unlink()
    (tmp_path / "study" / "study.lock").mkdir()
    result = run("testset", "add", "../truth.csv")
    assert result.status == 2
    assert "study.lock cannot be opened: Is a directory. A study needs a folder that you may write to." in result.err
    result = run("init", "../truth.csv/below", "--taxonomy", "cifar-10")
    assert result.status == 2
    assert "A study cannot be made in" in result.err


# The page


def test_the_example_of_the_page_runs_as_written(
    demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shutil.copytree(demo.folder, tmp_path / "demo"))
    runner = make_runner(monkeypatch, capsys)
    page = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
    section = page.partition("## An example")[2].partition("\n## ")[0]
    lines = [line.removeprefix("    regauge ") for line in section.splitlines() if line.startswith("    regauge ")]
    assert len(lines) >= 8
    for line in lines:
        result = runner(*shlex.split(line, comments=True))
        assert (result.status, bool(result.out)) == (0, True), (line, result.err)
