"""What commands print is what they printed: tables for people byte by byte, numbers for programs to nine digits.

The last digits of a double depend on the processor: compilers and libraries sum in another order where it has other
instructions. Each command below has its output in `outputs/`, and the last one what a study stores of a comparison. Where a
change is meant, `REGAUGE_KEEP_OUTPUTS=1` writes the files anew; their differences are then read like those of code.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import zipfile
from itertools import zip_longest
from math import isclose
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import Runner, make_runner, write
from tests.cli.evaluation import test_gap
from tests.cli.evaluation.test_shift import FRESH, OLD, SETS, make_files
from tests.cli.labels import test_aggregate_classify, test_aggregate_contains, test_aggregate_votes
from tests.cli.mistakes import test_summary

import regauge

HERE = Path(__file__).parent
OUTPUTS = HERE / "outputs"
STUDY = HERE.parent / "studies" / "0.2.0-306ff5b" / "study.zip"

WITHOUT_A_STUDY = {
    "score": "score models --truth verdicts.jsonl --by class --against alpha",
    "score-unjudged": "score models --truth unjudged.jsonl",
    "score-nothing": "score nothing.csv --truth verdicts.jsonl --allow-missing --by parts.csv",
    "shift": f"shift {' '.join(SETS)} --scale all --baseline g* --baseline d* --n-bootstrap 200 --by-class",
    "shift-one": "shift --original-truth old.csv --original old/alpha.csv --new-truth fresh.csv --new fresh/alpha.csv",
    "shift-balanced": f"shift {' '.join(SETS)} --metric top1_balanced --resample models --n-bootstrap 200",
    "gap": "gap --original-truth gap/old.csv --original gap/old --new-truth gap/fresh.csv --new gap/fresh "
    "--frequencies gap/votes.csv --n-bootstrap 100 --method all --shares 0,0,0.1,0.3,0.6",
    "aggregate-contains": "aggregate contains contains.csv",
    "aggregate-contains-posterior": "aggregate contains contains.csv --method beta-binomial",
    "aggregate-classify": "aggregate classify classify.jsonl --truth classify.csv",
    "aggregate-votes": "aggregate votes votes.csv --method dawid-skene --gold gold.csv --agreement",
    "aggregate-votes-alone": "aggregate votes alone.csv --agreement",
    "mistakes": "mistakes summary one.csv two.csv --truth coded.csv --taxonomy cifar-10",
}
IN_A_STUDY = {
    "status": "status",
    "testset-show": "testset show new",
    "campaign-annotators": "campaign annotators simulated-contains",
    "evaluate": "evaluate --test-set new --labels simulated-crowd --labels simulated-objects --allow-missing "
    "--participant *-ridge",
    "compare": "compare original new --scale all --baseline patches-* --n-bootstrap 200",
    "testset-compare": "testset compare original new new-threshold new-top --n-bootstrap 200",
    "study-gap": "gap original new --n-bootstrap 100",
}
FORMATS = ("table", "json")


def make_inputs() -> dict[str, str]:
    """Small files for every command: four models on 20 and 10 images, verdicts on some classes, votes and coded mistakes."""
    rng = np.random.default_rng(8)
    images = [f"i{row}" for row in range(24)]
    files = {**make_files("old", 20, OLD), **make_files("fresh", 10, FRESH)}
    files |= {f"gap/{name}": content for name, content in test_gap.make_files().items()}
    verdicts, unjudged, parts = [], [], ["image_id,subset"]
    for row, image in enumerate(images):
        known = {"image_id": image, "label": row % 3, "correct": [row % 3], "wrong": [(row + 1) % 3]}
        verdicts.append(json.dumps(known | {"wrong": [one for one in range(3) if one != row % 3]}))
        unjudged.append(json.dumps(known))
        parts.append(f"{image},{'even' if row % 2 == 0 else 'odd'}")
    for name, chance in (("alpha", 0.8), ("beta", 0.6), ("gamma", 0.3)):
        answers = [row % 3 if rng.random() < chance else int(rng.integers(3)) for row in range(len(images))]
        files[f"models/{name}.csv"] = "image_id,class\n" + "".join(
            f"{image},{answer}\n" for image, answer in zip(images, answers, strict=True)
        )
    return files | {
        "verdicts.jsonl": "\n".join(verdicts),
        "unjudged.jsonl": "\n".join(unjudged),
        "parts.csv": "\n".join(parts),
        "nothing.csv": "image_id,class\ni0,0\n",
        "contains.csv": test_aggregate_contains.ANSWERS,
        "classify.jsonl": "".join(json.dumps(row) + "\n" for row in test_aggregate_classify.ROWS),
        "classify.csv": "image_id,label\ni,8\nj,1\n",
        "votes.csv": test_aggregate_votes.VOTES,
        "gold.csv": test_aggregate_votes.GOLD,
        "alone.csv": "task,worker,label\na,v,cat\nb,v,dog\n",
        "one.csv": test_summary.FIRST,
        "two.csv": test_summary.SECOND,
        "coded.csv": test_summary.TRUTH,
    }


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    return make_runner(monkeypatch, capsys)


def hide(text: str, folder: Path) -> str:
    """The text without what differs from run to run: the folder, the version and the times of today."""
    text = text.replace(str(folder), "FOLDER").replace(f'"version": "{regauge.__version__}"', '"version": "VERSION"')
    return re.sub(r'("\w+_at": )"[^"]*"', r'\1"TIME"', text)


DOUBLE = re.compile(r"(-?\d+\.\d{6,}(?:e[-+]\d+)?|-?\d+(?:\.\d+)?e[-+]\d+)")
"""A number that was written for a program: tables have fewer digits."""


def is_same(kept: str, line: str) -> bool:
    """Whether two lines are equal but for the last digits of long numbers."""
    if kept == line:
        return True
    # A number that comes out as 0.0 here may be 1e-17 there.
    ours, theirs = (DOUBLE.split(re.sub(r"\b0\.0\b(?=,?\n)", "0.0e-00", text)) for text in (kept, line))
    return ours[::2] == theirs[::2] and all(
        isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-12)
        for one, other in zip(ours[1::2], theirs[1::2], strict=True)
    )


def find_difference(name: str, text: str) -> str:
    """What the kept output has otherwise; nothing where it is the same, and where it is to be kept anew."""
    path = OUTPUTS / f"{name}.txt"
    if os.environ.get("REGAUGE_KEEP_OUTPUTS"):
        path.write_bytes(text.encode())
    kept = path.read_bytes().decode().splitlines(keepends=True)
    lines = text.splitlines(keepends=True)
    for number, (before, now) in enumerate(zip_longest(kept, lines, fillvalue=""), 1):
        if not is_same(before, now):
            return f"{name}.txt, line {number}: {before!r} is now {now!r}"
    return ""


def test_long_numbers_may_differ_in_their_last_digits_and_nothing_else_may() -> None:
    assert is_same('"low": 0.712210651788782,\n', '"low": 0.7122106517887788,\n')
    assert is_same('"value": -1.1102230246251565e-16\n', '"value": 0.0\n')
    for line in ('"low": 0.7122107,\n', '"high": 0.712210651788782,\n', '"low": 0.712210651788782\n', '"low": null,\n'):
        assert not is_same('"low": 0.712210651788782,\n', line), line
    assert not is_same("34.4% [25.0, 44.8]\n", "34.4% [25.0, 44.9]\n")
    assert not is_same('"value": 0.001\n', '"value": 0.0\n')


def ask(run: Runner, words: str, *more: str) -> str:
    result = run(*words.split(), *more)
    assert result.status == 0, result.err
    return result.out + result.err


@pytest.mark.parametrize("name", WITHOUT_A_STUDY)
def test_commands_print_what_they_printed(run: Runner, tmp_path: Path, name: str) -> None:
    write(tmp_path, make_inputs())
    said = {one: hide(ask(run, WITHOUT_A_STUDY[name], "--format", one), tmp_path) for one in FORMATS}
    assert [find_difference(f"{name}-{one}", text) for one, text in said.items()] == ["", ""]


def test_commands_in_a_study_print_and_store_what_they_did(run: Runner, tmp_path: Path) -> None:
    with zipfile.ZipFile(STUDY) as archive:
        archive.extractall(tmp_path)
    said = {
        f"{name}-{one}": hide(ask(run, words, "--format", one), tmp_path)
        for name, words in IN_A_STUDY.items()
        for one in FORMATS
    }
    with sqlite3.connect(tmp_path / "study.db") as database:
        (stored,) = database.execute("SELECT result FROM comparisons ORDER BY id DESC LIMIT 1").fetchone()
    said["stored-comparison"] = f"{stored}\n"
    assert [found for name, text in said.items() if (found := find_difference(name, text))] == []


def test_every_kept_output_is_looked_at() -> None:
    names = {f"{name}-{one}" for name in (*WITHOUT_A_STUDY, *IN_A_STUDY) for one in FORMATS}
    assert {path.stem for path in OUTPUTS.iterdir()} == {*names, "stored-comparison"}
