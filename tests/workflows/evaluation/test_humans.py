"""People and models of a study: what was said of them when their answers were added, seconds included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_runner import Runner, make_runner, write
from tests.cli.evaluation.test_humans import make_files, read_json
from tests.evaluation.humans.answers import MODELS, PEOPLE

FEW = ("--n-bootstrap", "100", "--n-draws", "50", "--format", "json")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Commands in a study with both sets and everybody's answers."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, make_files())
    runner = make_runner(monkeypatch, capsys)
    assert runner("init", "study", "--taxonomy", "imagenet-1k").status == 0
    monkeypatch.chdir(tmp_path / "study")
    for name in ("old", "new"):
        assert runner("testset", "add", f"../{name}.csv", "--name", name).status == 0
        added = runner("predictions", "add", f"../{name}", "--test-set", name)
        assert added.status == 0, added.err
    return runner


def read(run: Runner, *arguments: str) -> dict[str, Any]:
    return read_json(run("humans", *arguments, *FEW))


def test_a_study_gives_what_the_files_give(run: Runner):
    files = ("--original-truth", "../old.csv", "--original", "../old", "--new-truth", "../new.csv", "--new", "../new")
    ours, theirs = read(run, "old", "new"), read(run, *files, "--taxonomy", "imagenet-1k")
    for name in ("accuracies", "gaps", "pairs", "missed", "consistency", "seconds", "fast_images"):
        assert ours[name] == theirs[name], name
    assert {one["name"]: one["kind"] for one in ours["participants"]} == {
        **dict.fromkeys(PEOPLE, "person"),
        **dict.fromkeys(MODELS, "model"),
    }


def test_participants_are_chosen_by_name_and_kind(run: Runner):
    only = read(run, "old", "--participant", "a*", "--participant", "l*")
    assert [one["name"] for one in only["participants"]] == ["ann", "large"]
    assert {one["kind"] for one in read(run, "old", "--kind", "model")["participants"]} == {"model"}


def test_a_set_that_is_named_twice_or_does_not_exist_is_refused(run: Runner):
    assert "old is named twice" in run("humans", "old", "old").err
    result = run("humans", "older")
    assert result.status == 2
    assert "older" in result.err
