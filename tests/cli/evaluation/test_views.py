"""What tables of scores show: the answer first, chosen metrics and lines, and names of classes; programs get everything."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import RANKED, TRUTH, Runner, make_runner, write

TIED = "image_id,class\na,0\nb,0\nc,2\n"
BEST = "image_id,class\na,0\nb,1\nc,2\n"
WORST = "image_id,class\na,1\nb,2\nc,0\n"
UNEVEN = "image_id,label\na,0\nb,0\nc,2\n"
VERDICTS = "".join(f'{{"image_id":"{one}","correct":[{row}],"wrong":[]}}\n' for row, one in enumerate("abc"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    files = {"t.csv": TRUTH, "uneven.csv": UNEVEN, "v.jsonl": VERDICTS, "top5.csv": RANKED}
    write(tmp_path, files | {"m/best.csv": BEST, "m/mid.csv": TIED, "m/worst.csv": WORST})
    monkeypatch.chdir(tmp_path)
    return make_runner(monkeypatch, capsys)


def test_the_best_participant_comes_first_as_a_sentence(run: Runner) -> None:
    first = run("score", "m", "--truth", "t.csv").out.splitlines()[0]
    assert first == "Highest top1 of 3 participants: best with 100.0% [29.2, 100.0], n = 3."


def test_one_participant_has_a_headline_and_a_line_per_metric(run: Runner) -> None:
    lines = run("score", "top5.csv", "--truth", "t.csv", "--balanced").out.splitlines()
    assert lines[0].startswith("top5: top1 ")
    assert [line.split()[0] for line in lines if line.startswith("top")][1:] == [
        *("top1", "top5", "top1_balanced", "top5_balanced"),
    ]


def test_participants_that_share_the_highest_score_are_named_together(run: Runner) -> None:
    first = run("score", "m/best.csv", "also=m/best.csv", "m/worst.csv", "--truth", "t.csv").out.splitlines()[0]
    assert first.startswith("Highest top1 of 3 participants: best and also alike with 100.0% [")


def test_a_headline_says_when_the_best_was_counted_on_fewer_images(run: Runner) -> None:
    write(
        Path(),
        {"anna.csv": "image_id,class,kind\na,0,person\n", "bea.csv": "image_id,class,kind\na,0,person\nb,1,person\n"},
    )
    first = " ".join(run("score", "anna.csv", "m/mid.csv", "--truth", "t.csv").out.split("\n\n")[0].split())
    assert first.startswith(
        "Highest top1 of 2 participants: anna with 100.0% [2.5, 100.0], n = 1, on fewer images than others;"
    )
    assert first.endswith("highest with the most images: mid with 66.7% [9.4, 99.2], n = 3.")
    tied = " ".join(run("score", "anna.csv", "m/best.csv", "--truth", "t.csv").out.split("\n\n")[0].split())
    assert tied.endswith("best and anna alike; best with 100.0% [29.2, 100.0], n = 3; anna on fewer images.")
    both = " ".join(run("score", "anna.csv", "bea.csv", "--truth", "t.csv").out.split("\n\n")[0].split())
    assert "bea and anna alike; bea with 100.0% [15.8, 100.0], n = 2; anna on fewer images." in both


def test_a_headline_says_when_unjudged_predictions_decide(run: Runner) -> None:
    asked = ("--truth", "v.jsonl", "--metric", "multilabel_strict")
    out = " ".join(run("score", "m/best.csv", "m/mid.csv", *asked).out.split())
    assert "of 2 participants, if every unjudged prediction is wrong: best with 100.0%" in out


def test_metrics_are_chosen_for_tables_and_programs_still_get_all(run: Runner) -> None:
    chosen = ("score", "top5.csv", "--truth", "t.csv", "--metric", "top5")
    table = run(*chosen).out
    assert table.startswith("top5: top5 ")
    assert "top1" not in table
    assert "top1" in run(*chosen, "--format", "csv").out
    assert run(*chosen, "--format", "csv").out == run("score", "top5.csv", "--truth", "t.csv", "--format", "csv").out


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--sort", "name"], ["best", "mid", "worst"]),
        (["--sort", "top1"], ["best", "mid", "worst"]),
        (["--worst", "2"], ["worst", "mid"]),
        (["--best", "2"], ["best", "mid"]),
        (["--worst", "9"], ["worst", "mid", "best"]),
    ],
)
def test_lines_are_sorted_and_cut(run: Runner, options: list[str], names: list[str]) -> None:
    out = run("score", "m", "--truth", "t.csv", "--metric", "top1", *options).out
    assert [line.split()[0] for line in out.splitlines() if line.startswith(("best ", "mid ", "worst "))] == names
    assert ("not shown: --format csv has all" in out) is (len(names) < 3)


@pytest.mark.parametrize(("sort", "shown"), [("top1", "top1 "), ("top1_balanced", "top1_balanced")])
def test_the_metric_that_rows_are_sorted_by_is_the_last_to_leave_a_narrow_table(
    run: Runner, monkeypatch: pytest.MonkeyPatch, sort: str, shown: str
) -> None:
    monkeypatch.setenv("COLUMNS", "42")
    out = run("score", "m", "--truth", "t.csv", "--metric", "top1", "--metric", "top1_balanced", "--sort", sort).out
    head = next(line for line in out.splitlines() if line.startswith(" ") and "top1" in line)
    assert head.split() == [shown.strip()]
    assert "Left out at this width" in out


def test_the_worst_classes_are_called_by_their_names(run: Runner) -> None:
    out = run("score", "m/mid.csv", "--truth", "t.csv", "--taxonomy", "cifar-10", "--by", "class", "--worst", "1").out
    rows = [line.split() for line in out.splitlines()]
    assert [row[:3] for row in rows if row[:1] == ["1"]] == [["1", "automobile", "1"]]
    assert "all" in {row[0] for row in rows if row}


def test_balanced_metrics_are_shown_when_asked_for_or_when_they_read_differently(run: Runner) -> None:
    same = run("score", "m", "--truth", "t.csv").out
    assert "top1_balanced reads the same as without _balanced: --balanced shows it." in " ".join(same.split())
    assert "top1_balanced" in run("score", "m", "--truth", "t.csv", "--balanced").out.splitlines()[3]
    # Two images of class 0, of which mid has both right, and one of class 2.
    differs = run("score", "m/worst.csv", "other=m/best.csv", "--truth", "uneven.csv").out
    assert "top1_balanced" in differs.splitlines()[3]
    assert "read the same" not in differs


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--metric", "top2"], "these scores have no 'top2'; they have top1, top1_balanced. Did you mean top1?"),
        (["--sort", "accuracy"], "they have top1, top1_balanced, or name."),
        (["--best", "1", "--worst", "1"], "give --best or --worst, not both"),
        (["--sort", "name", "--worst", "1"], "give one to --sort in place of name"),
        (["--worst", "0"], "0 is not in the range x>=1"),
    ],
)
def test_what_cannot_be_shown_is_refused(run: Runner, options: list[str], problem: str) -> None:
    result = run("score", "m", "--truth", "t.csv", *options)
    assert result.status == 2
    assert problem in result.err


def test_files_that_were_written_are_named_on_standard_error(run: Runner, tmp_path: Path) -> None:
    result = run("score", "m", "--truth", "t.csv", "--figure", "f.svg", "--format", "csv")
    assert "wrote f.svg" in result.err.splitlines()
    assert "wrote" not in result.out
    refused = run("score", "nobody.csv", "--truth", "t.csv", "--figure", "f.svg")
    assert refused.status == 2
    assert "wrote" not in refused.err


def test_what_does_not_exist_is_answered_with_what_is_spelt_alike(run: Runner) -> None:
    assert "No such command 'scor'. Did you mean score?" in run("scor").err
    assert "No such command 'qqqq'.\n" in run("qqqq").err
    assert "No such command 'creat'. Did you mean 'create'?" in run("campaign", "creat").err
    # What is called so in other groups is called otherwise here.
    assert "No such command 'list'. Did you mean 'status'?" in run("campaign", "list").err
    assert "No such command 'parqet'. Did you mean 'parquet'?" in run("export", "parqet").err
    assert "No such command 'qqqq'.\n" in run("export", "qqqq").err
    assert "--truth" in run("score", "m", "--trut", "t.csv").err
    assert "did you mean automobile (" in run("taxonomy", "cifar-10", "show", "automobil").err
    assert "did you mean" not in run("taxonomy", "cifar-10", "show", "qqqqqqqqq").err
