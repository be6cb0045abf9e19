"""`regauge score` as a user meets it: every format, every note, and one sentence for everything that is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import pickle
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest

from regauge.cli.main import main
from regauge.cli.score import FIGURE_SUFFIXES
from regauge.records.scores import COMPARISON_COLUMNS, SCORE_COLUMNS
from regauge.workflows import figures
from regauge.workflows.inputs import find_participants

TRUTH = "image_id,label\na,0\nb,1\nc,2\n"
PREDICTIONS = "image_id,class\na,0\nb,1\nc,0\n"
RANKED = "image_id,rank,class\n" + "".join(
    f"{image_id},{rank + 1},{(index + rank) % 6}\n"
    for image_id, index in (("a", 0), ("b", 5), ("c", 0))
    for rank in range(5)
)
VERDICTS = (
    '{"image_id":"a","correct":[0],"wrong":[1]}\n'
    '{"image_id":"b","correct":[2],"wrong":[3],"main":1}\n'
    '{"image_id":"c","correct":[],"wrong":[],"problematic":true}\n'
)


class Result(NamedTuple):
    """What a command left behind."""

    status: object
    out: str
    err: str


Runner: TypeAlias = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command in a folder that holds a truth t.csv and predictions p.csv, top5.csv."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    write(tmp_path, {"t.csv": TRUTH, "p.csv": PREDICTIONS, "top5.csv": RANKED, "v.jsonl": VERDICTS})

    def run_command(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["regauge", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        return Result(stop.value.code or 0, *capsys.readouterr())

    return run_command


def write(folder: Path, files: Mapping[str, str | bytes | None]) -> None:
    """The files under the folder; None makes a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)


def read_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


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
    caption = "95% intervals: clopper-pearson, stratified bootstrap. Bootstraps: 2,000 resamples, seed 0."
    assert caption in out.splitlines()


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
    assert "multilabel_strict by l[red]1" in result.out
    assert "two\\nlines gives fewer than five answers" in result.err
    for character in ("\x1b", "\x07", "\u202e"):
        assert character not in result.out + result.err


def test_the_test_set_may_be_called_like_markup(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"[bold].csv": TRUTH})
    assert run("score", "p.csv", "--truth", "[bold].csv").out.startswith("Accuracy on [bold]")


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
    assert tuple(figures._WRITERS) == FIGURE_SUFFIXES


# What is refused


