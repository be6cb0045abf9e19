"""Votes of an expert panel → verdicts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import Runner, make_runner, write

import regauge
from regauge.errors import FormatError, InputError
from regauge.labels.frequencies.verdicts import judge_counts
from regauge.records.labels.frequencies import POSTERIOR_RULE, FrequencyRule, SelectionCounts
from regauge.records.labels.verdicts import Verdict
from regauge.workflows.labels.aggregate_panel import aggregate_panel

VOTES = """image_id,class,panelist,verdict
a,0,p,correct
a,0,q,correct
a,0,r,wrong
a,1,p,wrong
a,1,q,correct
b,2,p,unclear
b,2,q,wrong
b,2,r,wrong
c,0,p,wrong
c,0,q,unclear
c,0,r,correct
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    return make_runner(monkeypatch, capsys)


def test_most_votes_win_and_a_shared_first_place_is_unclear(tmp_path: Path) -> None:
    write(tmp_path, {"votes.csv": VOTES})
    labels = aggregate_panel(tmp_path / "votes.csv")
    assert labels.verdicts.tolist() == [Verdict.CORRECT, Verdict.UNCLEAR, Verdict.WRONG, Verdict.UNCLEAR]
    assert labels.n_votes.tolist() == [[1, 0, 2], [1, 0, 1], [2, 1, 0], [1, 1, 1]]
    assert labels.label_set.image_ids.tolist() == ["a", "b", "c"]
    assert "panel disagreed on 4, and the first place was shared on 2" in labels.notes[-1]


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ("c,0,s,maybe", FormatError, "line 13: a verdict is one of wrong, unclear, correct, not 'maybe'"),
        ("c,x,s,wrong", FormatError, "line 13: 'x' is not a class index"),
        ("c,0,r,wrong", InputError, "Panelist 'r' votes on image 'c' and class 0 twice"),
    ],
)
def test_what_is_no_vote_is_refused(tmp_path: Path, line: str, error: type[Exception], words: str) -> None:
    write(tmp_path, {"votes.csv": f"{VOTES}{line}\n"})
    with pytest.raises(error, match=words):
        aggregate_panel(tmp_path / "votes.csv")


def test_the_command_writes_a_truth_that_score_reads(tmp_path: Path, run: Runner) -> None:
    write(tmp_path, {"votes.csv": VOTES, "model.csv": "image_id,class\na,0\nb,2\nc,0\n"})
    result = run("aggregate", "panel", "votes.csv", "--labels-out", "panel.jsonl", "--format", "csv")
    assert result.status == 0
    assert result.out.splitlines()[:2] == ["image_id,class,verdict,n_correct,n_unclear,n_wrong", "a,0,correct,2,0,1"]
    scores = regauge.score(tmp_path / "model.csv", tmp_path / "panel.jsonl")
    strict, lenient = (scores.get("model", f"multilabel_{kind}").n_correct for kind in ("strict", "lenient"))
    assert (strict, lenient) == (1, 2)


def test_a_posterior_makes_verdicts_by_the_same_thresholds() -> None:
    ids = np.array(["a"])
    images, classes = np.zeros(4, np.int32), np.arange(4, dtype=np.int32)
    counts = SelectionCounts(ids, images, classes, np.array([9, 9, 9, 2]), np.array([1, 8, 1, 2]))
    rule = FrequencyRule(name=POSTERIOR_RULE)
    verdicts = judge_counts(counts, rule, probabilities=np.array([0.5, 0.3, 0.1, 1.0]))
    assert verdicts.tolist() == [Verdict.CORRECT, Verdict.UNCLEAR, Verdict.WRONG, -1]
    with pytest.raises(InputError, match="need a model of the annotators"):
        judge_counts(counts, rule)
    with pytest.raises(InputError, match="not 'other'"):
        FrequencyRule(name="other")
