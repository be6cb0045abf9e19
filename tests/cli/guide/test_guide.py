"""The guide by commands: written, read at any version, compared, restored, searched, cited, exported and brought back."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import click
import pytest
from tests.cli.command_runner import Result, Runner, make_runner, read_rows
from tests.workflows.guide.guide_studies import make_guided

from regauge.cli.guide.guide import ENTRY_COLUMNS, HIT_COLUMNS, VERSION_COLUMNS


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command of `guide` in a study with pictures and verdicts."""
    with make_guided(tmp_path):
        pass
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys, "guide")


def edit(run: Runner, text: str, *words: str) -> Result:
    Path("text.md").write_text(text, encoding="utf-8")
    return run("edit", *words, "--text", "text.md")


def test_an_entry_is_written_read_changed_and_restored(run: Runner) -> None:
    assert edit(run, "# Ears\n\nPointed.", "cat", "--reason", "first").status == 0
    assert edit(run, "# Ears\n\nRound.", "cat").status == 0
    assert "cat: version 2" in run("show", "cat").out
    assert json.loads(run("show", "3", "--version", "1", "--format", "json").out)["entry"]["text"].endswith("Pointed.")
    rows = read_rows(run("history", "cat", "--format", "csv").out)
    assert list(rows[0]) == list(VERSION_COLUMNS)
    assert [(row["version"], row["edited"], row["reason"]) for row in rows] == [("2", "1", ""), ("1", "", "first")]
    assert "- Pointed.\n+ Round.\nThe entry on cat: 1 line added, 1 removed." in run("diff", "cat").out
    changes_of = [
        json.loads(line)
        for line in run("diff", "cat", "--from", "1", "--to", "1", "--format", "jsonl").out.splitlines()
    ]
    assert {one["change"] for one in changes_of} == {"same"}
    assert run("restore", "cat", "--version", "1").status == 0
    assert "Pointed." in run("show", "cat").out


def test_lists_say_what_is_there_and_what_is_missing(run: Runner) -> None:
    assert "an entry for 0 of 10 classes and for 0 pairs, 0 cases cited" in run("list").out
    edit(run, "Ears.", "cat")
    edit(run, "Cats climb.", "dog", "cat")
    assert "Version 2 of the guide: an entry for 1 of 10 classes and for 1 pair" in run("list").out
    rows = read_rows(run("list", "--format", "csv").out)
    assert list(rows[0]) == list(ENTRY_COLUMNS)
    assert [(row["entry"], row["classes"]) for row in rows] == [("cat", "3"), ("cat or dog", "3|5")]
    assert len(read_rows(run("list", "--missing", "--format", "csv").out)) == 9
    rows = read_rows(run("search", "climb", "--format", "csv").out)
    assert list(rows[0]) == list(HIT_COLUMNS)
    assert rows[0]["line"] == "Cats climb."
    assert "No entry of the guide has all of these words." in run("search", "unicorn").err
    assert "There is no entry on ship yet." in run("show", "ship").out


def test_whoever_comes_second_is_refused_and_their_text_is_kept(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(run, "Ears.", "cat")
    result = edit(run, "Tails.", "cat", "--version", "0")
    assert result.status == 2
    assert "changed in the meantime, in version 1" in result.err

    def type_slowly(text: str, **_: object) -> str:
        # Somebody else saves while the editor is open.
        edit(run, "Whiskers.", "cat")
        return f"{text} And tails."

    monkeypatch.setattr(click, "edit", type_slowly)
    result = run("edit", "cat")
    assert result.status == 2
    assert "Your text is kept in guide-3-1.md" in result.err
    assert Path("guide-3-1.md").read_text(encoding="utf-8") == "Ears. And tails."


def test_an_editor_that_changes_nothing_stores_nothing(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click, "edit", lambda text, **_: None)
    assert "nothing was stored" in run("edit", "cat").err
    monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": io.BytesIO("Öhren.".encode())})())
    assert run("edit", "cat", "--text", "-").status == 0
    assert "Öhren." in run("show", "cat").out


def test_a_verdict_is_cited_and_taken_out(run: Runner) -> None:
    rows = read_rows(run("cite", "verdicts", "a", "dog", "cat", "--note", "no muzzle", "--format", "csv").out)
    assert rows[0] | {"version": "1", "verdict": "wrong", "note": "no muzzle"} == rows[0]
    assert "no muzzle" in run("show", "cat", "dog").out
    assert "The case of image a was withdrawn from the guide." in run("withdraw", "1").out
    assert "There is no entry on dog yet." in run("show", "dog").out
    assert run("withdraw", "1").status == 2


def test_the_guide_goes_out_and_comes_back(run: Runner) -> None:
    edit(run, "Ears.", "cat")
    assert run("export", "out").status == 0
    path = Path("out/0003-cat.md")
    path.write_text(path.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    assert read_rows(run("import", "out", "--format", "csv").out)[0]["n_saved"] == "1"
    path.write_text(path.read_text(encoding="utf-8") + "\nStill more.\n", encoding="utf-8")
    refused = run("import", "out")
    assert refused.status == 2
    assert "--replace" in refused.err
    assert read_rows(run("import", "out", "--replace", "--format", "csv").out)[0]["version"] == "3"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("show", "unicorn"), "'unicorn' is not a class"),
        (("show", "cat", "cat"), "cannot be told apart from itself"),
        (("show", "cat", "--version", "9"), "no versions yet, not 9"),
        (("restore", "cat", "--version", "1"), "no versions yet"),
        (("cite", "verdicts", "a", "ship"), "has no verdict on class 8"),
        (("hide", "nowhere", "--images", "val"), "no campaign"),
        (("hide", "nowhere", "--images", "nothing"), "no test set"),
        (("import", "nowhere"), "is not a folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Runner, words: tuple[str, ...], problem: str) -> None:
    result = run(*words)
    assert result.status == 2
    assert problem in result.err
    assert result.err.count("\n") == 1


def test_a_text_that_is_not_safe_or_no_text_is_refused(run: Runner) -> None:
    assert "without HTML" in edit(run, "<b>x</b>", "cat").err
    Path("latin.md").write_bytes(b"\xe9")
    assert "not UTF-8 text" in run("edit", "cat", "--text", "latin.md").err
