"""`testset compare`, `testset two-sample` and `--by-class` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.command_runner import Result, Runner, make_runner, read_rows, write
from tests.storage.small_studies import make_study

from regauge.records.evaluation.class_changes import CLASS_CHANGE_COLUMNS
from regauge.records.evaluation.strategies import STRATEGY_COLUMNS
from regauge.records.evaluation.two_sample import LIKENESS_COLUMNS, TWO_SAMPLE_COLUMNS
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.testsets.test_set import add_test_set

N = 24
COUNTS = {"old": {"x": 20, "y": 16}, "hard": {"x": 12, "y": 6}, "easy": {"x": 22, "y": 20}}
SHIFT = ("shift", "--original-truth", "old.csv", "--original", "old", "--new-truth", "hard.csv", "--new", "hard")


def make_files(folder: Path) -> None:
    """Three sets of 24 images of two classes in turn, on whose first images each model is right; and features."""
    rng = np.random.default_rng(1)
    for name, counts in COUNTS.items():
        ids = [f"{name}{row}" for row in range(N)]
        write(
            folder, {f"{name}.csv": "image_id,label\n" + "".join(f"{one},{row % 2}\n" for row, one in enumerate(ids))}
        )
        for model, k in counts.items():
            rows = "".join(f"{one},{row % 2 if row < k else 5}\n" for row, one in enumerate(ids))
            write(folder, {f"{name}/{model}.csv": f"image_id,class\n{rows}"})
        np.save(folder / f"{name}.npy", rng.standard_normal((N, 4)) + 3 * (name == "hard"))
        write(folder, {f"{name}.ids.txt": "\n".join(ids)})


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Commands beside a study with three test sets that two models answered."""
    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)
    with make_study(tmp_path) as study, study.begin() as begun:
        for name in COUNTS:
            add_test_set(begun, tmp_path / f"{name}.csv")
            add_predictions(begun, PredictionSource(tmp_path / name), test_set=name)
    return make_runner(monkeypatch, capsys)


def read_json(result: Result) -> dict[str, Any]:
    assert result.status == 0, result.err
    content: dict[str, Any] = json.loads(result.out, parse_constant=pytest.fail)
    return content


COMPARE = ("testset", "compare", "old", "hard", "easy", "--study", "study", "--n-bootstrap", "200")


def test_the_sets_stand_beside_each_other(run: Runner) -> None:
    result = run(*COMPARE)
    assert result.status == 0
    lines = [line.split() for line in result.out.splitlines()]
    # (12 + 6 − 20 − 16)/48 = −37.5 points, and (22 + 20 − 36)/48 = +12.5.
    hard, easy = (next(line for line in lines if line[:2] == [name, "24"]) for name in ("hard", "easy"))
    assert (hard[2:4], easy[2:4]) == (["–", "-37.5"], ["–", "+12.5"])
    assert "A participant's top1 moves by 50.0 points (median of 2)" in " ".join(result.out.split())
    assert "top1 on old and on hard" in result.out
    assert "top1 on old and on easy" in result.out
    assert "Note: These are the comparisons 1, 2 of the study." in result.err


def test_json_and_csv_of_the_sets_are_as_documented(run: Runner) -> None:
    content = read_json(run(*COMPARE, "--format", "json"))
    assert [row["test_set"] for row in content["sets"]] == ["hard", "easy"]
    assert [part["component"] for part in content["variance"]] == ["sets", "participants", "rest", "images"]
    assert [(one["name"], round(one["value"], 3)) for one in content["ranges"]] == [("x", 0.417), ("y", 0.583)]
    assert [one["new"] for one in content["shifts"]] == ["hard", "easy"]
    assert content["original_frequency"] is None
    rows = read_rows(run(*COMPARE, "--format", "csv").out)
    assert list(rows[0]) == list(STRATEGY_COLUMNS)
    assert [(row["test_set"], row["change"], row["frequency"]) for row in rows] == [
        ("hard", "-0.375", ""),
        ("easy", "0.125", ""),
    ]


def test_the_sets_are_drawn(run: Runner, tmp_path: Path) -> None:
    assert run(*COMPARE, "--figure", "sets.svg", "--label", "x").status == 0
    assert "2 new sets against old" in (tmp_path / "sets.svg").read_text()


def test_one_new_set_or_an_unknown_one_is_refused(run: Runner) -> None:
    one = run("testset", "compare", "old", "hard", "--study", "study")
    assert (one.status, "at least two new sets" in one.err) == (2, True)
    assert run("testset", "compare", "old", "hard", "other", "--study", "study").status == 2
    again = run("testset", "compare", "old", "hard", "old", "--study", "study")
    assert (again.status, again.out, "called 'old'" in again.err) == (2, "", True)


FILES = tuple(
    word
    for name, path in (("first", "old"), ("hard", "hard"), ("easy", "easy"))
    for word in ("--truth", f"{name}={path}.csv", "--predictions", f"{name}=./{path}")
)


