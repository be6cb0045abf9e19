"""Published models by two metrics on one test set: their line, and how far from it participants lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from regauge.arrays import IntArray
from regauge.evaluation.joint_counts import count_joint
from regauge.evaluation.outcomes import Measure, Outcome
from regauge.evaluation.published_lines import measure_distances
from regauge.evaluation.published_standings import stand_scores_beside
from regauge.evaluation.standing_sentences import describe_published
from regauge.records.evaluation.accuracies import ACCURACY_COLUMNS, AccuracyTable, Beside, SetAccuracies
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.evaluation.standings import JointCount, PublishedLine
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.scoring import score

N, N_REAL = 1_000, 900
IDS = np.array([f"i{place:04}" for place in range(N)])
CELLS = (630, 70, 120, 80)
"""Right by both, by top-1 alone, by ReaL alone, by neither; the other hundred images are wrong and have no ReaL label."""


def make_scores(cells: tuple[int, int, int, int] = CELLS, *, name: str = "mine") -> Scores:
    """A participant whose answers both metrics judge so many times alike; each answer is class 0 where top-1 calls it right."""
    answers, truth = make_answers(cells)
    return score(Predictions(name, IDS, answers), truth)


def make_several(n: int) -> Scores:
    """Participants who answer alike."""
    answers, truth = make_answers(CELLS)
    return score([Predictions(f"m{place}", IDS, answers) for place in range(n)], truth)


def make_answers(cells: tuple[int, int, int, int]) -> tuple[IntArray, Truth]:
    flags = ([True, True, False, False, False], [True, False, True, False, False])
    is_first, is_second = (np.repeat(one, [*cells, N - N_REAL]) for one in flags)
    answers = np.where(is_first, 0, 1).astype(np.int32)
    accepted = [[int(answer)] if right else [2] for answer, right in zip(answers, is_second, strict=True)]
    accepted[N_REAL:] = [[] for _ in range(N - N_REAL)]
    real = LabelSet.from_lists("real", IDS, correct=accepted, kind=LabelKind.REAL)
    return answers, Truth(TestSet("val", IDS, np.zeros(N, np.int32)), (real,))


def make_table(*, n_models: int = 20, metrics: tuple[str, ...] = ("top1", "real")) -> AccuracyTable:
    """Published models on the line real = 0.5 · top1 + 0.3."""
    rows = [
        (f"p{place:02}", "val", metric, n, k, k / n)
        for place in range(n_models)
        for metric, n, k in (("top1", N, 500 + 20 * place), ("real", N_REAL, 495 + 9 * place))
        if metric in metrics
    ]
    return AccuracyTable("papers", pl.DataFrame(rows, schema=dict(ACCURACY_COLUMNS), orient="row"))


def make_unjudged() -> Scores:
    """A participant, half of whose answers are in no list of a review that lists wrong classes as well."""
    lists = LabelSet.from_lists("review", IDS, correct=[[0]] * N, wrong=[[2]] * N)
    answers = np.where(np.arange(N) < N // 2, 0, 1).astype(np.int32)
    return score(Predictions("mine", IDS, answers), Truth(TestSet("val", IDS, np.zeros(N, np.int32)), (lists,)))


def rename_metric(table: AccuracyTable) -> AccuracyTable:
    """The published models by a metric that leaves answers unjudged, on as many images as top-1."""
    frame = table.frame.with_columns(
        metric=pl.col("metric").replace("real", "multilabel_strict"),
        n=pl.lit(N, pl.Int64),
        accuracy=pl.col("n_correct") / N,
    )
    return replace(table, frame=frame)


def stand(scores: Scores | None = None, table: AccuracyTable | None = None) -> Scores:
    return stand_scores_beside(scores or make_scores(), table or make_table(), Beside("papers"))


def get_line(scores: Scores) -> PublishedLine:
    assert scores.published is not None
    (line,) = scores.published.lines
    return line


def tell(scores: Scores) -> str:
    assert scores.published is not None
    return "\n".join(describe_published(scores.published, level=0.95))


def test_the_distance_from_the_line_is_what_arithmetic_gives() -> None:
    line = get_line(stand())
    assert line.metrics == ("top1", "real")
    assert line.fit.slope.value == pytest.approx(0.5)
    assert line.fit.offset.value == pytest.approx(0.3)
    # 750 of 900 are right by ReaL, and 700 of 1,000 by top-1: 0.8333 − (0.5 · 0.7 + 0.3) = 0.1833.
    distance = line.residuals[0].distance
    assert distance.value == pytest.approx(750 / 900 - 0.65)
    assert (distance.n, line.baseline.n_bootstrap) == (N_REAL, 2_000)
    assert line.joint[0].cells == CELLS


def test_the_limits_hold_the_covariance_of_both_accuracies() -> None:
    # Of the participant: Var(y) = 0.8333 · 0.1667 / 900 = 1.543e-4, Var(x) = 900 · 0.7778 · 0.2222 / 1000² = 1.556e-4, and
    # Cov = (630 / 900 − 0.7778 · 0.8333) / 1000 = 5.185e-5; so Var(y − 0.5 x) = 1.543e-4 + 0.25 · 1.556e-4 − 5.185e-5 = 1.413e-4.
    # The line adds about 2 / 20 of what one of its models has, 0.65 · 0.35 / 900 + 0.25 · 0.21 / 1000 = 3.05e-4.
    distance = get_line(stand()).residuals[0].distance
    assert distance.high - distance.low == pytest.approx(2 * 1.96 * np.sqrt(1.413e-4 + 3.05e-5), rel=0.08)


def test_answers_that_both_metrics_judge_alike_have_a_narrower_interval_than_two_test_sets_would() -> None:
    table, settings = make_table(), ShiftSettings(n_bootstrap=2_000)
    rows = [
        table.frame.filter(pl.col("metric") == metric).select("n_correct", "n").to_numpy()
        for metric in ("top1", "real")
    ]
    names = tuple(f"p{place}" for place in range(20))
    found = [SetAccuracies(name, names, {"top1": side}) for name, side in zip("ab", rows, strict=True)]
    own = [np.array([[700, N]]), np.array([[750, N_REAL]])]

    def measure(cells: tuple[int, int, int, int] | None) -> float:
        joint = None if cells is None else np.array([cells])
        _, low, high = measure_distances(own, found, settings=settings, joint=joint).columns
        return float(high[0] - low[0])

    # Judged alike wherever that is possible; as they are; and as if the metrics were of two test sets.
    assert measure((700, 0, 50, 150)) < measure(CELLS) < measure(None)


def test_a_participant_on_the_line_cannot_be_told_apart_from_it() -> None:
    # 585 of 900 is 0.65, the height of the line at 0.7.
    on_line = stand(make_scores((500, 200, 85, 115)))
    assert get_line(on_line).residuals[0].distance.value == pytest.approx(0)
    expected = (
        "points from the linear fit of real against top1 through the 20 models of papers on val: it cannot be told"
    )
    assert expected in tell(on_line)


def test_sentences_say_which_side_and_how_many_published_models_lie_as_far() -> None:
    above = tell(stand())
    assert "mine is +18.3 [" in above
    assert (
        "more accurate by real than the line predicts from its top1; none of these models lies as far above it."
        in above
    )
    assert "effective robustness" not in above
    below = tell(stand(make_scores((400, 300, 50, 150))))
    assert (
        "less accurate by real than the line predicts from its top1; none of these models lies as far below it."
        in below
    )
    far = make_table().frame.with_columns(
        n_correct=pl.when((pl.col("model") == "p05") & (pl.col("metric") == "real"))
        .then(pl.lit(880))
        .otherwise("n_correct")
    )
    assert "1 of these models lies at least as far above it." in tell(stand(table=replace(make_table(), frame=far)))


def test_rows_have_the_distance_beside_the_second_metric() -> None:
    frame = stand().to_frame()
    row = frame.filter(metric="real").row(0, named=True)
    assert row["beside_residual"] == pytest.approx(750 / 900 - 0.65)
    assert row["beside_residual_low"] < row["beside_residual"] < row["beside_residual_high"]
    assert frame.filter(metric="top1")["beside_residual"].to_list() == [None]


def test_with_one_metric_in_common_a_note_says_why_there_is_no_line() -> None:
    found = stand(table=make_table(metrics=("top1",)))
    assert found.published is not None
    assert found.published.lines == ()
    assert [one.metric for one in found.published.standings] == ["top1"]
    note = "these scores and every model of papers on val have only top1 in common."
    assert sum(one.endswith(note) for one in found.notes) == 1
    other = stand(table=make_table(metrics=("real",)))
    assert any(
        "it takes top1 and a second accuracy" in one and "have only real in common" in one for one in other.notes
    )
    assert found.to_frame()["beside_residual"].to_list() == [None] * len(found)


def test_a_metric_that_some_published_model_lacks_is_not_in_common() -> None:
    table = make_table()
    found = stand(table=replace(table, frame=table.frame[:-1]))
    assert any("every model of papers on val have only top1 in common" in note for note in found.notes)


@pytest.mark.parametrize("n_models", [1, 2])
def test_one_or_two_published_models_have_no_line(n_models: int) -> None:
    found = stand(table=make_table(n_models=n_models))
    assert found.published is not None
    assert found.published.lines == ()
    assert any(note.startswith("There is no line through ") and "at least 3 models" in note for note in found.notes)


def test_few_published_models_and_equal_names_are_told() -> None:
    few = stand(table=make_table(n_models=4))
    assert any("resampling the 4 models of papers, which are too few" in note for note in few.notes)
    same = stand(make_scores(name="p03"))
    assert any(note.startswith("p03 is also the name of a model of papers") for note in same.notes)
    assert not any("too few" in note or "is also the name" in note for note in stand().notes)


def test_joint_counts_leave_out_images_that_one_metric_leaves_out() -> None:
    right, wrong, unjudged, out = Outcome.RIGHT, Outcome.WRONG, Outcome.UNJUDGED, Outcome.NOT_COUNTED
    first = np.array([right, right, wrong, wrong, right, out, right], np.int8)
    second = np.array([right, wrong, right, wrong, unjudged, right, out], np.int8)
    judged = [
        (Measure(metric, labels, 1, lambda _: first), outcomes)
        for metric, labels, outcomes in (("top1", "dataset", first), ("real", "lists", second))
    ]
    # Both right; top-1 alone, an unjudged answer among them; ReaL alone; neither.
    assert list(count_joint("mine", judged)) == [JointCount("mine", ("top1", "real"), ("dataset", "lists"), 1, 2, 1, 1)]
    assert list(count_joint("mine", judged[1:])) == []


def test_scores_have_joint_counts_that_add_up_to_their_own() -> None:
    scores = make_scores()
    (joint,) = scores.joint
    assert joint.both + joint.only_second == scores.get("mine", "real").n_correct
    assert joint.both + joint.only_first == scores.get("mine", "top1").n_correct
    assert joint.n == scores.get("mine", "real").n


def test_unjudged_answers_count_as_wrong_and_a_note_says_so() -> None:
    found = stand(make_unjudged(), rename_metric(make_table()))
    assert get_line(found).metrics == ("top1", "multilabel_strict")
    notes = [
        note
        for note in found.notes
        if note.startswith("mine: 500 of 1,000 predictions are unjudged under multilabel_str")
    ]
    assert len(notes) == 1
    assert not any("unjudged" in note for note in stand().notes)
