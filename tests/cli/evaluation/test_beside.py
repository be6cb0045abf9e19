"""Tables of accuracies and published models on the command line, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_runner import Result, Runner, make_runner, read_rows, write

import regauge

N_OLD, N_FRESH = 200, 100
PLACES = range(12)
PAPERS = "model,set,n,n_correct\n" + "".join(
    f"p{place},{name},{n},{k}\n"
    for place in PLACES
    for name, n, k in (("old", N_OLD, 100 + 8 * place), ("fresh", N_FRESH, 40 + 4 * place))
)
OLD = "model,accuracy,n\n" + "".join(f"m{place},{0.5 + place / 20},{N_OLD}\n" for place in range(6))
FRESH = "model,top1,top1_err\n" + "".join(f"m{place},{40 + 5 * place},{60 - 5 * place}\n" for place in range(6))
TRUTH = "image_id,label\n" + "".join(f"old{row},0\n" for row in range(N_OLD))
FRESH_TRUTH = "image_id,label\n" + "".join(f"fresh{row},0\n" for row in range(N_FRESH))
MINE = "image_id,class\n" + "".join(f"old{row},{int(row >= 141)}\n" for row in range(N_OLD))
MINE_FRESH = "image_id,class\n" + "".join(f"fresh{row},{int(row >= 61)}\n" for row in range(N_FRESH))
FILES = {
    "papers.csv": PAPERS,
    "old-accuracies.csv": OLD,
    "fresh-accuracies.csv": FRESH,
    "old.csv": TRUTH,
    "fresh.csv": FRESH_TRUTH,
    "old/mine.csv": MINE,
    "fresh/mine.csv": MINE_FRESH,
}
TABLES = ("--original", "old-accuracies.csv", "--new", "fresh-accuracies.csv", "--new-n", "100", "--n-bootstrap", "200")
SETS = ("--original-truth", "old.csv", "--original", "old", "--new-truth", "fresh.csv", "--new", "fresh")
BESIDE = (*SETS, "--n-bootstrap", "200", "--beside", "papers.csv")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)
    return make_runner(monkeypatch, capsys)


def read_json(result: Result) -> dict[str, Any]:
    assert result.status == 0, result.err
    content: dict[str, Any] = json.loads(result.out, parse_constant=pytest.fail)
    return content


# Accuracies without predictions


def test_two_tables_of_accuracies_are_compared(run: Runner) -> None:
    result = run("shift", *TABLES)
    assert result.status == 0, result.err
    assert "75.0% [68.4, 80.8]" in result.out
    assert "answers resampled as if all models erred on the same images" in result.out
    assert "Note: old-accuracies.csv: accuracy read as fractions, from 50.0% to 75.0%" in result.err
    assert "Note: fresh-accuracies.csv: top1 read as percentages, from 40.0% to 65.0%" in result.err
    assert "Of old-accuracies and fresh-accuracies only counts of right answers are known" in result.err


def test_the_output_for_programs_names_the_sets_of_which_only_counts_are_known(run: Runner) -> None:
    content = read_json(run("shift", *TABLES, "--format", "json", "--baseline", "*"))
    assert content["only_counts"] == ["old-accuracies", "fresh-accuracies"]
    assert content["models"][0]["original"]["n_correct"] == 150
    assert "beside" not in content
    table = run("shift", *TABLES, "--baseline", "*").out
    assert "each model's right answers, binomial and by themselves" in " ".join(table.split())


def test_one_side_may_have_predictions(run: Runner) -> None:
    sides = ("--original-truth", "old.csv", "--original", "old", "--new", "mine.csv", "--n-bootstrap", "200")
    Path("mine.csv").write_text("model,n,n_correct\nmine,100,61\n", encoding="utf-8")
    content = read_json(run("shift", *sides, "--format", "json"))
    assert content["only_counts"] == ["mine"]
    assert content["models"][0]["gap"] == pytest.approx(0.705 - 0.61)


def test_one_table_may_hold_both_sets(run: Runner) -> None:
    both = ("--original", "papers.csv", "--original-set", "old", "--new", "papers.csv", "--new-set", "fresh")
    assert len(read_json(run("shift", *both, "--n-bootstrap", "200", "--format", "json"))["models"]) == 12


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            (*TABLES, "--columns", "image_id=x"),
            "--columns and --synsets are for predictions and truths; both sets are tables",
        ),
        (
            TABLES[:4],
            "counted: add a column n, or give the number by --original-n or --new-n",
        ),
        ((*TABLES, "--original-n", "200"), "the file tells n in a column of its own; leave the other n, 200, out"),
        ((*TABLES, "--resample", "images"), "Redrawing images needs to know which images a model gets right"),
        ((*TABLES, "--by-class"), "Changes class by class need predictions and a truth of both sets"),
        ((*TABLES, "--metric", "top1_balanced"), "top1_balanced is a mean over classes"),
        ((*TABLES, "--beside-except", "p1"), "--beside-except is of use only with --beside"),
        (
            ("--original", "old", "--new", "fresh"),
            "Without --original-truth, --original is a table of accuracies. old: this is",
        ),
        (
            ("--original", "papers.csv", "--new", "papers.csv"),
            "papers has several sets: old, fresh; say which one is meant",
        ),
        ((*SETS, "--new-n", "100"), "--new-n is for tables of accuracies, which need no --new-truth"),
        ((*SETS, "--beside", "recht2109"), "no packaged table of accuracies 'recht2109' (did you mean 'recht2019'?)"),
        (
            (*SETS, "--beside", "recht2019"),
            "none has as many images (200). Say which by --beside-original: val, ",
        ),
        (
            (*SETS, "--beside", "papers.csv", "--beside-new", "old"),
            "old of papers has 200 images under top1, and fresh has 100",
        ),
        ((*SETS, "--beside", "old.csv"), "a table of accuracies (model,n,n_correct or"),
        (
            (*SETS, "--beside", "papers.csv", "--beside", "papers.csv"),
            "Two tables of accuracies have 'p0' with top1 on old",
        ),
    ],
)
def test_what_does_not_hold_together_is_refused_in_a_sentence(run: Runner, arguments: Any, problem: str) -> None:
    result = run("shift", *arguments)
    assert result.status == 2
    assert problem in result.err
    assert "Traceback" not in result.err


# Published models beside one's own


def test_a_comparison_says_where_a_model_stands_and_draws_the_others_grey(run: Runner) -> None:
    result = run("shift", *BESIDE, "--figure", "beside.svg")
    assert result.status == 0, result.err
    said = " ".join(result.out.split())
    assert "mine ranks 7 of 13 by top1 on old, among the 12 models of papers and itself" in said
    assert "mine is +0.5 [" in said
    assert "Limits of distances come from 200 bootstrap samples" in said
    assert "old and fresh are taken to be old and fresh of papers: counts can only show" in result.err
    figure = Path("beside.svg").read_text(encoding="utf-8")
    assert "Grey: 12 models of papers with their fit, by counts of right answers." in figure


def test_programs_get_the_standings_the_line_and_the_distances(run: Runner) -> None:
    content = read_json(run("shift", *BESIDE, "--format", "json"))["beside"]
    assert (content["source"], content["original"], content["new"]) == ("papers", "old", "fresh")
    assert [(one["set"], one["rank"], one["n_published"]) for one in content["standings"]] == [
        ("old", 7, 12),
        ("fresh", 7, 12),
    ]
    # The published models lie on new = original − 0.1, and 0.61 − (0.705 − 0.1) = 0.005.
    assert content["residuals"][0]["residual"] == pytest.approx(0.005)
    assert content["fits"][0]["slope"] == pytest.approx(1)
    assert len(content["models"]) == 12
    assert content["n_bootstrap"] == 200
    assert len(content["sentences"]) == 5
    row = read_rows(run("shift", *BESIDE, "--format", "csv").out)[0]
    assert row["beside_rank_original"] == "7"
    assert float(row["beside_residual_low"]) < 0.005 < float(row["beside_residual_high"])


def test_scores_have_ranks_too(run: Runner) -> None:
    words = ("score", "old/mine.csv", "--truth", "old.csv", "--beside", "papers.csv")
    result = run(*words)
    assert "mine ranks 7 of 13 by top1 on old, among the 12 models of papers and itself" in " ".join(result.out.split())
    content = read_json(run(*words, "--format", "json"))["beside"]
    assert content["set"] == "old"
    assert content["standings"][0]["rank"] == 7
    rows = read_rows(run(*words, "--format", "csv").out)
    assert [row["beside_rank"] for row in rows if row["metric"] == "top1"] == ["7"]


def test_published_models_stand_below_the_scores_in_a_figure(run: Runner) -> None:
    words = ("score", "old/mine.csv", "--truth", "old.csv", "--figure", "scores.svg")
    assert run(*words, "--beside", "papers.csv").status == 0
    assert "12 models of papers" in Path("scores.svg").read_text(encoding="utf-8")
    assert run(*words).status == 0
    assert "models of papers" not in Path("scores.svg").read_text(encoding="utf-8")


def test_scores_without_published_models_have_no_columns_of_them(run: Runner) -> None:
    result = run("score", "old/mine.csv", "--truth", "old.csv", "--format", "csv")
    assert "beside" not in result.out


def test_options_of_published_models_need_them(run: Runner) -> None:
    result = run("score", "old/mine.csv", "--truth", "old.csv", "--beside-set", "old")
    assert result.status == 2
    assert "--beside-set is of use only with --beside" in result.err


def test_python_does_the_same(run: Runner) -> None:
    answers = regauge.TestSetAnswers("old", "old.csv"), regauge.TestSetAnswers("fresh", "fresh.csv")
    settings = regauge.ShiftSettings(n_bootstrap=200)
    found = regauge.shift(*answers, settings=settings, beside="papers.csv")
    assert found.published is not None
    expected = read_json(run("shift", *BESIDE, "--format", "json"))["beside"]["residuals"][0]
    assert found.published.residuals[0].to_dict() == expected
    tables = regauge.load_accuracies("old-accuracies.csv"), regauge.load_accuracies("fresh-accuracies.csv", n=100)
    assert regauge.shift(*tables, settings=settings).only_counts == ("old-accuracies", "fresh-accuracies")
    scores = regauge.score("old", "old.csv", beside=regauge.Beside("papers.csv", original_set="old"))
    assert scores.published is not None


def test_the_line_of_the_packaged_models_is_the_one_that_the_paper_prints(run: Runner) -> None:
    Path("val.csv").write_text("model,n,n_correct\nmy-model,50000,38065\n", encoding="utf-8")
    Path("v2.csv").write_text("model,n,n_correct\nmy-model,10000,6333\n", encoding="utf-8")
    words = (
        "shift",
        "--original",
        "val.csv",
        "--new",
        "v2.csv",
        "--beside",
        "recht2019",
        "--beside-new",
        "matched-frequency",
    )
    content = read_json(run(*words, "--beside-except", "fv_*", "--format", "json", "--n-bootstrap", "1000"))["beside"]
    fit = content["fits"][0]
    # As the paper prints it: 1.11 and −20.2 points.
    assert (fit["n_models"], round(fit["slope"], 2)) == (64, 1.11)
    assert fit["offset"] == pytest.approx(-0.202, abs=0.001)
    residual = content["residuals"][0]
    assert residual["residual"] == pytest.approx(0.6333 - (fit["slope"] * 0.7613 + fit["offset"]))


def name_lists(n_accepted: int) -> str:
    """ReaL labels of the old set: of the first images the class 0, of the others none that anybody answers."""
    return json.dumps({f"old{row}": [0 if row < n_accepted else 5] for row in range(N_OLD)})


def list_both_metrics() -> str:
    """The papers by two metrics; they lie on real = top1 + 0.05."""
    rows = [(name, int(right)) for name, which, right in read_papers() if which == "old"]
    metrics = [
        f"{name},old,{metric},{N_OLD},{k + more}\n" for name, k in rows for metric, more in (("top1", 0), ("real", 10))
    ]
    return "model,set,metric,n,n_correct\n" + "".join(metrics)


def read_papers() -> list[tuple[str, str, str]]:
    """Model, set and right answers of every row."""
    return [(row["model"], row["set"], row["n_correct"]) for row in read_rows(PAPERS)]


@pytest.fixture
def by_both(run: Runner) -> tuple[str, ...]:
    """The words of a score by two metrics beside papers that have both."""
    write(Path(), {"real.json": name_lists(160), "both.csv": list_both_metrics()})
    return ("score", "old/mine.csv", "--truth", "old.csv", "--truth", "real.json", "--beside", "both.csv")


def test_scores_by_two_metrics_have_a_distance_from_the_line_of_published_models(
    run: Runner, by_both: tuple[str, ...]
) -> None:
    result = run(*by_both)
    assert result.status == 0, result.err
    said = " ".join(result.out.split())
    # 141 of 200 are right by both metrics; the line is at 0.705 + 0.05.
    assert "mine is −5.0 [" in said
    assert (
        "points from the linear fit of real against top1 through the 12 models of both on old: less accurate by real"
        in said
    )
    assert "a participant's answers, counted as right by both metrics, by one or by neither" in said
    content = read_json(run(*by_both, "--format", "json"))["beside"]
    (line,) = content["lines"]
    assert (line["metric"], line["against"], line["scale"]) == ("real", "top1", "linear")
    assert (line["n_models"], line["n_bootstrap"]) == (12, 2_000)
    assert (line["slope"], line["offset"]) == (pytest.approx(1), pytest.approx(0.05))
    (residual,) = line["residuals"]
    assert residual["residual"] == pytest.approx(-0.05)
    names = ("n_both_counted", "n_both_right", "n_only_against", "n_only_metric", "n_neither")
    assert [residual[name] for name in names] == [200, 141, 0, 0, 59]
    rows = {row["metric"]: row for row in read_rows(run(*by_both, "--format", "csv").out)}
    assert float(rows["real"]["beside_residual"]) == pytest.approx(-0.05)
    assert rows["top1"]["beside_residual"] == ""


def test_the_figure_of_scores_beside_a_line_shows_it(run: Runner, by_both: tuple[str, ...]) -> None:
    assert run(*by_both, "--figure", "line.svg").status == 0
    figure = Path("line.svg").read_text(encoding="utf-8")
    assert "ReaL against Top-1 on old" in figure
    assert "12 models of both with their linear fit, by counts" in figure
    assert "points from the line" in figure


def test_scores_with_one_metric_in_common_say_why_there_is_no_line(run: Runner, by_both: tuple[str, ...]) -> None:
    result = run(*by_both[:-1], "papers.csv")
    assert result.status == 0, result.err
    assert "scores and every model of papers on old have only top1 in common" in " ".join(result.err.split())
    assert "points from" not in result.out
    assert read_json(run(*by_both[:-1], "papers.csv", "--format", "json"))["beside"]["lines"] == []


def test_two_published_models_have_no_line(run: Runner, by_both: tuple[str, ...]) -> None:
    result = run(*by_both, *(word for place in range(2, 12) for word in ("--beside-except", f"p{place}")))
    assert result.status == 0, result.err
    assert "There is no line through 2 models of both, so nobody has a distance from it" in result.err
    assert "among the 2 models of both and itself" in " ".join(result.out.split())


def test_python_has_the_lines_and_draws_them(run: Runner, by_both: tuple[str, ...]) -> None:
    scores = regauge.score("old", ["old.csv", "real.json"], beside="both.csv")
    assert scores.published is not None
    assert [line.metrics for line in scores.published.lines] == [("top1", "real")]
    assert scores.to_frame().filter(metric="real")["beside_residual"][0] == pytest.approx(-0.05)
    assert regauge.plot_beside(scores).to_dict()["title"]["text"] == "ReaL against Top-1 on old"
    with pytest.raises(regauge.InputError, match="no line through published models of top5 to draw; there are: real"):
        regauge.plot_beside(scores, metric="top5")
    alone = regauge.score("old", ["old.csv", "real.json"])
    with pytest.raises(regauge.InputError, match="no line through published models to draw; there are: none"):
        regauge.plot_beside(alone)
