"""Scores: settings that make no sense are refused, one score can be picked, and the rest can be read."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

from regauge.errors import InputError
from regauge.records.evaluation.scores import SCORE_COLUMNS, Score, Scores, ScoreSettings


def make_row(**changes: Any) -> dict[str, Any]:
    return {
        "participant": "model",
        "test_set": "tiny",
        "labels": "dataset",
        "metric": "top1",
        "subset": "all",
        "n": 1000,
        "n_correct": 750,
        "value": 0.75,
        "low": 0.722,
        "high": 0.7768,
        "interval": "clopper-pearson",
        "lower_bound": 0.75,
        "upper_bound": 0.75,
        "n_unjudged": 0,
        "remark": None,
    } | changes


def make_scores(*rows: dict[str, Any], **options: Any) -> Scores:
    return Scores(pl.DataFrame(list(rows), schema=dict(SCORE_COLUMNS)), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "A confidence level lies strictly between 0 and 1, such as 0.95, not 95."),
        ({"n_bootstrap": 99}, "A bootstrap interval takes 100 to 1,000,000 resamples, not 99."),
        ({"n_bootstrap": 10**9}, "A bootstrap interval takes 100 to 1,000,000 resamples, not 1,000,000,000."),
        ({"seed": -1}, "A seed is a whole number from 0 up, not -1."),
    ],
)
def test_settings_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        ScoreSettings(**options)


def test_settings_at_the_edge_are_taken() -> None:
    assert ScoreSettings(n_bootstrap=100, seed=0).n_bootstrap == 100


def test_a_score_reads_as_a_sentence() -> None:
    assert str(Score.from_row(make_row())) == "model, top1: 75.0% [72.2, 77.7] (n = 1,000)"
    empty = make_row(n=0, n_correct=0, value=None, low=None, high=None, interval=None)
    assert str(Score.from_row(empty)) == "model, top1: – (n = 0)"


def test_rows_come_back_one_by_one_as_they_were_put_in() -> None:
    rows = [make_row(), make_row(metric="top5", value=None, low=None, high=None)]
    scores = make_scores(*rows)
    assert list(scores) == [Score.from_row(row) for row in rows]
    assert len(scores) == 2
    assert scores.to_frame().to_dicts() == rows


def test_a_column_of_a_comparison_does_not_disturb_the_rows() -> None:
    frame = make_scores(make_row()).to_frame().with_columns(against=pl.lit("other"))
    assert list(Scores(frame)) == [Score.from_row(make_row())]


def test_one_score_is_picked_by_participant_metric_subset_and_labels() -> None:
    scores = make_scores(
        make_row(),
        make_row(subset="dogs", n=10),
        make_row(metric="real", labels="first", n=20),
        make_row(metric="real", labels="second", n=30),
    )
    assert scores.get("model", "top1").n == 1000
    assert scores.get("model", "top1", subset="dogs").n == 10
    assert scores.get("model", "real", labels="second").n == 30


@pytest.mark.parametrize(
    ("participant", "metric", "options", "message"),
    [
        (
            "other",
            "top1",
            {},
            "There are 0 scores with participant 'other', metric 'top1', subset 'all'; exactly one was asked for.",
        ),
        (
            "model",
            "real",
            {},
            "There are 2 scores with participant 'model', metric 'real', subset 'all'; exactly one was asked for.",
        ),
        (
            "model",
            "real",
            {"labels": "x"},
            "There are 0 scores with participant 'model', metric 'real', subset 'all', labels 'x'; exactly one was asked for.",
        ),
    ],
)
def test_asking_for_none_or_for_several_scores_is_refused(
    participant: str, metric: str, options: dict[str, str], message: str
) -> None:
    scores = make_scores(make_row(metric="real", labels="first"), make_row(metric="real", labels="second"))
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        scores.get(participant, metric, **options)


def test_scores_show_their_level_their_subsets_and_their_warnings() -> None:
    scores = make_scores(
        make_row(), make_row(subset="dogs"), settings=ScoreSettings(level=0.9), warnings=("model looks odd.",)
    )
    assert repr(scores).split("\n") == [
        "<Scores: 2 rows, 90% intervals>",
        "  model, top1: 75.0% [72.2, 77.7] (n = 1,000)",
        "  model, top1: 75.0% [72.2, 77.7] (n = 1,000) on dogs",
        "  warning: model looks odd.",
    ]


def test_a_long_table_is_cut_short_and_says_so() -> None:
    lines = repr(make_scores(*(make_row(participant=f"model {i}") for i in range(15)))).split("\n")
    assert len(lines) == 14
    assert lines[-2].startswith("  model 11,")
    assert lines[-1] == "  … and 3 more; see .to_frame()"
