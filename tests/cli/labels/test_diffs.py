"""`regauge labels diff` as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows
from tests.storage.small_studies import make_study
from tests.workflows.labels.review_studies import IDS, LABELS, fill_study, review_images

from regauge.records.labels.evidence import LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelSet, Truth, Unlisted
from regauge.workflows.labels.label_set import add_labels

CHANGE = ["image_id", "class_index", "before", "after"]
EVIDENCE = [
    "votes",
    "rule",
    "reason",
    "note",
    "relation",
    "claim",
    "guide",
    "expert",
    "sampled",
    "first_votes",
    "arguments",
]


def add_unclear(study, n: int, *, unlisted: Unlisted = Unlisted.UNJUDGED, guide: int = 0) -> None:
    """The next version of R: on the first images the dataset label is unclear; the last of them says by which guide."""
    labels = LABELS.tolist()
    unclear = LabelSet.from_lists(
        "R", IDS[:n], unclear=[[one] for one in labels[:n]], wrong=[[]] * n, unlisted=unlisted
    )
    known = {(IDS[n - 1], labels[n - 1]): VerdictEvidence(guide=guide)} if guide else {}
    with study.begin() as begun:
        add_labels(begun, Truth(label_sets=(unclear,), evidence=(LabelEvidence.from_pairs("R", known),)), name="R")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """`regauge labels diff` between R@1, the same as R@2, R@3 whose last verdict has evidence, and R@4 with complete lists."""
    with make_study(tmp_path) as study:
        fill_study(study)
        review_images(study, IDS)
        review_images(study, IDS)
        add_unclear(study, len(IDS), guide=7)
        add_unclear(study, len(IDS), unlisted=Unlisted.WRONG)
    monkeypatch.chdir(tmp_path / "study")
    return make_runner(monkeypatch, capsys, "labels")


def test_rows_for_programs_have_the_same_fields_whatever_changed(run: Runner) -> None:
    nothing, unclear = (run("diff", "R@1", after, "--format", "csv") for after in ("R@2", "R@3"))
    assert nothing.out == ",".join([*CHANGE, *EVIDENCE]) + "\n"
    rows = read_rows(unclear.out)
    assert list(rows[0]) == [*CHANGE, *EVIDENCE]
    # More than a hundred come before the first that has a guide.
    assert [row["guide"] for row in rows].index("7") > 100
    lines = [json.loads(line) for line in run("diff", "R@3", "R@1", "--format", "jsonl").out.splitlines()]
    assert {tuple(line) for line in lines} == {(*CHANGE, *EVIDENCE)}
    assert run("diff", "R@1", "R@2", "--format", "jsonl").out == ""


def test_scores_for_programs_have_the_same_fields_too(run: Runner) -> None:
    rows = read_rows(run("diff", "R@1", "R@3", "--scores", "--format", "csv").out)
    lines = [json.loads(one) for one in run("diff", "R@1", "R@2", "--scores", "--format", "jsonl").out.splitlines()]
    assert list(rows[0]) == list(lines[0])
    assert {"before_n", "after_high", "change_low", "n_both", "rank_after"} < set(lines[0])


def test_a_table_leaves_out_what_is_known_of_no_change(run: Runner) -> None:
    assert "votes" not in run("diff", "R@3", "R@1").out
    assert "unlisted" in run("diff", "R@3", "R@1").out


def test_other_meaning_of_unlisted_classes_is_told_in_every_format(run: Runner) -> None:
    said = "A class that an image does not list is unjudged in R@3 and wrong in R@4; that is not among the changes"
    assert said in " ".join(run("diff", "R@3", "R@4").out.split())
    assert said not in " ".join(run("diff", "R@1", "R@3").out.split())
    for output_format in ("csv", "jsonl"):
        assert said in run("diff", "R@3", "R@4", "--format", output_format).err
    content = json.loads(run("diff", "R@3", "R@4", "--format", "json").out)
    assert (content["unlisted_before"], content["unlisted_after"], content["changes"]) == ("unjudged", "wrong", [])
