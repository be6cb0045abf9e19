"""`regauge mistakes summary` in every format, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_runner import Result, Runner, make_runner, read_rows, write

from regauge.cli.mistakes.summary import COLUMNS

HEADER = "image_id,prediction,category,severity\n"
FIRST = HEADER + "a,3,fine-grained,major\nb,5,fine-grained,Borderline\nc,6,spurious,minor\n"
SECOND = HEADER + "a,3,fine-grained,minor\nb,3,spurious,major\nd,5,non-prototypical,minor\ne,1,FG w/ OOV,minor\n"
TRUTH = "image_id,label\na,5\nb,3\nc,8\nd,3\n"
ENTRY = {"image": 7, "prediction": 3, "category": "Spurious Correlation", "severity": "Major"}
MODELS = json.dumps({"vit": [ENTRY], "soups": [ENTRY | {"image": 8}]})
FILES = {"one.csv": FIRST, "two.csv": SECOND, "t.csv": TRUTH, "r.json": MODELS, "plain.csv": "image_id,class\na,0\n"}
PAGE = Path(__file__).resolve().parents[3] / "docs" / "formats.md"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run in a folder with coded mistakes one.csv, two.csv and r.json, and a truth t.csv."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys, "mistakes", "summary")


def read(result: Result) -> dict[str, Any]:
    assert result.status == 0
    content: dict[str, Any] = json.loads(result.out)
    return content


def test_json_of_two_files_has_the_documented_fields(run: Runner) -> None:
    content = read(run("one.csv", "two.csv", "--format", "json"))
    first = content["files"][0]
    assert (first["name"], first["n"]) == ("one", 3)
    assert first["categories"] == {
        "fine-grained": 2,
        "fine-grained-oov": 0,
        "spurious-correlation": 1,
        "non-prototypical": 0,
    }
    assert first["severities"] == {"major": 1, "minor": 2}
    assert first["table"] == [[1, 1], [0, 0], [0, 1], [0, 0]]
    assert list(content["independence"]["category"])[:4] == ["chi2", "dof", "p", "n"]
    # Majors 1 of 3 and 1 of 4: χ² = 7 · (1·3 − 2·1)² / (3 · 4 · 2 · 5) = 7/120.
    severity = content["independence"]["severity"]
    assert severity["chi2"] == pytest.approx(7 / 120)
    assert (severity["dof"], severity["n"], severity["n_images"], severity["n_permutations"]) == (1, 7, 5, 10_000)
    assert content["shared"] == {"same_prediction": 1, "different_prediction": 1}
    assert (content["only_first"], content["only_second"]) == (1, 2)
    assert content["settings"] == {"level": 0.95, "seed": 0, "n_permutations": 10_000}


def test_json_of_one_file_has_nulls_where_two_are_needed(run: Runner) -> None:
    content = read(run("one.csv", "--format", "json"))
    assert [content[name] for name in ("independence", "shared", "only_first", "only_second")] == [None] * 4
    (file,) = content["files"]
    assert [file[name] for name in ("n_labelled", "n_unlabelled", "class_pairs", "ancestor_levels")] == [None] * 4
    # No out-of-vocabulary mistakes: their share of majors is missing, not 0.
    assert file["major_by_category"]["fine-grained-oov"]["share"] is None
    assert file["category_shares"]["fine-grained"]["share"] == pytest.approx(2 / 3)


def test_files_on_different_images_have_no_permutation(run: Runner) -> None:
    content = read(run("r.json#vit", "r.json#soups", "--format", "json"))
    assert content["shared"] == {"same_prediction": 0, "different_prediction": 0}
    assert content["independence"]["category"] == {
        "chi2": None,
        "dof": 0,
        "p": None,
        "n": 2,
        "min_expected": None,
        "p_permutation": None,
        "n_images": None,
        "n_permutations": None,
    }


def test_json_with_labels_names_classes_by_index_and_id(run: Runner) -> None:
    content = read(run("two.csv", "--truth", "t.csv", "--taxonomy", "cifar-10", "--format", "json"))
    (file,) = content["files"]
    assert (file["n_labelled"], file["n_unlabelled"]) == (3, 1)
    cat, dog = {"index": 3, "id": "n02121620"}, {"index": 5, "id": "n02084071"}
    assert file["class_pairs"] == [{"classes": [cat, dog], "n": 2}]
    assert [(one["level"], one["n"]) for one in file["ancestor_levels"]] == [(0, 1), (2, 2)]
    unnamed = read(run("two.csv", "--truth", "t.csv", "--format", "json"))["files"][0]
    assert unnamed["class_pairs"][0]["classes"] == [{"index": 3, "id": None}, {"index": 5, "id": None}]
    assert unnamed["ancestor_levels"] is None


@pytest.mark.parametrize("output_format", ["csv", "jsonl"])
def test_rows_are_one_per_file_category_and_severity(run: Runner, output_format: str) -> None:
    out = run("one.csv", "two.csv", "--format", output_format).out
    rows = read_rows(out) if output_format == "csv" else [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 2 * 4 * 2
    assert list(rows[0]) == list(COLUMNS)
    assert [rows[0][name] for name in ("name", "category", "severity")] == ["one", "fine-grained", "major"]
    assert [float(rows[0][name]) for name in ("n", "n_total")] == [1, 3]
    assert float(rows[0]["share"]) == pytest.approx(1 / 3)
    # 1 of 3: Beta(1, 3) gives 1 − 0.975^(1/3), Beta(2, 2) solves 3x² − 2x³ = 0.975.
    assert float(rows[0]["low"]) == pytest.approx(1 - 0.975 ** (1 / 3))
    assert 3 * float(rows[0]["high"]) ** 2 - 2 * float(rows[0]["high"]) ** 3 == pytest.approx(0.975)


def test_the_table_reads_as_shares_with_intervals(run: Runner) -> None:
    out = run("one.csv", "two.csv").out
    assert re.search(r"fine-grained +2 +66\.7% \[9\.4, 99\.2\] +1 +25\.0% \[0\.6, 80\.6\]", out)
    assert "severity: χ²(1, N = 7) = 0.06, p = 0.8091; by permutation within 5 images p = " in out
    assert "images in both: 2, with the same prediction 1, with different ones 1" in out
    assert "images only in one: 1; only in two: 2" in out
    assert "95% intervals: Clopper–Pearson." in out


def test_the_table_with_labels_shows_pairs_and_levels(run: Runner) -> None:
    result = run("one.csv", "--truth", "t.csv", "--taxonomy", "cifar-10", "--level", "0.9")
    assert re.search(r"^2 +3 cat +5 dog", result.out, re.MULTILINE)
    assert "3 mistakes confuse 2 class pairs; how often, and how many pairs: 1×: 1, 2×: 1." in result.out
    assert "Categories of one by ancestor level" in result.out
    assert "90% intervals" in result.out


@pytest.mark.parametrize("width", [80, 140])
def test_the_table_fits_the_terminal(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    many = "".join(f"i{i},{i % 9},fine-grained,major\n" for i in range(12_345))
    write(tmp_path, {"a-model-with-a-rather-long-name.csv": HEADER + many, "another.csv": HEADER + many})
    long = run("a-model-with-a-rather-long-name.csv", "another.csv", "--n-permutations", "100")
    labelled = run("one.csv", "two.csv", "--truth", "t.csv", "--taxonomy", "cifar-10")
    for result in (long, labelled):
        assert result.status == 0
        assert max(map(len, result.out.splitlines())) <= width
        assert "…" not in result.out


def test_notes_go_to_standard_error_only(run: Runner) -> None:
    result = run("one.csv", "--format", "csv")
    assert result.err == (
        "Note: one.csv: 3 coded mistakes of one.\n"
        "Note: 1 of 3 mistakes of one were entered as borderline; they count as minor.\n"
    )


def test_no_name_is_taken_for_markup_or_moves_the_cursor(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"n.json": json.dumps({"[red]\x1b[2J:dog:": [ENTRY]})})
    result = run("n.json", "one.csv")
    assert "[red]\\x1b[2J:dog:" in result.out
    assert "\x1b" not in result.out + result.err


def test_the_columns_and_fields_are_documented(run: Runner) -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Mistakes summary")[2]
    content = read(run("one.csv", "two.csv", "--truth", "t.csv", "--taxonomy", "cifar-10", "--format", "json"))
    file, test = content["files"][0], content["independence"]["category"]
    for word in (*COLUMNS, *content, *file, *test, *content["shared"], *file["class_pairs"][0]):
        assert f"`{word}`" in section, word


def test_a_permutation_follows_its_seed(run: Runner) -> None:
    def permute(seed: str) -> float:
        content = read(run("one.csv", "two.csv", "--seed", seed, "--n-permutations", "500", "--format", "json"))
        return float(content["independence"]["category"]["p_permutation"])

    assert permute("1") == permute("1")
    assert len({permute(str(seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["gone.csv"], "gone.csv: there is no such file."),
        (
            ["plain.csv"],
            "plain.csv, line 1: a table of coded mistakes needs the columns image_id, prediction, category",
        ),
        (["r.json"], "r.json: there are 2 models; choose one with PATH#MODEL: 'vit', 'soups'."),
        (["r.json#x"], "r.json: there is no model 'x'; there are: 'vit', 'soups'."),
        (["one.csv#x"], "one.csv: only a JSON file has models to choose from with #x."),
        (["one.csv", "one.csv"], "Two files of coded mistakes are called 'one'; name one of them with NAME=PATH."),
        (["one.csv", "--taxonomy", "nope"], "There is no taxonomy 'nope'."),
        (["one.csv", "--truth", "gone.csv"], "gone.csv: there is no such file."),
        (
            ["r.json#vit", "--truth", "t.csv"],
            "No image of vit has a dataset label in t: the first coded image is 'ILSV",
        ),
        (["one.csv", "--level", "95"], "A confidence level lies strictly between 0 and 1, such as 0.95, not 95.0."),
        (["one.csv", "--seed", "-1"], "A seed is a whole number from 0 up, not -1."),
        (["one.csv", "--n-permutations", "5"], "A permutation test takes 100 to 1,000,000 permutations, not 5."),
        (["."], ".: coded mistakes are a .csv, .tsv or .json file"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_status_2(run: Runner, arguments: list[str], problem: str) -> None:
    before = sorted(Path().iterdir())
    result = run(*arguments)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith("Error: ")
    assert problem in result.err
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a,unicorn,FG,major", "bad.csv, line 3: 'unicorn' is not a class of cifar-10; search with"),
        (
            "a,1,Fatal,major",
            "bad.csv, line 3: a category is one of fine-grained ('Fine-grained error'), fine-grained-oov",
        ),
        ("a,1,FG,fatal", "bad.csv, line 3: a severity is major, minor or borderline, not 'fatal'."),
        ("z,3,FG,major", "bad.csv, line 3: image 'z' with prediction 3 occurs a second time; a mistake is coded once."),
        ("a,1,FG", "bad.csv, line 3: the column 'severity' is empty."),
        ("a,1,FG,major,x", "bad.csv, line 3: the line has 5 cells, the header 4."),
    ],
)
def test_a_bad_line_is_named(run: Runner, tmp_path: Path, line: str, problem: str) -> None:
    write(tmp_path, {"bad.csv": f"{HEADER}z,cat,FG,major\n{line}\n"})
    result = run("one.csv", "bad.csv", "--taxonomy", "cifar-10")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert problem in result.err