def test_several_sets_come_from_files_without_a_study(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    words = ("testset", "compare", "first", "hard", "easy", *FILES, "--n-bootstrap", "200")
    result = run(*words, "--figure", "sets.svg", "--format", "csv")
    rows = read_rows(result.out)
    assert [(row["test_set"], row["change"]) for row in rows] == [("hard", "-0.375"), ("easy", "0.125")]
    assert "of the study" not in result.err
    assert "2 new sets against first" in (tmp_path / "sets.svg").read_text()
    one_by_one = [word.replace("hard=./hard", "hard=x=./hard/x.csv") for word in words]
    both = run(*one_by_one, "--predictions", "hard=y=hard/y.csv", "--format", "csv")
    assert both.out == result.out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (FILES[:10], "The set easy has no --predictions; give --predictions easy=FILE."),
        (FILES[4:], "The set first has no --truth"),
        ((*FILES, "--truth", "new.csv"), "takes SET=FILE with one of the sets first, hard, easy, not 'new.csv'"),
        ((*FILES, "--truth", "other=old.csv"), "not 'other=old.csv'"),
        ((*FILES, "--study", "study"), "sets from files need none"),
        ((*FILES[:-1], "easy=absent"), "absent"),
        (("--taxonomy", "imagenet-1k", "--study", "study"), "A study has its taxonomy"),
    ],
)
def test_sets_from_files_are_named_once_and_wholly(run: Runner, words: tuple[str, ...], problem: str) -> None:
    result = run("testset", "compare", "first", "hard", "easy", *words)
    assert (result.status, result.out) == (2, "")
    assert problem in result.err


# Class by class


def test_classes_follow_the_models(run: Runner) -> None:
    result = run(*SHIFT, "--n-bootstrap", "200", "--by-class")
    assert "top1 by class from old to hard: mean of 2 models" in result.out
    # Twelve images of either class: of class 0, x and y are right on 10 and 8 of the old and on 6 and 3 of the new ones.
    cells = next(line.split() for line in result.out.splitlines() if line.split()[:3] == ["0", "12", "12"])
    assert cells[3:6] == ["75.0%", "37.5%", "-37.5"]
    assert "Of 2 classes with images in both sets" in result.out


def test_classes_of_single_models_come_where_asked_for_and_csv_has_all(run: Runner) -> None:
    rows = read_rows(run(*SHIFT, "--n-bootstrap", "200", "--by-class-of", "y", "--format", "csv").out)
    assert list(rows[0]) == list(CLASS_CHANGE_COLUMNS)
    assert [row["participant"] for row in rows] == ["all", "all", "y", "y"]
    content = read_json(run(*SHIFT, "--n-bootstrap", "200", "--by-class", "--format", "json"))
    assert [row["class"] for row in content["classes"]] == [0, 1]
    assert content["by_class"].startswith("Of 2 classes")
    assert "classes" not in read_json(run(*SHIFT, "--n-bootstrap", "200", "--format", "json"))


def test_a_study_compares_by_class_too(run: Runner) -> None:
    result = run("compare", "old", "easy", "--study", "study", "--n-bootstrap", "200", "--by-class", "--format", "csv")
    assert [row["class_id"] for row in read_rows(result.out)] == ["n02691156", "n02958343"]
    assert "comparison 1 of the study" in result.err


# Two samples

FEATURES = ("--features-a", "old.npy", "--features-b", "hard.npy", "--n-permutations", "19")


def test_features_of_a_study_tell_its_sets_apart(run: Runner) -> None:
    result = run("testset", "two-sample", "old", "hard", *FEATURES, "--study", "study", "--show", "3")
    assert result.out.startswith("Images of old and of hard are told apart by these features: held-out accuracy ")
    assert result.out.count("%") == 4
    assert "Note: Features are standardised and enter as their 4 leading principal components" in result.err
    assert "Note: This is two-sample test 1 of the study." in result.err
    (kept,) = read_json(run("status", "--study", "study", "--format", "json"))["two_sample_tests"]
    assert (kept["id"], kept["first"], kept["second"], kept["n_pairs"]) == (1, "old", "hard", 24)
    assert f" {kept['auc']:.3f} " in run("status", "--study", "study").out


def test_no_study_is_needed_for_files(run: Runner, tmp_path: Path) -> None:
    rows = read_rows(run("testset", "two-sample", *FEATURES, "--format", "csv", "--images-out", "images.csv").out)
    assert list(rows[0]) == list(TWO_SAMPLE_COLUMNS)
    assert (rows[0]["n_pairs"], rows[0]["p"]) == ("24", "0.05")
    images = read_rows((tmp_path / "images.csv").read_text())
    assert list(images[0]) == list(LIKENESS_COLUMNS)
    assert len(images) == 48


@pytest.mark.parametrize("path", ["hard.ids.txt", "absent/images.csv", "old"])
def test_the_images_go_to_a_new_file_or_nowhere(run: Runner, tmp_path: Path, path: str) -> None:
    before = (tmp_path / "hard.ids.txt").read_text()
    result = run("testset", "two-sample", *FEATURES, "--images-out", path)
    assert (result.status, result.out) == (2, "")
    assert f"--images-out names a new file in a folder that is there, not {path}." in result.err
    assert (tmp_path / "hard.ids.txt").read_text() == before


def test_truth_files_give_the_classes(run: Runner) -> None:
    options = ("--by-class", "--n-folds", "4", "--format", "json")
    content = read_json(run("testset", "two-sample", "old.csv", "hard.csv", *FEATURES, *options))
    assert (content["by_class"], content["n_classes"], content["n_folds"]) == (True, 2, 4)
    assert {one["class"] for one in content["images"]} == {0, 1}


def test_what_cannot_be_told_apart_is_refused(run: Runner) -> None:
    assert "Two sets are compared, or none is named; 1 came." in run("testset", "two-sample", "old", *FEATURES).err
    missing = run("testset", "two-sample", "--features-a", "none.npy", "--features-b", "hard.npy")
    assert (missing.status, "there is no such file" in missing.err) == (2, True)
    same = run("testset", "two-sample", "--features-a", "old.npy", "--features-b", "old.npy")
    assert "0 are left to compare, 24 being in both sets" in same.err
    Path("few.txt").write_text("a\nb\n")
    ids = run("testset", "two-sample", *FEATURES, "--ids-a", "few.txt")
    assert (ids.status, "2 ids for the 24 rows" in ids.err) == (2, True), ids.err
