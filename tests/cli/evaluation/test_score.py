"""`regauge score` as a user meets it: every format and every note."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import FILES, RANKED, TRUTH, VERDICTS, Runner, make_runner, read_rows, write

from regauge.cli.printing.figures import FIGURE_SUFFIXES
from regauge.records.evaluation.scores import COMPARISON_COLUMNS, SCORE_COLUMNS
from regauge.workflows.reports import figures


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command in a folder that holds a truth t.csv, verdicts v.jsonl and predictions p.csv, top5.csv."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys)


# Formats


def test_csv_has_the_documented_columns_in_order_and_fractions(run: Runner) -> None:
    result = run("score", "top5.csv", "--truth", "t.csv", "--format", "csv")
    rows = read_rows(result.out)
    assert list(rows[0]) == list(SCORE_COLUMNS)
    assert [(row["metric"], row["n"], row["n_correct"]) for row in rows] == [
        ("top1", "3", "1"),
        ("top1_balanced", "3", "1"),
        ("top5", "3", "3"),
        ("top5_balanced", "3", "3"),
    ]
    assert float(rows[0]["value"]) == pytest.approx(1 / 3)
    # Clopper–Pearson for 1 of 3: the limits solve Binomial tails of 2.5%.
    assert (float(rows[0]["low"]), float(rows[0]["high"])) == pytest.approx((0.0084, 0.9057), abs=1e-4)


def test_json_is_valid_and_says_how_the_scores_were_made(run: Runner) -> None:
    result = run("score", "p.csv", "--truth", "t.csv", "--format", "json", "--level", "0.9", "--seed", "7")
    content = json.loads(result.out, parse_constant=pytest.fail)
    assert list(content) == ["scores", "notes", "warnings", "settings", "version"]
    assert list(content["scores"][0]) == list(SCORE_COLUMNS)
    assert (content["settings"]["level"], content["settings"]["seed"]) == (0.9, 7)
    assert [f"Note: {note}" for note in content["notes"]] == result.err.splitlines()


def test_json_lines_hold_one_row_each(run: Runner) -> None:
    whole = json.loads(run("score", "p.csv", "--truth", "t.csv", "--format", "json").out)["scores"]
    lines = run("score", "p.csv", "--truth", "t.csv", "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == whole


def test_a_comparison_adds_its_columns(run: Runner) -> None:
    arguments = ["score", "p.csv", "top5.csv", "--truth", "t.csv", "--against", "p"]
    rows = read_rows(run(*arguments, "--format", "csv").out)
    assert list(rows[0]) == [*SCORE_COLUMNS, *COMPARISON_COLUMNS]
    compared = next(row for row in rows if row["participant"] == "top5" and row["metric"] == "top1")
    assert (compared["against"], compared["n_both"], compared["n_only_against"]) == ("p", "3", "1")
    table = run(*arguments).out
    assert "Difference to p on the same images, in points" in table
    assert "Holm's adjustment" in table


@pytest.mark.parametrize("output_format", ["table", "json", "csv", "jsonl"])
def test_notes_and_warnings_go_to_standard_error_only(run: Runner, output_format: str) -> None:
    result = run("score", "p.csv", "--truth", "t.csv", "--format", output_format)
    assert result.status == 0
    assert result.err.splitlines() == [
        "Note: t.csv: dataset labels of 3 images.",
        "Note: 3 of 3 classes in t have fewer than 5 images, 3 images in all.",
        "Note: p gives fewer than five answers for some images; top5 is absent.",
    ]
    assert "Note:" not in result.out


def test_fewer_than_five_answers_leave_top5_out_of_the_output(run: Runner) -> None:
    rows = read_rows(run("score", "p.csv", "top5.csv", "--truth", "t.csv", "--format", "csv").out)
    assert {row["participant"] for row in rows if row["metric"] == "top5"} == {"top5"}


@pytest.mark.parametrize("width", [80, 140])
def test_a_table_fits_the_terminal(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    write(
        tmp_path, {"a-model-with-a-rather-long-name.csv": RANKED, "s.json": '{"a subset of some length": ["a", "b"]}'}
    )
    arguments = ["score", "a-model-with-a-rather-long-name.csv", "p.csv", "--truth", "t.csv", "--truth", "v.jsonl"]
    result = run(*arguments, "--by", "s.json", "--against", "p")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= width
    assert "multilabel_strict_balanced" in result.out
    assert any("a-model-with-a-rather-long-name" in line for line in lines) or width == 80


def test_a_caption_is_not_squeezed_into_a_narrow_table(run: Runner) -> None:
    out = run("score", "p.csv", "--truth", "t.csv").out
    caption = "95% intervals: Clopper–Pearson. top1_balanced reads the same"
    assert any(line.startswith(caption) for line in out.splitlines())


def test_unjudged_predictions_are_shown_as_a_range_and_counted(run: Runner) -> None:
    arguments = ["score", "p.csv", "--truth", "v.jsonl"]
    row = next(row for row in read_rows(run(*arguments, "--format", "csv").out) if row["metric"] == "multilabel_strict")
    assert (row["n"], row["n_unjudged"], row["lower_bound"], row["upper_bound"]) == ("2", "1", "0.5", "1.0")
    assert "50.0% to 100.0% [" in run(*arguments).out
    judged = run(*arguments, "--unlisted", "wrong", "--format", "csv")
    row = next(row for row in read_rows(judged.out) if row["metric"] == "multilabel_strict")
    assert (row["n_unjudged"], row["upper_bound"]) == ("0", "0.5")
    assert "a class that an image does not list is wrong" in judged.err


def test_an_empty_subset_is_a_row_without_a_value_in_every_format(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"s.json": '{"nothing": ["zz"], "something": ["a"]}'})
    arguments = ["score", "p.csv", "--truth", "t.csv", "--by", "s.json", "--format"]
    empty = [row for row in read_rows(run(*arguments, "csv").out) if row["subset"] == "nothing"]
    assert {row["metric"] for row in empty} == {"top1", "top1_balanced"}
    unknown = ("value", "low", "high", "interval", "lower_bound", "upper_bound")
    assert all(row["n"] == "0" and not any(row[name] for name in unknown) for row in empty)
    for rows in (
        json.loads(run(*arguments, "json").out)["scores"],
        [json.loads(line) for line in run(*arguments, "jsonl").out.splitlines()],
    ):
        nothing = [row for row in rows if row["subset"] == "nothing"]
        assert len(nothing) == 2
        assert all(row["n"] == 0 and all(row[name] is None for name in unknown) for row in nothing)
    line = next(line for line in run(*arguments, "table").out.splitlines() if "nothing" in line)
    assert {"0", "–"} < set(line.split())
    assert "%" not in line


def test_subsets_by_class_are_named_by_index_and_id(run: Runner) -> None:
    arguments = ["score", "p.csv", "--truth", "t.csv", "--by", "class", "--format", "csv"]
    assert {row["subset"] for row in read_rows(run(*arguments).out)} == {"all", "0", "1", "2"}
    rows = read_rows(run(*arguments, "--taxonomy", "cifar-10").out)
    assert "0 n02691156" in {row["subset"] for row in rows}
    by_group = read_rows(
        run(
            "score", "p.csv", "--truth", "t.csv", "--taxonomy", "cifar-10", "--by", "object-organism", "--format", "csv"
        ).out
    )
    assert {row["subset"] for row in by_group} == {"all", "objects", "organisms"}


NASTY = ["[red]x", "a, b", "\\", ":dog:", "\x1b[31mred\x1b[0m", "two\nlines", "\u202ertl", "bell\x07"]


def test_names_survive_in_csv_and_json_whatever_they_hold(run: Runner) -> None:
    arguments = ["score", *(f"{name}=p.csv" for name in NASTY), "--truth", "t.csv", "--format"]
    assert {row["participant"] for row in read_rows(run(*arguments, "csv").out)} == set(NASTY)
    assert {row["participant"] for row in json.loads(run(*arguments, "json").out)["scores"]} == set(NASTY)
    lines = run(*arguments, "jsonl").out.splitlines()
    assert {json.loads(line)["participant"] for line in lines} == set(NASTY)


def test_no_name_is_taken_for_markup_or_moves_the_cursor(run: Runner, tmp_path: Path) -> None:
    subsets = {name: ["a"] for name in [*NASTY, "[/]", "[/red]"]}
    write(tmp_path, {"s.json": json.dumps(subsets), "l[red]1.jsonl": VERDICTS, "l[b]2.jsonl": VERDICTS})
    names = [f"{name}=p.csv" for name in NASTY]
    truths = ["--truth", "t.csv", "--truth", "l[red]1.jsonl", "--truth", "l[b]2.jsonl"]
    result = run("score", *names, *truths, "--by", "s.json", "--against", "[red]x")
    assert result.status == 0
    for shown in ("[red]x", "[/]", "[/red]", ":dog:", "two\\nlines", "\\x1b[31mred", "bell\\x07", "\\u202ertl", "a, b"):
        assert shown in result.out
    assert "by l[red]1" in result.out
    alone = run("score", "two\nlines=p.csv", *truths)
    assert "two\\nlines gives fewer than five answers" in alone.err
    for character in ("\x1b", "\x07", "\u202e"):
        assert character not in result.out + result.err


def test_the_test_set_may_be_called_like_markup(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"[bold].csv": TRUTH})
    assert run("score", "p.csv", "--truth", "[bold].csv").out.splitlines()[2] == "Accuracy of p on [bold]"


# What is read


def test_every_format_of_predictions_gives_the_same_scores(run: Runner, tmp_path: Path) -> None:
    ids, best = np.array(["c", "a", "b"]), np.array([0, 0, 5])
    classes = (best[:, np.newaxis] + np.arange(5)) % 6
    logits = np.zeros((3, 10), np.float32)
    np.put_along_axis(logits, classes, np.arange(5, 0, -1, dtype=np.float32)[np.newaxis, :], axis=1)
    np.savez(tmp_path / "npz.npz", image_ids=ids, classes=classes)
    np.save(tmp_path / "npy.npy", logits)
    cells = "".join(f"val/{one}.JPEG,{row}\n" for one, row in zip(ids, classes, strict=True))
    write(tmp_path, {"timm.csv": "filename,index\n" + cells, "ids.txt": "\n".join(ids)})
    files = ["npz.npz", "npy.npy", "timm.csv", "top5.csv"]
    rows = read_rows(run("score", *files, "--truth", "t.csv", "--ids", "ids.txt", "--format", "csv").out)
    scores = {
        name: [(row["metric"], row["n"], row["value"]) for row in rows if row["participant"] == name]
        for name in ("npz", "npy", "timm", "top5")
    }
    assert len(scores["npz"]) == 4
    assert scores["npy"] == scores["timm"] == scores["top5"] == scores["npz"]


@pytest.mark.parametrize(
    ("files", "metric"),
    [
        ({"x.csv": TRUTH}, "top1"),
        ({"x.jsonl": '{"image_id":"a","label":0}\n{"image_id":"b","label":1}\n{"image_id":"c","label":2}\n'}, "top1"),
        ({"x.jsonl": VERDICTS}, "multilabel_lenient"),
        ({"x.jsonl": '{"file_name":"a.jpg","original_label":0,"correct_multi_labels":[0]}\n'}, "multilabel_lenient"),
        ({"x.jsonl": '{"image_id":"a","main":0}\n'}, "main_label"),
        ({"x.json": '{"a.JPEG":[0],"b.JPEG":[2],"c.JPEG":[]}'}, "real"),
        ({"x/0/a.jpg": "", "x/1/b.jpg": "", "x/2/c.jpg": ""}, "top1"),
    ],
)
def test_every_format_of_truth_is_scored(run: Runner, tmp_path: Path, files: dict[str, str], metric: str) -> None:
    write(tmp_path, files)
    truth = next(iter(files)).partition("/")[0]
    rows = read_rows(run("score", "p.csv", "--truth", truth, "--format", "csv").out)
    assert metric in {row["metric"] for row in rows}
    assert next(row for row in rows if row["metric"] == metric)["n_correct"] >= "1"


def test_a_real_list_is_scored_by_position(run: Runner, tmp_path: Path) -> None:
    predictions = "image_id,class\nILSVRC2012_val_00000001,65\nILSVRC2012_val_00000002,1\n"
    write(tmp_path, {"real.json": "[[65, 3], [970]]", "m.csv": predictions})
    (row,) = read_rows(run("score", "m.csv", "--truth", "real.json", "--format", "csv").out)
    assert (row["metric"], row["n"], row["n_correct"]) == ("real", "2", "1")


def test_missing_images_are_scored_without_on_demand_with_a_note(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"m.csv": "image_id,class\na,0\n"})
    refused = run("score", "m.csv", "--truth", "t.csv")
    assert (refused.status, refused.out) == (2, "")
    assert "m has no prediction for 2 of 3 images, the first being 'b'." in refused.err
    result = run("score", "m.csv", "--truth", "t.csv", "--allow-missing", "--format", "csv")
    assert "Note: m has no prediction for 2 of 3 images; it is scored on the rest." in result.err.splitlines()
    assert {row["n"] for row in read_rows(result.out)} == {"1"}


@pytest.mark.parametrize("suffix", FIGURE_SUFFIXES)
def test_a_figure_is_drawn_beside_the_output(run: Runner, tmp_path: Path, suffix: str) -> None:
    result = run("score", "p.csv", "--truth", "t.csv", "--figure", f"f{suffix}", "--format", "csv")
    assert result.status == 0
    assert read_rows(result.out)
    head = (tmp_path / f"f{suffix}").read_bytes()[:200]
    assert {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html"}[suffix] in head


def test_the_extensions_that_are_checked_are_those_that_can_be_drawn() -> None:
    assert figures.KINDS == FIGURE_SUFFIXES


def test_a_figure_is_as_wide_as_asked_for_and_without_a_title(run: Runner, tmp_path: Path) -> None:
    plain = run("score", "p.csv", "--truth", "t.csv", "--figure", "plain.svg")
    paper = run("score", "p.csv", "--truth", "t.csv", "--figure", "paper.svg", "--width", "84mm", "--no-title")
    assert (plain.status, paper.status) == (0, 0)
    assert "Accuracy on" in (tmp_path / "plain.svg").read_text()
    picture = (tmp_path / "paper.svg").read_text()
    assert "Accuracy on" not in picture
    assert 'width="317.48"' in picture


def test_parts_are_drawn_where_there_are_some(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"lists.json": '{"first": ["a"], "others": ["b", "c"]}'})
    assert run("score", "p.csv", "--truth", "t.csv", "--by", "lists.json", "--figure", "f.svg").status == 0
    picture = (tmp_path / "f.svg").read_text()
    for words in ("whole test set (3)", "first (1)", "others (2)", "Top-1 by part of t"):
        assert f">{words}</text>" in picture
