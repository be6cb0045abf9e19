"""`regauge taxonomy NAME …` in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_runner import Result, Runner, make_runner

from regauge.formats.taxonomies import load_taxonomy


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    return make_runner(monkeypatch, capsys, "taxonomy")


def read(result: Result, output_format: str, name: str) -> list[dict[str, Any]]:
    """The records of a machine-readable output; CSV cells stay text."""
    assert (result.status, result.err) == (0, "")
    if output_format == "json":
        content = json.loads(result.out)
        return list(content[name])
    if output_format == "jsonl":
        return [json.loads(line) for line in result.out.splitlines()]
    return list(csv.DictReader(io.StringIO(result.out)))


MACHINE = ["json", "csv", "jsonl"]
CLASS_COLUMNS = ["index", "id", "names", "gloss", "link"]


@pytest.mark.parametrize("output_format", MACHINE)
def test_list_gives_every_class_with_its_fields(run: Runner, output_format: str) -> None:
    rows = read(run("imagenet-1k", "list", "--format", output_format), output_format, "classes")
    assert len(rows) == 1000
    assert list(rows[0]) == CLASS_COLUMNS
    expected = "tench|Tinca tinca" if output_format == "csv" else ["tench", "Tinca tinca"]
    assert (rows[0]["id"], rows[0]["names"]) == ("n01440764", expected)


def test_without_a_further_word_the_classes_are_listed(run: Runner) -> None:
    out = run("cifar-10").out
    assert out == run("cifar-10", "list").out
    assert all(image_class.id in out for image_class in load_taxonomy("cifar-10").classes)


@pytest.mark.parametrize("width", [80, 140])
def test_the_list_fits_the_terminal(run: Runner, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("imagenet-1k", "groups", "Birds").out.splitlines()
    assert len(lines) > 59
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("output_format", MACHINE)
def test_search_forgives_a_typo_and_says_why_it_matched(run: Runner, output_format: str) -> None:
    rows = read(run("imagenet-1k", "search", "godlfish", "--format", output_format), output_format, "matches")
    assert list(rows[0]) == [*CLASS_COLUMNS, "matched", "reason"]
    assert (rows[0]["id"], rows[0]["matched"]) == ("n01443537", "goldfish")


def test_search_keeps_to_its_limit(run: Runner) -> None:
    rows = read(run("imagenet-1k", "search", "dog", "--limit", "3", "--format", "json"), "json", "matches")
    assert len(rows) == 3
    assert "goldfish" in run("imagenet-1k", "search", "goldfish").out


@pytest.mark.parametrize(
    ("output_format", "out"),
    [
        ("table", "No class of cifar-10 resembles 'zzzzqqqq'.\n"),
        ("json", '{\n  "matches": []\n}\n'),
        ("csv", ",".join([*CLASS_COLUMNS, "matched", "reason"]) + "\n"),
        ("jsonl", ""),
    ],
)
def test_a_search_without_a_match_says_so(run: Runner, output_format: str, out: str) -> None:
    assert run("cifar-10", "search", "zzzzqqqq", "--format", output_format) == (0, out, "")


def test_show_tells_names_gloss_paths_and_groups_in_every_format(run: Runner) -> None:
    table = run("imagenet-1k", "show", "tench").out
    assert table.startswith("0  n01440764  tench, Tinca tinca\n")
    assert "path: tench → cyprinid → " in table
    assert "group: object-organism: organisms\n" in table
    whole = json.loads(run("imagenet-1k", "show", "tench", "--format", "json").out)
    assert list(whole) == [*CLASS_COLUMNS, "paths", "groups"]
    assert whole["paths"][0][:2] == ["tench", "cyprinid"]
    assert whole["groups"]["object-organism"] == ["organisms"]
    assert read(run("imagenet-1k", "show", "0", "--format", "jsonl"), "jsonl", "classes") == [whole]
    (row,) = read(run("imagenet-1k", "show", "n01440764", "--format", "csv"), "csv", "classes")
    assert row["paths"].startswith("tench > cyprinid > ")
    assert "object-organism: organisms" in row["groups"].split("|")


@pytest.mark.parametrize("output_format", MACHINE)
def test_distance_counts_edges_and_levels(run: Runner, output_format: str) -> None:
    result = run("imagenet-1k", "distance", "tench", "goldfish", "--format", output_format)
    row = json.loads(result.out) if output_format == "json" else read(result, output_format, "distances")[0]
    assert list(row) == ["first", "second", "path_length", "ancestor_level", "common_ancestor"]
    assert (str(row["path_length"]), str(row["ancestor_level"])) == ("2", "1")
    assert row["common_ancestor"] == "cyprinid (n01439121)"


def test_distance_reads_as_sentences(run: Runner, tmp_path: Path) -> None:
    assert "path length      2\nancestor level   1\n" in run("imagenet-1k", "distance", "tench", "goldfish").out
    (tmp_path / "flat.json").write_text('["cat", "dog"]', encoding="utf-8")
    apart = run(str(tmp_path / "flat.json"), "distance", "cat", "dog")
    assert apart == (0, "Nothing joins cat and dog in flat.\n", "")
    row = json.loads(run(str(tmp_path / "flat.json"), "distance", "cat", "dog", "--format", "json").out)
    assert (row["path_length"], row["common_ancestor"]) == (None, None)


@pytest.mark.parametrize("output_format", MACHINE)
def test_groups_give_their_classes(run: Runner, output_format: str) -> None:
    rows = read(run("imagenet-1k", "groups", "--format", output_format), output_format, "groups")
    assert list(rows[0]) == ["grouping", "group", "n_classes", "classes"]
    objects = next(row for row in rows if row["group"] == "objects")
    assert str(objects["n_classes"]) == "590"
    indices = objects["classes"].split("|") if output_format == "csv" else objects["classes"]
    assert len(indices) == 590


def test_one_group_lists_its_classes_and_one_grouping_its_groups(run: Runner) -> None:
    assert "n02085620" in run("imagenet-1k", "groups", "Dogs").out
    out = run("imagenet-1k", "groups", "object-organism").out
    assert [line.split()[1:] for line in out.splitlines() if line.startswith("object-")] == [
        ["objects", "590"],
        ["organisms", "410"],
    ]


CYCLE = {
    "format": "regauge-taxonomy",
    "version": 1,
    "name": "toy",
    "classes": [
        {"index": 0, "id": "a", "names": ["tern"], "parents": ["b"]},
        {"index": 1, "id": "b", "names": ["gull"], "parents": ["a"]},
    ],
}


@pytest.mark.parametrize("output_format", ["table", *MACHINE])
def test_lint_ends_with_status_1_on_a_circle_and_0_on_warnings(run: Runner, tmp_path: Path, output_format: str) -> None:
    (tmp_path / "toy.json").write_text(json.dumps(CYCLE), encoding="utf-8")
    result = run(str(tmp_path / "toy.json"), "lint", "--format", output_format)
    assert (result.status, result.err) == (1, "")
    assert "circle" in result.out
    warned = run("imagenet-1k", "lint", "--format", output_format)
    assert warned.status == 0
    assert "crane" in warned.out


def test_lint_of_a_clean_taxonomy_finds_nothing(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "flat.json").write_text('["cat", "dog"]', encoding="utf-8")
    flat = str(tmp_path / "flat.json")
    assert run(flat, "lint") == (0, "0 errors, 0 warnings in flat.\n", "")
    assert run(flat, "lint", "--format", "csv") == (0, "severity,code,message,ids\n", "")


NASTY = {
    "format": "regauge-taxonomy",
    "version": 1,
    "name": "[red]toy[/]",
    "classes": [
        {"index": 0, "id": "[/]", "names": ["[red]tern", "[/b]"], "gloss": "[/] a :dog: [bold]"},
        {"index": 1, "id": "[i]", "names": [":dog:"]},
    ],
    "groupings": [{"name": "[/u]", "groups": [{"name": "[/s]", "within": ["[/]"]}, {"name": "x", "within": ["[i]"]}]}],
}


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["list"], ["[/]", "[red]tern, [/b]", "[/] a :dog: [bold]", "[i]"]),
        (["search", "[red]tern"], ["[/]", "[red]tern"]),
        (["show", "0"], ["[/]", "[red]tern, [/b]", "group: [/u]: [/s]"]),
        (["distance", "0", "1"], ["Nothing joins [red]tern and :dog: in [red]toy[/]."]),
        (["groups"], ["[/u]", "[/s]"]),
        (["groups", "[/s]"], ["[/]", "[red]tern"]),
        (["lint"], ["in [red]toy[/]."]),
    ],
)
def test_no_name_is_taken_for_markup(run: Runner, tmp_path: Path, arguments: list[str], shown: list[str]) -> None:
    (tmp_path / "toy.json").write_text(json.dumps(NASTY), encoding="utf-8")
    result = run(str(tmp_path / "toy.json"), *arguments)
    assert result.status == 0
    for text in shown:
        assert text in result.out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nope", "list"], "There is no taxonomy 'nope'. Regauge has: imagenet-1k, cifar-10"),
        (["nope.json"], "nope.json: there is no such file."),
        (["imagenet-1k", "show", "unicorn"], "'unicorn' is not a class of imagenet-1k; did you mean"),
        (["imagenet-1k", "show", "crane"], "'crane' names 2 classes of imagenet-1k: n02012849, n03126707."),
        (["imagenet-1k", "show", "1000"], "'1000' is not a class of imagenet-1k; indices run from 0 to 999."),
        (["imagenet-1k", "show", "9" * 5000], "is too large for a class index."),
        (["imagenet-1k", "distance", "tench", "crane"], "'crane' names 2 classes"),
        (["imagenet-1k", "groups", "unicorns"], "Taxonomy imagenet-1k has no group or grouping 'unicorns'; it has:"),
    ],
)
def test_what_cannot_be_found_is_one_line_and_status_2(run: Runner, arguments: list[str], problem: str) -> None:
    result = run(*arguments)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith("Error: ")
    assert problem in result.err


VOTES = {
    "truth.csv": "image_id,label\n" + "".join(f"i{place},{place % 2}\n" for place in range(6)),
    "counts.csv": "image_id,class,n_shown,n_selected\n"
    + "".join(f"i{place},{index},9,8\n" for place in range(6) for index in (0, 1)),
}


def test_lint_lists_ambiguous_pairs_where_votes_are_at_hand(run: Runner, tmp_path: Path) -> None:
    for name, text in VOTES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = ["--truth", str(tmp_path / "truth.csv"), "--frequencies", str(tmp_path / "counts.csv")]
    found = run("cifar-10", "lint", *files)
    assert found.status == 0
    assert "Annotators accept both" in found.out
    assert "0 errors, 1 warnings in cifar-10." in found.out
    assert "10 links are searches" in found.err
    rows = json.loads(run("cifar-10", "lint", *files, "--format", "json").out)["findings"]
    assert [row["code"] for row in rows] == ["ambiguous-pair"]
    refused = run("cifar-10", "lint", *files[2:])
    assert (refused.status, refused.out) == (2, "")
    assert "--truth" in refused.err
