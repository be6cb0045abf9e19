"""What `regauge score` refuses: one sentence each, exit status 2, and nothing written."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.command_runner import FILES, Result, Runner, make_runner, write

from regauge.workflows.inputs import find_participants


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command in a folder that holds a truth t.csv, verdicts v.jsonl and predictions p.csv, top5.csv."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys)


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
    "unknown class": ({"m.csv": "image_id,class\na,0\nb,unicorn\n"}, "m.csv, line 3: 'unicorn' is not a class"),
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
    "negative class": ({"m.csv": "image_id,class\na,-1\n"}, "m.csv, line 2: '-1' is not a class index"),
    "huge class": ({"m.csv": f"image_id,class\na,{'9' * 5000}\n"}, "m.csv, line 2: 9"),
    "disjoint ids": ({"m.csv": "image_id,class\nx,0\ny,1\n"}, "m and t share no image id: the truth's first is 'a'"),
    "file extensions": ({"m.csv": "image_id,class\na.jpg,0\nb.jpg,1\n"}, "would match without the file extension"),
    "pickle": (
        {"m.pkl": pickle.dumps([1])},
        "m.pkl: predictions are .npz, .csv,",
    ),
    "pickle as npz": ({"m.npz": pickle.dumps([1])}, "m.npz: this does not hold plain arrays"),
    "pickle as npy": ({"m.npy": pickle.dumps([1])}, "m.npy: this does not hold plain arrays"),
    "objects": ({"m.npz": make_npz(image_ids=IDS.astype(object), classes=np.arange(3))}, "never loaded"),
    "truncated npz": ({"m.npz": GOOD_NPZ[:-30]}, "m.npz: the file is damaged or cut short"),
    "truncated npy": ({"m.npy": make_npy(np.zeros((3, 9)))[:-30]}, "m.npy: the file is damaged or cut short"),
    "npy as npz": ({"m.npz": make_npy(np.zeros(3))}, "m.npz: this is one array, not an archive"),
    "enormous claim": ({"m.npz": make_claim((10**15,))}, "m.npz: the file is damaged or cut short: classes says"),
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
        "m.npy: The logits of row 0, image 'a', hold NaN",
    ),
    "logits without a finite value": (
        {"m.npy": make_npy(np.full((3, 9), -np.inf)), "m.ids.txt": "a\nb\nc"},
        "m.npy: The logits of row 0, image 'a', hold no finite value",
    ),
    "several infinite logits": (
        {"m.npy": make_npy(np.full((3, 9), np.inf)), "m.ids.txt": "a\nb\nc"},
        "m.npy: The logits of row 0, image 'a', hold +infinity for 9 classes",
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
    "unknown class": ({"x.csv": "image_id,label\na,tench\n"}, "x.csv, line 2: 'tench' is not a class index"),
    "duplicate image": ({"x.csv": "image_id,label\na,0\na,0\n"}, "x.csv, line 3: image 'a' occurs a second time"),
    "empty file": ({"x.csv": "\n"}, "x.csv: the file is empty"),
    "header only": ({"x.csv": "image_id,label\n"}, "x.csv, line 1: the file has a header and no rows"),
    "negative label": ({"x.csv": "image_id,label\na,-1\n"}, "x.csv, line 2: '-1' is not a class index"),
    "huge label": ({"x.csv": "image_id,label\na,2147483647\n"}, "x.csv, line 2: 2147483647 is too large"),
    "after line breaks": ({"x.csv": 'image_id,label\n"a\nz",0\n\nb,x\n'}, "x.csv, line 5: 'x' is not a class index"),
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
    "images inside deeper folders": ({"x/val/0/a.jpg": ""}, "and val holds folders with images: name that one"),
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
    "unknown part": (["--by", "nonsense"], "Cannot score by 'nonsense': it is neither a file nor class."),
    "grouping without taxonomy": (["--by", "superclass"], "Groupings come with a taxonomy: name one with --taxonomy."),
    "grouping of another taxonomy": (
        ["--by", "superclass", "--taxonomy", "cifar-10"],
        "Cannot score by 'superclass': it is neither a file nor one of object-organism, class.",
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
    "width without a unit": (["--figure", "f.svg", "--width", "84"], "such as 84mm or 3.3in, not '84'."),
    "width of nothing": (["--figure", "f.svg", "--width", "0mm"], "A figure is 48 to 1,058 mm wide"),
    "width of no figure": (["--width", "84mm"], "--width is about a figure; say where to draw one with --figure."),
    "no title of no figure": (["--no-title"], "--no-title is about a figure; say where to draw one with --figure."),
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
    monkeypatch.setattr("regauge.workflows.inputs.load_truth", lambda *_, **__: pytest.fail("the truth was read"))
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
