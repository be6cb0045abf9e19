"""A metric is one file: two that are defined beside this test are scored, compared, reported and told of like any other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.command_runner import Runner, make_runner, read_rows, write
from tests.evaluation.reciprocal_rank import RECIPROCAL_RANK
from tests.evaluation.top10 import TOP_10
from tests.test_docs import describe_metric, read

from regauge.evaluation import metrics

N = 12
TRUTH = "image_id,label\n" + "".join(f"i{row},{row % 6}\n" for row in range(N))
NEW = TRUTH.replace("i0,0", "i0,5")


def rank_classes(n_answers: int, *, first: int) -> str:
    """On image i the answers i + first, i + first + 1 … of twelve classes."""
    lines = [f"i{row},{rank + 1},{(row % 6 + first + rank) % 12}\n" for row in range(N) for rank in range(n_answers)]
    return "image_id,rank,class\n" + "".join(lines)


MORE = "".join(f"more,{rank + 1},{rank}\n" for rank in range(10))
FILES = {
    "truth.csv": TRUTH,
    "new.csv": NEW,
    # The label is answer 12 − first: the ninth, which only top-10 forgives, the fourth, and with few answers none.
    "ninth.csv": rank_classes(10, first=4),
    "fourth.csv": rank_classes(10, first=9),
    "short.csv": rank_classes(7, first=9),
    "single.csv": rank_classes(1, first=0),
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run a command beside the files, where both metrics are in the registry."""
    monkeypatch.setattr(metrics, "METRICS", (*metrics.METRICS, TOP_10, RECIPROCAL_RANK))
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys)


def test_score_gives_the_metrics_with_subsets_balanced_means_and_intervals(run: Runner) -> None:
    rows = read_rows(run("score", "ninth.csv", "fourth.csv", "--truth", "truth.csv", "--format", "csv").out)
    found = {(row["participant"], row["metric"]): row for row in rows}
    assert found["ninth", "top10"]["n_correct"] == found["fourth", "top10"]["n_correct"] == str(N)
    assert found["ninth", "top5"]["n_correct"] == "0"
    assert found["ninth", "top10_balanced"]["interval"] == "grouped mid-p"
    # 1/4 on every image, so that the limits are the value itself; the ninth is not among the five.
    values = {name: float(found[name, "reciprocal_rank"]["value"]) for name in ("ninth", "fourth")}
    assert values == {"ninth": 0.0, "fourth": 0.25}
    assert found["fourth", "reciprocal_rank"]["interval"] == "Chebyshev"
    assert found["fourth", "reciprocal_rank"]["n_correct"] == ""


def test_notes_name_the_metric_and_its_own_number_of_answers(run: Runner) -> None:
    result = run("score", "short.csv", "single.csv", "--truth", "truth.csv", "--format", "json")
    assert json.loads(result.out)["notes"][-2:] == [
        "All 2 participants give fewer than ten answers for some images; top10 is absent.",
        "single gives fewer than five answers for some images; top5 and reciprocal_rank are absent.",
    ]


def test_tables_say_of_a_mean_what_the_metric_says(run: Runner) -> None:
    caption = "Reciprocal ranks are of the n images whose label is known."
    out = run("score", "fourth.csv", "--truth", "truth.csv").out
    assert "top10" in out
    assert "reciprocal_rank" in out
    assert caption not in out
    # Of one more image people say what it shows, but it has no dataset label.
    write(
        Path(),
        {"people.jsonl": '{"image_id":"more","correct":[1],"wrong":[0]}\n', "more.csv": FILES["fourth.csv"] + MORE},
    )
    assert caption in run("score", "more.csv", "--truth", "truth.csv", "--truth", "people.jsonl").out


def test_participants_are_compared_by_the_metric(run: Runner) -> None:
    words = ("score", "ninth.csv", "fourth.csv", "--truth", "truth.csv", "--against", "ninth", "--format", "csv")
    found = {(row["participant"], row["metric"]): row for row in read_rows(run(*words).out)}
    assert (found["fourth", "top10"]["n_only_participant"], found["fourth", "top5"]["n_only_participant"]) == (
        "0",
        "12",
    )
    assert found["fourth", "top10"]["difference_interval"]
    assert found["fourth", "reciprocal_rank"]["difference"] == ""


def test_two_test_sets_are_compared_by_the_metric_and_a_refusal_names_it(run: Runner) -> None:
    words = (
        "--original-truth",
        "truth.csv",
        "--new-truth",
        "new.csv",
        "--original",
        "fourth.csv",
        "--new",
        "fourth.csv",
    )
    result = run("shift", *words, "--metric", "top10", "--format", "json")
    assert json.loads(result.out)["models"][0]["original"]["n_correct"] == N
    refused = run("shift", *words, "--metric", "top20")
    assert refused.status == 2
    assert "it allows: top1, top5, top10." in refused.err


def test_a_report_has_its_title_its_meaning_and_its_figure(run: Runner, tmp_path: Path, monkeypatch) -> None:
    assert run("init", "study", "--taxonomy", "imagenet-1k").status == 0
    monkeypatch.chdir(tmp_path / "study")
    for words in ("testset add ../truth.csv", "predictions add ../ninth.csv ../fourth.csv", "evaluate", "report"):
        result = run(*words.split())
        assert result.status == 0, result.err
    page = next((tmp_path / "study" / "reports").rglob("*.html")).read_text(encoding="utf-8")
    text = re.sub(r"<[^>]+>", "", page)
    for metric in (TOP_10, RECIPROCAL_RANK):
        assert metric.title in text
        assert metric.meaning in text


def test_the_docs_show_this_very_file_and_how_the_metric_is_documented() -> None:
    page = read("docs/contributing.md")
    assert f"```python\n{(Path(__file__).parent / 'top10.py').read_text(encoding='utf-8')}```" in page
    assert f"    {describe_metric(TOP_10)}" in page
