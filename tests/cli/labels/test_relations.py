"""`regauge relations` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write
from tests.workflows.labels.test_relations import PEOPLE, TRUTH

CAT_OR_DOG = "image_id,class\n" + "".join(f"i{row},5\n" for row in range(8))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command inside a study with verdicts on eight images."""
    run_first = make_runner(monkeypatch, capsys)
    run_first("init", str(tmp_path / "s"), "--taxonomy", "cifar-10")
    monkeypatch.chdir(tmp_path / "s")
    write(tmp_path / "s", {"t.csv": TRUTH, "people.jsonl": PEOPLE, "model.csv": CAT_OR_DOG})
    run_first("testset", "add", "t.csv")
    run_first("labels", "add", "people.jsonl")
    return run_first


def test_from_a_proposal_to_labels(run: Runner):
    assert "There are no relations yet." in run("relations", "list").out
    proposed = run("relations", "propose")
    assert "3 cat ⊂ 5 dog" in proposed.out
    assert "100.0% [54.1, 100.0]" in proposed.out
    assert "There is nothing new to propose." in run("relations", "propose").out
    assert "No relation is accepted." in run("relations", "list", "--status", "accepted").out
    assert "accepted" in run("relations", "accept", "subset", "cat", "dog", "--reason", "for a test").out
    applied = run("relations", "apply", "--labels", "people", "--name", "related", "--format", "csv")
    (row,) = read_rows(applied.out)
    assert (row["name"], row["version"], row["n_derived"], row["n_contradictions"]) == ("related", "1", "1", "0")
    assert "Note: people@1: 1 verdict on 1 image derived from 1 accepted relation between classes." in applied.err
    changes = read_rows(run("labels", "diff", "people", "related", "--format", "csv").out)
    assert [(one["image_id"], one["class_index"], one["after"]) for one in changes] == [("i7", "5", "correct")]


def test_contradictions_are_listed(run: Runner):
    run("relations", "accept", "subset", "3", "7", "--reason", "x")
    run("relations", "accept", "subset", "3", "5", "--reason", "x")
    run("relations", "accept", "same", "0", "1", "--reason", "x")
    shown = run("relations", "contradictions", "--labels", "people")
    assert "i7" in shown.out
    assert "3 ⊂ 7" in shown.out
    listed = json.loads(run("relations", "contradictions", "--labels", "people", "--format", "json").out)
    assert listed == {
        "contradictions": [
            {"image_id": "i7", "class": 7, "verdict": "wrong", "implied": "correct", "relation": "3 ⊂ 7"}
        ]
    }
    run("relations", "reject", "subset", "3", "7", "--reason", "x")
    assert (
        "No verdict contradicts an accepted relation." in run("relations", "contradictions", "--labels", "people").out
    )


@pytest.mark.parametrize("output_format", ["csv", "json"])
def test_what_is_listed_is_a_file_that_score_reads(run: Runner, tmp_path: Path, output_format: str):
    run("relations", "propose")
    run("relations", "accept", "part", "0", "1", "--reason", "x")
    path = tmp_path / "s" / f"relations.{output_format}"
    for status, n_correct in (("proposed", "7"), ("accepted", "8")):
        if status == "accepted":
            run("relations", "accept", "subset", "3", "5", "--reason", "=why")
        path.write_text(run("relations", "list", "--format", output_format).out, encoding="utf-8")
        scored = run("score", "model.csv", "--truth", "people.jsonl", "--relations", path.name, "--format", "csv")
        strict = [row["n_correct"] for row in read_rows(scored.out) if row["metric"] == "multilabel_strict"]
        assert strict == [n_correct]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["accept", "subset", "3", "unicorn", "--reason", "x"], "Error: 'unicorn' is not a class of cifar-10"),
        (["accept", "subset", "3", "3", "--reason", "x"], "Error: A relation is between two classes; class 3"),
        (["accept", "subset", "3", "5", "--reason", ""], "Error: To decide on 3 (cat) ⊂ 5 (dog) takes a reason"),
        (["reject", "subset", "3", "5", "--reason", "x"], "Error: The study has no relation 3 (cat) ⊂ 5 (dog)"),
        (["apply", "--labels", "people"], "Error: No relation between classes is accepted yet"),
        (["apply", "--labels", "nobody"], "Error: The study has no label set 'nobody'"),
        (["propose", "--min-share", "0.4"], "Error: The share from which a relation is proposed lies above 0.5"),
        (["propose", "--labels", "nobody"], "Error: The study has no label set 'nobody'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Runner, words: list[str], message: str):
    result = run("relations", *words)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1
    assert run("relations", "list", "--format", "jsonl").out == ""
