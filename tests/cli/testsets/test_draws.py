"""Drawing, revising, reviewing and exporting test sets by commands, on a simulated pool."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.workflows.pool_studies import make_pooled

from regauge.formats.exports.drawn_folders import MANIFEST_COLUMNS
from regauge.records.testsets.draws import CHANGE_COLUMNS
from regauge.records.testsets.sampling import BIN_NAMES, DRAW_COLUMNS


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command of `testset` in a study with a pool; the table of frequencies is one folder up."""
    with make_pooled(tmp_path, with_files=True):
        pass
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys, "testset")


def sample(run: Runner, *words: str, name: str = "drawn") -> dict[str, str]:
    result = run("sample", "--name", name, "--frequencies", "../counts.csv", *words, "--format", "csv")
    assert result.status == 0, result.err
    (row,) = read_rows(result.out)
    return row


def list_images(run: Runner, name: str = "drawn") -> list[dict[str, str]]:
    return read_rows(run("show", name, "--format", "csv").out)


def test_a_set_is_drawn_shown_and_listed(run: Runner) -> None:
    row = sample(run, "--seed", "3")
    assert (row["strategy"], row["n_images"], row["n_classes"], row["n_missing"]) == (
        "matched-frequency",
        "20",
        "2",
        "0",
    )
    rows = list_images(run)
    assert list(rows[0]) == list(DRAW_COLUMNS)
    assert Counter(one["bin"] for one in rows) == dict(zip(BIN_NAMES, (2, 2, 4, 4, 8), strict=True))
    shown = run("show", "drawn")
    for words in ("drawn: 20 images of 2 classes", "matched-frequency", "original", "counts.csv", "[0.8, 1]", "n = 20"):
        assert words in shown.out
    assert "drawn" in run("list").out
    found = json.loads(run("show", "drawn", "--format", "json").out)
    assert (found["plan"]["seed"], found["sources"]["pools"], found["parent"]) == (3, ["batch"], None)
    assert found["selection_frequency"]["n"] == 20


@pytest.mark.parametrize(
    ("words", "lowest"),
    [
        (("--strategy", "top-images"), 8),
        (("--strategy", "threshold", "--threshold", "0.8"), 8),
        (("--strategy", "threshold", "--class-threshold", "cat=0.9", "--per-class", "5"), 7),
    ],
)
def test_strategies_and_thresholds_are_options(run: Runner, words: tuple[str, ...], lowest: int) -> None:
    sample(run, *words)
    rows = list_images(run)
    assert min(int(one["n_selected"]) for one in rows) >= lowest
    if "cat=0.9" in words:
        assert min(int(one["n_selected"]) for one in rows if one["class"] == "3") >= 9


def test_keywords_come_from_a_table_of_the_original_images(run: Runner, tmp_path: Path) -> None:
    lines = [f"o{index}-{number:02d},{'one' if number < 15 else 'two'}" for index in (0, 3) for number in range(20)]
    (tmp_path / "words.csv").write_text("\n".join(["image_id,keyword", *lines]) + "\n")
    words = ("--strategy", "keywords", "--keywords", "../words.csv", "--original", "original", "--per-class", "8")
    result = run("sample", "--name", "drawn", *words)
    assert result.status == 0, result.err
    assert Counter(one["keyword"] for one in list_images(run)) == {"one": 12, "two": 4}
    found = json.loads(run("show", "drawn", "--format", "json").out)["sources"]["keywords"]
    assert found[:2] == [{"class": 0, "keyword": "one", "n": 15}, {"class": 0, "keyword": "two", "n": 5}]


def test_a_class_that_falls_short_is_an_error_that_lists_all_of_them(run: Runner) -> None:
    result = run("sample", "--name", "drawn", "--frequencies", "../counts.csv", "--per-class", "40")
    assert result.status == 2
    for words in ("class 0 (airplane) lacks", "class 3 (cat) lacks", "[0.8, 1]", "gather about", "--allow-short"):
        assert words in result.err
    assert "drawn" not in run("list").out
    row = sample(run, "--per-class", "40", "--allow-short")
    assert int(row["n_missing"]) + int(row["n_images"]) == 80


@pytest.mark.parametrize("word", ["cat", "cat=much", "=0.8", "nothing=0.8", "cat=8"])
def test_strange_thresholds_are_refused(run: Runner, word: str) -> None:
    result = run("sample", "--name", "drawn", "--strategy", "threshold", "--class-threshold", word)
    assert (result.status, result.out) == (2, "")
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--threshold", "0.8"),
            "--threshold belongs to the strategy threshold, and this set is drawn by matched-frequency",
        ),
        (("--strategy", "top-images", "--class-threshold", "cat=0.9"), "--class-threshold belongs"),
        (("--strategy", "threshold", "--min-original", "5"), "--min-original belongs"),
        (("--keywords", "../counts.csv"), "--keywords belongs to the strategy keywords"),
        (("--seed", "-1"), "A seed is a whole number from 0 up, not -1."),
        (("--per-class", "9" * 20), "1 to 1,000,000 images per class"),
        (("--frequencies", "\udcff"), "is not UTF-8 text; write it in UTF-8."),
        (("--name", " x"), "blanks around them and not of dots alone; ' x' is none"),
        (
            ("--frequencies", "../gone.csv"),
            "There is no table of frequencies ../gone.csv; say where it is with --frequ",
        ),
    ],
)
def test_options_without_a_meaning_are_refused(run: Runner, words: tuple[str, ...], says: str) -> None:
    result = run("sample", "--name", "drawn", "--frequencies", "../counts.csv", *words)
    assert result.status == 2
    assert says in result.err


