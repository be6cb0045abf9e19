"""`regauge slice`: every command in every format and width, the round trip through a folder, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner
from tests.storage.small_studies import make_study
from tests.workflows.slices.sliced_study import fill_slices

from regauge.formats.pools.pairs import load_class_pairs
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.slices.scores import SLICE_COLUMNS

WIDTHS = (60, 80, 100, 140)
MAJOR = ("slice", "create", "major", "--reference", "R", "--models", "A", "B", "C", "--at-least", "3")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run in a study with models, labels and codings."""
    with make_study(tmp_path) as study:
        fill_slices(study, tmp_path)
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys)


def test_a_slice_is_refused_with_its_queue_and_then_made(run: Runner) -> None:
    refused = run(*MAJOR, "--queue", "queue.csv")
    assert refused.status == 2
    assert (
        "2 predictions of the models must be looked at first, 1 to judge and 1 to code; write them to a file with"
        in refused.err
    )
    assert "wrote queue.csv" in refused.err
    rows = list(csv.DictReader(Path("queue.csv").read_text().splitlines()))
    assert rows == [
        {"image_id": "m3", "class": "3", "needs": "verdict", "participants": "A"},
        {"image_id": "m5", "class": "4", "needs": "severity", "participants": "A"},
    ]
    assert load_class_pairs(Path("queue.csv"), taxonomy=load_taxonomy("cifar-10")) == [("m3", 3), ("m5", 4)]
    assert json.loads(run("slice", "list", "--format", "json").out) == {"slices": []}
    assert run("labels", "add", "../judged.jsonl", "--name", "panel").status == 0
    assert run("mistakes", "add", "../more.csv", "--participant", "A", "--labels", "panel", "--name", "A").status == 0
    made = run(*MAJOR, "--format", "json")
    assert made.status == 0, made.err
    (row,) = json.loads(made.out)["slices"]
    assert (row["name"], row["kind"], row["n_images"], row["labels"], row["open"]) == (
        "major",
        "major",
        2,
        "panel@2",
        False,
    )
    assert "2 images chosen of 5 major mistakes of R under panel@2." in made.err


