"""`regauge labels summary` as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.storage.small_studies import make_study
from tests.workflows.labels.review_studies import IDS, fill_study, review_images


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """`regauge labels` in a filled study, in which half of the images are reviewed."""
    with make_study(tmp_path) as study:
        fill_study(study)
        review_images(study, IDS[:100], problematic=IDS[:4])
    (tmp_path / "other.csv").write_text("image_id,label\nz,0\n")
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys, "labels")


def test_a_label_set_is_summed_up(run):
    found = run("summary", "R")
    assert "0.0% [0.0, 3.8] of the images that count have two or more correct labels (n = 96)." in found.out
    assert "4.0% [1.1, 9.9] of the images are problematic" in found.out
    assert "From top-1 to multi-label (strict): 0.0 [−3.8, +3.8] points (median of 3 participants)" in found.out
    assert "Against top1, on the images that count under both" in found.out
    (head, *_), rows = (
        [line.split() for line in found.out.splitlines() if line.startswith(word)] for word in ("participant", "strong")
    )
    assert head[:3] == ["participant", "n", "top1"]
    assert {row[1] for row in rows} == {"96"}
    assert "of t without verdict" in found.err
    assert "3 pairs of participants settled by bounds under multi-label (strict)" in found.err


def test_programs_read_the_same_numbers(run):
    content = json.loads(run("summary", "R@1", "--participant", "s*", "--level", "0.9", "--format", "json").out)
    assert (content["labels"], content["test_set"], content["n_images"], content["level"]) == ("R@1", "t", 100, 0.9)
    rows = read_rows(run("summary", "R", "--participant", "strong", "--level", "0.9", "--format", "csv").out)
    assert [row["figure"] for row in rows] == [one["figure"] for one in content["figures"]]
    share = next(one for one in content["figures"] if one["figure"] == "problematic_images")
    assert (share["k"], share["n"], share["value"]) == (4, 100, 0.04)
    assert float(rows[0]["high"]) == share["high"]
    changes = [one for one in content["figures"] if one["figure"] == "change"]
    assert {one["participant"] for one in changes} == {"strong"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("summary", "nothing"), "nothing"),
        (("summary", "R", "--participant", "x"), "No participant on t matches 'x'"),
        (("summary", "R", "--test-set", "x"), "x"),
        (("summary", "R", "--level", "2"), "A confidence level lies strictly between 0 and 1, such as 0.95, not 2.0."),
    ],
)
def test_bad_input_is_one_sentence(run, arguments, said):
    found = run(*arguments)
    assert (found.status, found.out) == (2, "")
    assert said in found.err
    assert "Traceback" not in found.err


def test_a_label_set_of_other_images_is_refused(run, monkeypatch, capsys):
    everything = make_runner(monkeypatch, capsys)
    everything("testset", "add", "../other.csv")
    found = run("summary", "R", "--test-set", "other")
    assert found.status == 2
    assert "Label set R@1 judges no image of other; name a test set of the same images with --test-set." in found.err


def test_without_participants_the_images_are_summed_up(run, monkeypatch, capsys):
    everything = make_runner(monkeypatch, capsys)
    everything("testset", "add", "../other.csv")
    Path("../other.jsonl").write_text('{"image_id": "z", "correct": [0, 1], "wrong": [2]}\n')
    run("add", "../other.jsonl", "--name", "O")
    found = run("summary", "O", "--test-set", "other")
    assert "100.0% [2.5, 100.0] of the images that count have two or more correct labels (n = 1)" in found.out
    assert "Against" not in found.out
