"""`regauge humans` as a user meets it: files or a study, every table, formats, figures and refusals."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_runner import Result, Runner, make_runner, read_rows, write
from tests.evaluation.humans.answers import MODELS, PEOPLE, get_labels, list_predictions, make_set

from regauge.records.evaluation.humans.tables import HUMAN_TABLES

SETS = ("--original-truth", "old.csv", "--original", "old", "--new-truth", "new.csv", "--new", "new")
FEW = ("--n-bootstrap", "100", "--n-draws", "50")


def make_files() -> dict[str, str]:
    """Two sets with three people and three models, a file for each."""
    files: dict[str, str] = {}
    for seed, name in enumerate(("old", "new")):
        answers = make_set(name, seed=seed)
        labels = get_labels(answers).tolist()
        files[f"{name}.csv"] = "image_id,label\n" + "".join(f"{name}{row},{one}\n" for row, one in enumerate(labels))
        for one in list_predictions(answers):
            columns = [one.image_ids.tolist(), one.classes[:, 0].tolist()]
            header = "image_id,class"
            if one.seconds is not None and one.active_seconds is not None:
                columns += [one.seconds.tolist(), one.active_seconds.tolist(), ["person"] * len(one)]
                header += ",seconds,active_seconds,kind"
            rows = "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))
            files[f"{name}/{one.participant}.csv"] = f"{header}\n{rows}"
    return files


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, make_files())
    runner = make_runner(monkeypatch, capsys, "humans")
    return lambda *arguments: runner(*FEW, *arguments)


def read_json(result: Result) -> dict[str, Any]:
    assert result.status == 0, result.err
    content: dict[str, Any] = json.loads(result.out, parse_constant=pytest.fail)
    return content


def test_all_tables_are_printed(run: Runner):
    result = run(*SETS, "--taxonomy", "imagenet-1k")
    assert result.status == 0, result.err
    for text in (
        "top1 on old and new",
        "Gap of a person minus that of a model",
        "without dogs",
        "What a subset changes: top1 on old",
        "McNemar's p (Holm) below the diagonal",
        "McNemar's test of pairs (top1 on new)",
        "p adjusted by Holm over one family of 30 exact tests.",
        "Images of old that all of them miss (top1)",
        "Mean error consistency",
        "Seconds per image and hours in total, without pauses",
        "Fast images, by the median of people's seconds",
        "top1 by seconds",
        "mean of 3 people",
    ):
        assert text in result.out, text
    assert r"\n" not in result.out


def test_json_has_every_table_with_all_its_columns(run: Runner):
    content = read_json(run(*SETS, "--taxonomy", "imagenet-1k", "--format", "json", "--seed", "5"))
    for name, columns in HUMAN_TABLES.items():
        assert content[name], name
        assert list(content[name][0]) == list(columns)
    assert {one["name"]: one["kind"] for one in content["participants"]} == {
        **dict.fromkeys(PEOPLE, "person"),
        **dict.fromkeys(MODELS, "model"),
    }
    assert content["participants"][0]["n_images"] == {"old": 80, "new": 80}
    assert content["settings"]["seed"] == 5
    assert list(read_json(run(*SETS, "--format", "json", "--table", "gaps"))).count("pairs") == 0


@pytest.mark.parametrize("table", list(HUMAN_TABLES))
def test_csv_has_one_table_with_its_columns(run: Runner, table: str):
    result = run(*SETS, "--taxonomy", "imagenet-1k", "--format", "csv", "--table", table)
    assert result.status == 0, result.err
    assert next(csv.reader(io.StringIO(result.out))) == list(HUMAN_TABLES[table])
    assert read_rows(result.out)


@pytest.mark.parametrize("output_format", ["latex", "markdown"])
def test_tables_for_papers_are_whole(run: Runner, output_format: str):
    result = run(*SETS, "--taxonomy", "imagenet-1k", "--format", output_format)
    assert result.status == 0, result.err
    assert "Left out" not in result.out
    assert "fast images by others" in result.out


def test_json_lines_are_accuracies_by_default(run: Runner):
    result = run(*SETS, "--format", "jsonl")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert list(rows[0]) == list(HUMAN_TABLES["accuracies"])


def test_people_are_named_on_the_command_line(run: Runner):
    names = {one["name"] for one in read_json(run(*SETS, "--person", "l*", "--format", "json"))["participants"][:4]}
    assert names == {*PEOPLE, "large"}
    only = read_json(run(*SETS, "--kind", "person", "--format", "json"))
    assert [one["kind"] for one in only["participants"]] == ["person"] * 3


def test_one_set_is_enough(run: Runner):
    content = read_json(run(*SETS[:4], "--format", "json"))
    assert content["test_sets"] == ["old"]
    assert content["gaps"] == content["gap_differences"] == []
    assert content["pairs"]


def test_a_figure_is_drawn_with_people_as_diamonds(run: Runner, tmp_path: Path):
    result = run(*SETS, "--taxonomy", "imagenet-1k", "--figure", "both.svg", "--label", "ann", "--table", "gaps")
    assert result.status == 0, result.err
    drawing = (tmp_path / "both.svg").read_text(encoding="utf-8")
    for text in ("all classes", "objects only", "ann", "The line goes through the models alone"):
        assert text in drawing
    assert "#E69F00".lower() in drawing.lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (SETS[:2], "--original is needed, or the names of test sets of a study."),
        ((*SETS[:4], "--new", "new"), "--new-truth is needed"),
        (
            (*SETS, "--pairs", "ann"),
            "A family of tests needs at least two participants, and ann matches ann alone; name more",
        ),
        ((*SETS, "--pairs", "zoe"), "No participant matches 'zoe'"),
        ((*SETS, "--person", "zoe"), "No participant matches 'zoe', so it names no person"),
        ((*SETS, "--by", "colour", "--taxonomy", "imagenet-1k"), "no grouping of classes 'colour'"),
        ((*SETS, "--metric", "real"), "For real there is nothing in the truth of old"),
        ((*SETS, "--label", "ann"), "--label prints names in a figure; say where to with --figure."),
        ((*SETS, "--figure", "f.svg", "--label", "zoe"), "No participant matches 'zoe', so there is no name to print"),
        ((*SETS[:4], "--figure", "f.svg"), "A figure is of two test sets"),
        ((*SETS, "--format", "csv", "--table", "gaps", "--table", "pairs"), "csv holds one table, and 2 are asked for"),
        ((*SETS, "--labels", "x"), "--labels has no effect if files are given"),
        (("a", "b", "c"), "Name one test set or two"),
        (("a", *SETS[:4]), "--original-truth, --original has no effect if test sets of a study are named"),
        ((*SETS, "--fast-seconds", "0"), "a number above 0, not 0.0"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(run: Runner, arguments: tuple[str, ...], message: str):
    result = run(*arguments)
    assert result.status == 2
    assert message in result.err
    assert "Traceback" not in result.err