def test_a_revision_has_every_parameter_of_its_parent_unless_another_is_given(run: Runner) -> None:
    thresholds = ("--threshold", "0.6", "--class-threshold", "cat=0.9", "--class-threshold", "airplane=0.8")
    sample(run, "--strategy", "threshold", *thresholds, "--seed", "5", "--per-class", "6", "--min-annotations", "9")
    run("remove", "drawn", list_images(run)[0]["image_id"], "--reason", "a drawing")
    assert run("revise", "drawn").status == 0
    first, second = (json.loads(run("show", name, "--format", "json").out) for name in ("drawn", "drawn-2"))
    assert second["plan"] == first["plan"]
    assert second["sources"] == first["sources"]
    assert second["plan"]["class_thresholds"] == {"3": 0.9, "0": 0.8}
    assert run("revise", "drawn", "--class-threshold", "cat=1", "--name", "other", "--allow-short").status == 0
    other = json.loads(run("show", "other", "--format", "json").out)
    assert other["plan"] == {**first["plan"], "class_thresholds": {"0": 0.8, "3": 1.0}}


def test_a_smaller_revision_keeps_some_of_the_images(run: Runner) -> None:
    sample(run)
    before = {one["image_id"] for one in list_images(run)}
    assert run("revise", "drawn", "--per-class", "5").status == 0
    rows = list_images(run, "drawn-2")
    # Bins of 2, 2, 4, 4 and 8 of twenty make 0.5, 0.5, 1, 1 and 2 of five, and the higher of the equal remainders has it.
    bins = Counter(one["bin"] for one in rows if one["class"] == "3")
    assert [bins[name] for name in BIN_NAMES] == [0, 1, 1, 1, 2]
    assert {one["image_id"] for one in rows} < before


def test_an_image_is_removed_the_set_revised_and_the_two_compared(run: Runner) -> None:
    sample(run)
    gone, back = (one["image_id"] for one in list_images(run)[:2])
    for image_id in (gone, back):
        assert run("remove", "drawn", image_id, "--reason", "not a plane").status == 0
    assert run("restore", "drawn", back).status == 0
    assert "removed by reviewers since" in run("show", "drawn").out
    result = run("revise", "drawn", "--format", "csv")
    (row,) = read_rows(result.out)
    assert (row["name"], row["n_images"], row["n_carried_over"]) == ("drawn-2", "20", "19")
    difference = run("diff", "drawn", "drawn-2", "--format", "csv")
    rows = read_rows(difference.out)
    assert list(rows[0]) == list(CHANGE_COLUMNS)
    (removed,) = [one for one in rows if one["change"] == "removed"]
    assert (removed["image_id"], removed["reason"]) == (gone, "review: not a plane")
    assert "19 carried over, 1 new (0 upward), 1 removed." in run("diff", "drawn", "drawn-2").out
    assert json.loads(run("diff", "drawn", "drawn-2", "--format", "json").out)["new"] == 1
    assert run("revise", "drawn-2").status == 2


def test_another_seed_and_name_are_taken_for_a_revision(run: Runner) -> None:
    sample(run)
    run("remove", "drawn", list_images(run)[0]["image_id"], "--reason", "blurred")
    result = run("revise", "drawn", "--name", "again", "--seed", "9")
    assert result.status == 0, result.err
    found = json.loads(run("show", "again", "--format", "json").out)
    assert (found["parent"], found["plan"]["seed"]) == ("drawn", 9)
    assert found["excluded"] == [{"class": 0, "bin": found["excluded"][0]["bin"], "reason": "review: blurred", "n": 1}]


@pytest.mark.parametrize("link", [False, True])
def test_what_is_exported_is_added_back_with_the_same_ids_and_labels(run: Runner, tmp_path: Path, link: bool) -> None:
    row = sample(run)
    out = tmp_path / "out"
    result = run("export", "drawn", str(out), *(["--link"] if link else []), "--license", "cc-by-2.0")
    assert result.status == 0, result.err
    rows = read_rows((out / "manifest.csv").read_text())
    assert list(rows[0]) == list(MANIFEST_COLUMNS)
    assert all((out / one["file_name"]).is_symlink() is link for one in rows)
    assert [json.loads(line)["image_id"] for line in (out / "manifest.jsonl").read_text().splitlines()] == [
        one["image_id"] for one in rows
    ]
    added = run("add", str(out), "--name", "back", "--format", "csv", *(["--follow-links"] if link else []))
    assert added.status == 0, added.err
    assert read_rows(added.out)[0]["digest"] == row["digest"]
    assert run("export", "drawn", str(out)).status == 2


def test_what_was_removed_since_is_said_when_a_set_is_exported(run: Runner, tmp_path: Path) -> None:
    sample(run)
    run("remove", "drawn", list_images(run)[0]["image_id"], "--reason", "blurred")
    result = run("export", "drawn", str(tmp_path / "out"))
    assert "Reviewers have removed 1 of its images since" in result.err
    assert "`blurred`" in (tmp_path / "out" / "README.md").read_text()


def test_a_set_that_was_not_drawn_is_refused(run: Runner) -> None:
    for words in (
        ("show", "original"),
        ("revise", "original"),
        ("export", "original", "out"),
        ("diff", "original", "x"),
    ):
        result = run(*words)
        assert result.status == 2
        assert "not drawn from a pool" in result.err or "no test set" in result.err