def test_every_format_of_scores_holds_all_of_it(run: Runner) -> None:
    assert run(*MAJOR, "--allow-open").status == 0
    content = json.loads(run("slice", "score", "major", "--format", "json", "--queue", "q.csv").out)
    assert tuple(content["scores"][0]) == tuple(SLICE_COLUMNS)
    assert (content["n_images"], len(content["mistakes"]), content["settings"]["level"]) == (2, 6, 0.95)
    assert {one["state"] for one in content["mistakes"]} == {"major"}
    rows = list(csv.DictReader(run("slice", "score", "major", "--format", "csv").out.splitlines()))
    assert [row["participant"] for row in rows] == [one["participant"] for one in content["scores"]]
    assert [row["n_major"] for row in rows] == ["0", "1", "1", "2", "2"]
    lines = run("slice", "score", "major", "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == content["scores"]
    assert Path("q.csv").read_text() == "image_id,class,needs,participants\n"


def test_every_table_fits_every_width(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*MAJOR, "--allow-open").status == 0
    assert run("slice", "create", "rule", "several", "--labels", "panel", "--n-wrong", "1..").status == 0
    for words in (("list",), ("show", "major"), ("score", "several"), ("score", "major"), ("show", "several")):
        for width in WIDTHS:
            monkeypatch.setenv("COLUMNS", str(width))
            said = run("slice", *words)
            assert said.status == 0, said.err
            assert max(map(len, said.out.splitlines())) <= width, said.out
            if words[0] == "score":
                assert all(name in said.out for name in ("share", "major", "unjudged")), said.out


def test_the_table_tells_unjudged_answers_apart(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("slice", "create", "rule", "several", "--labels", "panel", "--n-wrong", "1..").status == 0
    monkeypatch.setenv("COLUMNS", "140")
    said = run("slice", "score", "several", "--participant", "A")
    assert "33.3% to 50.0% [4.3, 88.2]" in said.out
    assert "“a to b”" in said.out
    assert "“a to b”" not in run("slice", "score", "several", "--participant", "B").out


def test_a_folder_is_scored_by_both_commands(run: Runner, tmp_path: Path) -> None:
    assert run(*MAJOR, "--allow-open").status == 0
    assert "wrote ../out" in run("slice", "export", "major", "../out").err
    inside = json.loads(run("slice", "score", "major", "--participant", "B", "--format", "json").out)["scores"]
    outside = run("slice", "score", "../out", "../models/B.csv", "--truth", "../val.csv", "--format", "json")
    assert json.loads(outside.out)["scores"] == inside
    scored = run("score", "../models/B.csv", "--truth", "../out", "--format", "json")
    assert scored.status == 0, scored.err
    found = {one["metric"]: one for one in json.loads(scored.out)["scores"]}
    assert (found["multilabel_lenient"]["n_correct"], found["multilabel_lenient"]["n"]) == (1, 2)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "README.md",
        "coded.csv",
        "slice.json",
        "truth.jsonl",
    ]


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_a_figure_sets_the_slice_against_top1(run: Runner, suffix: str) -> None:
    assert run(*MAJOR, "--allow-open").status == 0
    said = run("slice", "score", "major", "--figure", f"figure.{suffix}")
    assert said.status == 0, said.err
    assert Path(f"figure.{suffix}").stat().st_size > 1000


def test_a_figure_without_top1_says_what_is_missing(run: Runner) -> None:
    assert run(*MAJOR, "--allow-open").status == 0
    assert run("slice", "export", "major", "../out").status == 0
    said = run("slice", "score", "../out", "../models/B.csv", "--figure", "figure.svg")
    assert said.status == 2
    assert "give the dataset labels of the whole test set with --truth" in said.err


def test_the_card_is_markdown_on_standard_output(run: Runner) -> None:
    assert run(*MAJOR, "--allow-open").status == 0
    card = run("slice", "card", "major").out
    assert card.startswith("# major\n\n2 images of val.\n\n## How it was made\n")
    assert "1. Look at the mistakes one by one" in card


def test_a_list_takes_the_name_of_its_file_and_complete_is_refused(run: Runner) -> None:
    made = json.loads(run("slice", "add", "../list.txt", "--labels", "panel", "--format", "json").out)["slices"][0]
    assert (made["name"], made["kind"], made["complete"]) == ("list", "list", False)
    words = ("slice", "add", "../list.txt", "--name", "all", "--labels", "panel", "--complete", "--queue", "look.csv")
    refused = run(*words)
    assert refused.status == 2
    assert "Complete labelling does not cover 2 images of 2 ('m2', 'm6'), so all is not complete" in refused.err
    assert Path("look.csv").read_text().splitlines()[1] == 'm2,0,complete labelling,""'
    assert "exists" in run(*words).err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("create", "rule", "x", "--labels", "panel"), "at least one condition"),
        (
            ("create", "rule", "x", "--labels", "panel", "--n-correct", "many"),
            "A range of counts is 2, 2.., ..3 or 1..3",
        ),
        (("create", "rule", "x", "--labels", "panel", "--group", "dogs"), "A group is GROUPING=GROUP"),
        (("create", "rule", "x", "--labels", "panel", "--severity", "major"), "name the codings with --coding"),
        (("create", "rule", "x", "--n-correct", "1"), "name one with --labels"),
        (("create", "major", "--reference", "R", "--models", "A", "--at-least", "5"), "At least 5 of 2 models"),
        (("create", "rule", "x", "--labels", "panel", "--n-correct", "0.."), "at least one condition"),
        (
            ("create", "major", "--reference", "R", "--models", "B", "--at-least", "1", "--coding", "A"),
            "No coding of the mistakes of R on val is named",
        ),
        (("create", "rule", "a/b", "--labels", "panel", "--n-correct", "1"), "Give it another name, as NAME."),
        (
            ("create", "major", "--reference", "ann", "--models", "A", "--at-least", "1"),
            "No coding of the mistakes of ann on val is in the study",
        ),
        (("score", "nothing"), "has no slice 'nothing'"),
        (("score", "nothing", "--truth", "../val.csv"), "--truth goes with a slice in a folder"),
        (("show", "nothing"), "has no slice 'nothing'"),
        (("export", "nothing", "x"), "has no slice 'nothing'"),
        (("add", "../gone.txt", "--labels", "panel"), "gone.txt"),
        (("add", "../far.txt", "--labels", "panel"), "No image of far.txt is in val"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_stored(run: Runner, words: tuple[str, ...], problem: str) -> None:
    said = run("slice", *words)
    assert said.status == 2
    assert problem in said.err
    assert said.err.count("Error:") == 1
    assert "Traceback" not in said.err
    assert json.loads(run("slice", "list", "--format", "json").out) == {"slices": []}
