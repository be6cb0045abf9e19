"""`regauge mistakes fixed` in every format, from files and codings, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write
from tests.cli.mistakes.test_find import FILES as ANSWERS
from tests.storage.small_studies import fill, make_study

from regauge.cli.mistakes.fixed import COLUMNS

FILES = {
    **ANSWERS,
    "coded.csv": "image_id,prediction,category,severity\na,1,FG,major\nb,3,FG,minor\nc,0,FG,major\nd,0,FG,borderline\n",
    "good.csv": "image_id,class\na,0\nb,1\nc,2\nd,1\n",
    "odd.csv": "image_id,prediction,category,severity\na,2,FG,major\nb,5,FG,minor\n",
}
FIXED = ("fixed", "m=coded.csv", "--truth", "before.jsonl")
BOTH = (*FIXED, "--predictions", "n.csv", "--predictions", "good.csv")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run in a folder with coded mistakes of one participant and answers of others."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys, "mistakes")


def test_one_participant_is_told_in_lines(run: Runner) -> None:
    result = run(*FIXED, "--predictions", "n.csv")
    assert result.status == 0, result.err
    # n is right on a, unclear on b, wrong on c and d.
    for line in (
        "Are major mistakes of m corrected first?",
        "4 coded mistakes, 2 of them major; corrected or not under before.",
        "corrected by n: 1 of 2 major, 50.0% [1.3, 98.7]",
        "on images that it gets wrong too: 1 of 2 major, 50.0% [1.3, 98.7]",
        "Whether n corrects major mistakes of m more often than minor ones, or less often, is open.",
    ):
        assert line in result.out


def test_several_participants_are_rows_with_adjusted_p(run: Runner) -> None:
    rows = read_rows(run(*BOTH, "--format", "csv").out)
    assert tuple(rows[0]) == COLUMNS
    assert [(row["participant"], row["n_corrected"], row["n_kept"]) for row in rows] == [
        ("n", "2", "2"),
        ("good", "3", "1"),
    ]
    table = run(*BOTH).out
    assert "adjusted by Holm" in table
    assert "is open" not in table


def test_json_says_under_which_labels(run: Runner) -> None:
    content = json.loads(run(*BOTH, "--format", "json").out)
    assert [content[name] for name in ("coded", "n", "n_major", "labels")] == ["m", 4, 2, "before"]
    assert content["participants"][0]["n_corrected_major"] == 1


def test_a_coding_of_a_study_brings_its_label_set(run: Runner, tmp_path: Path) -> None:
    with make_study(tmp_path) as study:
        fill(study, tmp_path)
    assert run("add", "odd.csv", "--participant", "vit", "--labels", "verdicts", "--study", "study").status == 0
    result = run("fixed", "odd", "--participant", "good", "--study", "study", "--format", "json")
    content = json.loads(result.out)
    assert (content["coded"], content["labels"]) == ("vit", "verdicts@1")
    assert run("fixed", "odd.csv", "--labels", "verdicts", "--study", "study").status == 0
    summary = run("summary", "odd", "--study", "study", "--format", "json")
    assert json.loads(summary.out)["files"][0]["name"] == "odd@1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*FIXED[:2], "--predictions", "n.csv"), "--truth is needed"),
        (("fixed", "nothing.csv", "--predictions", "n.csv", "--truth", "before.jsonl"), "there is no such file"),
        ((*FIXED, "--predictions", "m.csv"), "Nobody but m is meant"),
        ((*BOTH, "--labels", "x"), "--labels goes with a study"),
        (("fixed", "coding"), "There is no study here"),
        (("summary", "coding", "--truth", "t.csv"), "--truth goes with files of coded mistakes"),
        (("summary", "coded.csv", "--study", "study"), "--study goes with codings of a study"),
        (
            ("fixed", "odd.csv", "--predictions", "n.csv", "--truth", "t.csv", "--participant", "x"),
            "no participant 'x'",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(run: Runner, words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert result.status == 2
    assert said in " ".join(result.err.split())
