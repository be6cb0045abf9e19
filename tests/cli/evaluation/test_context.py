"""`regauge context` as a user meets it: an analysis, all of them, tables, formats, files and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.workflows.evaluation.test_context import write_files

from regauge.evaluation.context.registry import ANALYSES

FILES = ("good.npz", "other.npz", "--truth", "truth.csv", "--classify", "classify.jsonl", "--split", "split.csv")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    runner = make_runner(monkeypatch, capsys, "context")
    return lambda *arguments: (
        runner(*arguments, "--n-bootstrap", "200") if arguments[-1:] != ("--help",) else runner(*arguments)
    )


@pytest.mark.parametrize("width", ["60", "100", "140"])
def test_answers_and_tables_fit_the_terminal(run: Runner, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    result = run("objects", *FILES)
    assert result.status == 0, result.err
    assert max(map(len, result.out.splitlines())) <= int(width)
    assert "40.0% [5.3, 85.3]" in result.out
    assert "Note: 1 easy image taken to show one object" in result.err


def test_without_an_analysis_all_are_made(run: Runner) -> None:
    named, bare = run("all", *FILES), run(*FILES)
    assert (named.status, named.out) == (0, bare.out)
    for title in ("Objects per image", "Classes that come together", "Possibly mislabeled images"):
        assert title in named.out
    assert "potential is not analysed without potential labels" in named.err


def test_a_table_comes_whole_and_in_every_format(run: Runner) -> None:
    rows = read_rows(run("objects", *FILES, "--table", "corrections", "--format", "csv").out)
    assert [row["participant"] for row in rows] == ["good", "other"]
    assert rows[0]["share"] == ""
    lines = run("all", *FILES, "--table", "corrections", "--format", "jsonl").out.splitlines()
    assert json.loads(lines[1])["share"] == 0.5
    content = json.loads(
        run("objects", *FILES, "--table", "shares", "--format", "json").out, parse_constant=pytest.fail
    )
    assert list(content["tables"]) == ["shares"]
    assert content["settings"]["n_bootstrap"] == 200
    everything = json.loads(run(*FILES, "--format", "json").out, parse_constant=pytest.fail)
    # The files have no selection counts, and there is no taxonomy with a hierarchy.
    assert [one["analysis"] for one in everything["analyses"]] == [
        one for one in ANALYSES if one not in {"distance", "potential"}
    ]


def test_every_table_is_written_to_a_folder(run: Runner, tmp_path: Path) -> None:
    assert run(*FILES, "--output", "tables").status == 0
    assert (tmp_path / "tables" / "cooccurrence-pairs.csv").is_file()
    refused = run(*FILES, "--output", "tables")
    assert (refused.status, "is not an empty folder" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("objcts", *FILES), "No such analysis 'objcts'. Did you mean objects?"),
        (("objects", *FILES, "--table", "number"), "did you mean numbers? there is no table 'number'"),
        (("objects", *FILES, "--format", "csv", "--table", "shares", "--table", "numbers"), "csv holds one table"),
        (
            (*FILES, "--format", "csv"),
            "csv holds one table; name it with --table, or write all to a folder by --output",
        ),
        (("objects", "good.npz"), "name a file that has them with --truth"),
        (("objects", *FILES, "--test-set", "x"), "--test-set has no effect if --truth is given"),
        (("objects", *FILES, "--level", "2"), "A confidence level lies strictly between 0 and 1"),
        (("objects", *FILES, "--n-listed", "0"), "A ranked list has 1 to 1,000 entries, not 0"),
        (("potential", *FILES), "Labels that people were asked about cannot be analysed without potential labels or"),
        (
            ("objects", "--truth", "truth.csv"),
            "Objects per image cannot be analysed without objects; truth has none",
        ),
        (("objects", *FILES[:4], "--classify", "nowhere.jsonl"), "nowhere.jsonl: there is no such file"),
        (
            ("mislabeled", "--truth", "truth.csv", "--split", "truth.csv"),
            "a split of images needs the columns image_id, part",
        ),
        (("objects", *FILES, "--participant", "nobody"), "No participant is called 'nobody'; there are: good, other"),
    ],
)
def test_what_cannot_be_is_one_sentence(run: Runner, words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert result.status == 2
    assert said in result.err
    assert "Traceback" not in result.err


def test_names_with_markup_are_printed_as_they_are(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "[bold]<b>.npz").write_bytes((tmp_path / "good.npz").read_bytes())
    result = run("objects", "x[red]=other.npz", "[bold]<b>.npz", *FILES[2:], "--table", "corrections")
    assert result.status == 0, result.err
    assert "x[red]" in result.out
    assert "[bold]<b>" in result.out