def make_npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def make_npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def make_claim(shape: tuple[int, ...]) -> bytes:
    """A tiny archive whose classes claim to be enormous."""
    claim, stream = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(claim, {"descr": "<i4", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("image_ids.npy", make_npy(np.array(["a"])))
        archive.writestr("classes.npy", claim.getvalue())
    return stream.getvalue()


IDS = np.array(["a", "b", "c"])
GOOD_NPZ = make_npz(image_ids=IDS, classes=np.arange(3))

BAD_PREDICTIONS: dict[str, tuple[Mapping[str, str | bytes | None], str]] = {
    "wrong columns": ({"m.csv": "id,class\na,0\n"}, "m.csv, line 1: predictions need the columns"),
    "unknown class": ({"m.csv": "image_id,class\na,0\nb,unicorn\n"}, "m.csv, line 3: 'unicorn' is no class"),
    "duplicate image": ({"m.csv": "image_id,class\na,0\na,1\n"}, "m.csv, line 3: image 'a' occurs a second time"),
    "nan score": ({"m.csv": "image_id,class,score\na,0,nan\n"}, "m.csv, line 2: score must be a number"),
    "text score": ({"m.csv": "image_id,class,score\na,0,x\n"}, "m.csv, line 2: score must be a number, not 'x'"),
    "text rank": ({"m.csv": "image_id,rank,class\na,x,0\n"}, "m.csv, line 2: a rank is a whole number"),
    "rank gap": ({"m.csv": "image_id,rank,class\na,1,0\na,3,1\n"}, "m.csv, line 2: the ranks of image 'a' have a gap"),
    "rank twice": ({"m.csv": "image_id,rank,class\na,1,0\na,1,1\n"}, "m.csv, line 3: image 'a' has two answers"),
    "empty file": ({"m.csv": ""}, "m.csv: the file is empty"),
    "header only": ({"m.csv": "image_id,class\n"}, "m.csv, line 1: the file has a header and no rows"),
    "ragged line": ({"m.csv": "image_id,class\na,0\nb,1,2\n"}, "m.csv, line 3: the line has 3 cells, the header 2"),
    "missing cell": ({"m.csv": "image_id,class\na,0\nb\n"}, "m.csv, line 3: the column 'class' is empty"),
    "column twice": ({"m.csv": "image_id,class, class\na,0,0\n"}, "m.csv, line 1: the column 'class' occurs twice"),
    "invalid utf-8": ({"m.csv": b"image_id,class\na,0\n\xff,1\n"}, "m.csv, line 3: this is not UTF-8 text"),
    "open quote": ({"m.csv": 'image_id,class\n"a,0\n'}, "m.csv, line 2: this is not a table"),
    "negative class": ({"m.csv": "image_id,class\na,-1\n"}, "m.csv, line 2: '-1' is no class index"),
    "huge class": ({"m.csv": f"image_id,class\na,{'9' * 5000}\n"}, "m.csv, line 2: 9"),
    "disjoint ids": ({"m.csv": "image_id,class\nx,0\ny,1\n"}, "m and t share no image id: the truth's first is 'a'"),
    "file extensions": ({"m.csv": "image_id,class\na.jpg,0\nb.jpg,1\n"}, "would match without the file extension"),
    "pickle": ({"m.pkl": pickle.dumps([1])}, "m.pkl: predictions are .npz, .csv, .tsv, .npy files, not .pkl"),
    "pickle as npz": ({"m.npz": pickle.dumps([1])}, "m.npz: this does not hold plain arrays"),
    "pickle as npy": ({"m.npy": pickle.dumps([1])}, "m.npy: this does not hold plain arrays"),
    "objects": ({"m.npz": make_npz(image_ids=IDS.astype(object), classes=np.arange(3))}, "never loaded"),
    "truncated npz": ({"m.npz": GOOD_NPZ[:-30]}, "m.npz: the file is damaged or cut short"),
    "truncated npy": ({"m.npy": make_npy(np.zeros((3, 9)))[:-30]}, "m.npy: the file is damaged or cut short"),
    "npy as npz": ({"m.npz": make_npy(np.zeros(3))}, "m.npz: this is one array, not an archive"),
    "enormous claim": ({"m.npz": make_claim((10**15,))}, "m.npz: the file is damaged or cut short (MemoryError)"),
    "impossible claim": ({"m.npz": make_claim((10**30, 2))}, "m.npz: the file is damaged or cut short"),
    "no images": (
        {"m.npz": make_npz(image_ids=IDS[:0], classes=np.zeros((0, 5), int))},
        "m has no predictions at all",
    ),
    "negative by wrapping": (
        {"m.npz": make_npz(image_ids=IDS, classes=np.array([0, 1 - 2**32, 0]))},
        "m.npz: m gives image 'b' a class below 0",
    ),
    "logits without ids": ({"m.npy": make_npy(np.zeros((3, 9)))}, "m.npy: logits need their image ids"),
    "nan logits": (
        {"m.npy": make_npy(np.full((3, 9), np.nan)), "m.ids.txt": "a\nb\nc"},
        "m.npy: The logits of row 0 hold NaN",
    ),
    "folder without predictions": ({"m": None}, "m: the folder holds no predictions"),
    "folder called like a file": ({"m.csv": None}, "m.csv: the folder holds no predictions"),
}


def list_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def check_refusal(result: Result, problem: str) -> None:
    """One line on standard error, nothing on standard output, exit status 2."""
    assert problem in result.err
    assert result.err.startswith("Error: ")
    assert result.err.endswith(".\n")
    assert result.err.count("\n") == 1
    assert (result.status, result.out) == (2, "")


@pytest.mark.parametrize("case", BAD_PREDICTIONS)
def test_bad_predictions_are_refused_in_one_line_and_nothing_is_written(run: Runner, tmp_path: Path, case: str) -> None:
    files, problem = BAD_PREDICTIONS[case]
    write(tmp_path, files)
    before = list_files(tmp_path)
    check_refusal(run("score", next(iter(files)), "--truth", "t.csv", "--figure", "f.svg"), problem)
    assert list_files(tmp_path) == before


BAD_TRUTHS: dict[str, tuple[Mapping[str, str | bytes | None], str]] = {
    "wrong columns": ({"x.csv": "id,label\na,0\n"}, "x.csv, line 1: a truth table needs the columns image_id, label"),
    "unknown class": ({"x.csv": "image_id,label\na,tench\n"}, "x.csv, line 2: 'tench' is no class index"),
    "duplicate image": ({"x.csv": "image_id,label\na,0\na,0\n"}, "x.csv, line 3: image 'a' occurs a second time"),
    "empty file": ({"x.csv": "\n"}, "x.csv: the file is empty"),
    "header only": ({"x.csv": "image_id,label\n"}, "x.csv, line 1: the file has a header and no rows"),
    "negative label": ({"x.csv": "image_id,label\na,-1\n"}, "x.csv, line 2: '-1' is no class index"),
    "huge label": ({"x.csv": "image_id,label\na,2147483647\n"}, "x.csv, line 2: 2147483647 is too large"),
    "after line breaks": ({"x.csv": 'image_id,label\n"a\nz",0\n\nb,x\n'}, "x.csv, line 5: 'x' is no class index"),
    "not real": ({"x.json": "[1, 2]"}, "x.json: a JSON truth is a list of label lists"),
    "no json": ({"x.json": "[[1],\n nope]"}, "x.json, line 2: this is not JSON"),
    "deep json": ({"x.json": "[" * 100_000}, "x.json: the JSON is nested too deeply"),
    "long number": ({"x.json": f"[[{'9' * 5000}]]"}, "x.json: a number has thousands of digits"),
    "list in json lines": ({"x.jsonl": "[1]\n"}, "x.jsonl, line 1: every line must be a JSON object"),
    "two verdicts": (
        {"x.jsonl": '{"image_id":"a","correct":[1],"wrong":[1]}\n'},
        "x.jsonl, line 1: class 1 is listed as correct and as wrong",
    ),
    "nothing to score": ({"x.jsonl": '{"image_id":"a","correct":[]}\n'}, "nothing can be scored"),
    "folder without images": ({"x": None}, "x: the folder holds no images"),
    "one stem in two folders": ({"x/0/a.jpg": "", "x/1/a.png": ""}, "x: 0/a.jpg and 1/a.png both stand for image 'a'"),
    "not there": ({}, "x.csv: there is no such file"),
    "file name too long": ({}, "File name too long"),
}


@pytest.mark.parametrize("case", BAD_TRUTHS)
def test_bad_truths_are_refused_in_one_line(run: Runner, tmp_path: Path, case: str) -> None:
    files, problem = BAD_TRUTHS[case]
    write(tmp_path, files)
    truth = next(iter(files), "x.csv" if case == "not there" else "x" * 300).partition("/")[0]
    check_refusal(run("score", "p.csv", "--truth", truth), problem)


BAD_OPTIONS = {
    "unknown part": (["--by", "nonsense"], "Cannot score by 'nonsense': it is no file, and none of class."),
    "grouping without taxonomy": (["--by", "superclass"], "Groupings come with a taxonomy: name one with --taxonomy."),
    "grouping of another taxonomy": (
        ["--by", "superclass", "--taxonomy", "cifar-10"],
        "Cannot score by 'superclass': it is no file, and none of object-organism, class.",
    ),
    "part twice": (["--by", "class", "--by", "class"], "Two subsets are called '0'; rename one."),
    "level 0": (["--level", "0"], "A confidence level lies strictly between 0 and 1, such as 0.95, not 0.0."),
    "level 1": (["--level", "1"], "A confidence level lies strictly between 0 and 1"),
    "level nan": (["--level", "nan"], "A confidence level lies strictly between 0 and 1, such as 0.95, not nan."),
    "one resample": (["--n-bootstrap", "1"], "A bootstrap interval takes 100 to 1,000,000 resamples, not 1."),
    "negative seed": (["--seed", "-1"], "A seed is a whole number from 0 up, not -1."),
    "unknown reference": (["--against", "nobody"], "There is no participant 'nobody' to compare with; there are: p."),
    "unknown taxonomy": (["--taxonomy", "nope"], "There is no taxonomy 'nope'."),
    "no second participant": (["p.csv"], "Two participants are called 'p': p.csv and p.csv."),
    "same names": (["p=top5.csv"], "Two participants are called 'p': p.csv and top5.csv."),
    "empty name": (["=top5.csv"], "=top5.csv: there is no such file."),
    "empty path": (["m="], "'m=' names no file of predictions"),
    "figure extension": (["--figure", "f.gif"], "A figure is .svg, .png, .pdf, .html, not .gif: f.gif."),
    "figure without extension": (["--figure", "f"], "not a file without extension: f."),
    "figure in no folder": (["--figure", "no/f.svg"], "The figure cannot be written to no/f.svg"),
    "figure is a folder": (["--figure", "folder.svg"], "The figure cannot be written to folder.svg"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options_are_refused_in_one_line(run: Runner, tmp_path: Path, case: str) -> None:
    options, problem = BAD_OPTIONS[case]
    write(tmp_path, {"folder.svg": None})
    before = list_files(tmp_path)
    check_refusal(run("score", "p.csv", *options, "--truth", "t.csv"), problem)
    assert list_files(tmp_path) == before


@pytest.mark.parametrize("options", [["--unlisted", "maybe"], ["--format", "xml"], ["--level", "high"], ["--nope"]])
def test_options_that_click_refuses_end_with_status_2_too(run: Runner, options: list[str]) -> None:
    result = run("score", "p.csv", "--truth", "t.csv", *options)
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines()[-1].startswith("Error: ")


def test_a_figure_that_cannot_be_written_is_refused_before_anything_is_read(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regauge.cli.score.load_truth", lambda *_, **__: pytest.fail("the truth was read"))
    check_refusal(run("score", "p.csv", "--truth", "t.csv", "--figure", "no/f.svg"), "cannot be written")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_files_without_permission_are_refused(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "p.csv").chmod(0)
    check_refusal(run("score", "p.csv", "--truth", "t.csv"), "p.csv: the file cannot be read: Permission denied")
    (tmp_path / "locked").mkdir(mode=0o500)
    check_refusal(run("score", "top5.csv", "--truth", "t.csv", "--figure", "locked/f.svg"), "cannot be written")


def test_logits_of_another_number_of_classes_are_refused(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"m.npy": make_npy(np.zeros((3, 1001), np.float32)), "m.ids.txt": "a\nb\nc\n"})
    result = run("score", "m.npy", "--truth", "t.csv", "--taxonomy", "imagenet-1k")
    check_refusal(result, "1,001 columns, but imagenet-1k has 1,000 classes. Drop the background class first.")


def test_an_ambiguous_class_lists_the_ids(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"x.csv": "image_id,label\na,0\nb,crane\n"})
    result = run("score", "p.csv", "--truth", "x.csv", "--taxonomy", "imagenet-1k")
    check_refusal(result, "x.csv, line 3: 'crane' names 2 classes of imagenet-1k: n02012849, n03126707.")


def test_parts_by_class_need_dataset_labels(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"x.json": '{"a":[0],"b":[1],"c":[]}'})
    check_refusal(run("score", "p.csv", "--truth", "x.json", "--by", "class"), "Scoring by class needs dataset labels")


def test_control_characters_in_a_path_are_written_out_in_the_error(run: Runner) -> None:
    result = run("score", "p.csv", "--truth", "no\x1b[31m\nsuch.csv")
    check_refusal(result, "no\\x1b[31m\\nsuch.csv: there is no such file")


def test_participants_are_read_only_when_they_are_scored(run: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"broken.npz": b"nonsense"})
    assert [one.name for one in find_participants(["p.csv", "broken.npz"])] == ["p", "broken"]
