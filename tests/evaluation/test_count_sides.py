"""Sides of which only counts are known: the same gaps and lines as with predictions, and no more than counts allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation.sides import QUICK, compare, count_side

from regauge.errors import InputError
from regauge.evaluation.count_sides import choose_set, make_count_side, nest_scores
from regauge.evaluation.shifts import compare_sides
from regauge.records.evaluation.accuracies import ACCURACY_COLUMNS, AccuracyTable, SetAccuracies
from regauge.records.evaluation.fits import Resample
from regauge.records.evaluation.shifts import Shift, ShiftSettings

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}


def make_accuracies(name: str, n: int, n_correct: dict[str, int]) -> SetAccuracies:
    return SetAccuracies(name, tuple(n_correct), {"top1": np.array([(k, n) for k in n_correct.values()], np.int64)})


def compare_counts(settings: ShiftSettings = QUICK) -> Shift:
    sets = make_accuracies("old", 200, OLD), make_accuracies("fresh", 100, FRESH)
    return compare_sides(*(make_count_side(one, settings=settings) for one in sets), settings=settings)


def make_table(*rows: tuple[Any, ...]) -> AccuracyTable:
    return AccuracyTable("table", pl.DataFrame(rows, schema=dict(ACCURACY_COLUMNS), orient="row"))


def test_gaps_ranks_and_redrawn_models_are_those_of_predictions() -> None:
    found, known = compare_counts(), compare(OLD, FRESH, (200, 100))
    assert found.models == known.models
    assert [(fit.slope, fit.offset) for fit in found.fits] == [(fit.slope, fit.offset) for fit in known.fits]
    assert found.only_counts == ("old", "fresh")
    assert known.only_counts == ()
    assert any(note.startswith("Of old and fresh only counts of right answers are known") for note in found.notes)


def test_a_side_with_predictions_may_meet_one_with_counts() -> None:
    counts = make_count_side(make_accuracies("fresh", 100, FRESH), settings=QUICK)
    found = compare_sides(count_side("old", 200, OLD), counts, settings=QUICK)
    assert found.only_counts == ("fresh",)
    assert [one.gap for one in found.models] == [one.gap for one in compare_counts().models]
    assert any(note.startswith("Of fresh only counts") for note in found.notes)


def test_the_mean_change_has_the_limits_of_nested_answers() -> None:
    # The models of `count_side` are right on the first images, so that whatever one gets right every better one does too.
    assert compare_counts().mean_changes == compare(OLD, FRESH, (200, 100)).mean_changes


@given(st.lists(st.integers(0, 30), min_size=1, max_size=6), st.integers(0, 1_000))
def test_no_answers_with_these_counts_vary_more_than_nested_ones(counts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    answers = np.stack([rng.permutation(np.arange(30) < k) for k in counts])
    nested = nest_scores(np.array([(k, 30) for k in counts]))
    assert nested.mean() == pytest.approx(np.mean(counts) / 30)
    assert answers.mean(axis=0).var() <= nested.var() + 1e-12


def test_effective_robustness_draws_the_answers_of_each_model_by_themselves() -> None:
    found = compare_counts(ShiftSettings(n_bootstrap=500, baseline=("alpha", "beta", "gamma", "delta")))
    known = compare(OLD, FRESH, (200, 100), n_bootstrap=500, baseline=("*",))
    for one, other in zip(found.models, known.models, strict=True):
        assert one.effective_robustness is not None
        assert other.effective_robustness is not None
        assert one.effective_robustness.value == pytest.approx(other.effective_robustness.value)
        assert one.effective_robustness.low < one.effective_robustness.value < one.effective_robustness.high


def test_what_needs_images_is_refused() -> None:
    with pytest.raises(
        InputError, match="Redrawing images needs to know which images a model gets right, and of old only"
    ):
        compare_counts(ShiftSettings(resample=Resample.IMAGES))
    with pytest.raises(InputError, match="top1_balanced is a mean over classes, and old has accuracies only"):
        compare_counts(ShiftSettings(metric="top1_balanced"))


def test_a_model_on_one_side_only_is_named() -> None:
    sides = [
        make_count_side(make_accuracies(name, 10, counts), settings=QUICK)
        for name, counts in (("old", {"a": 1, "b": 2}), ("fresh", {"a": 1}))
    ]
    with pytest.raises(InputError, match="b has an accuracy on old but not on fresh"):
        compare_sides(*sides, settings=QUICK)


def test_a_set_is_chosen_by_name_and_metrics_that_a_model_lacks_are_left_out() -> None:
    table = make_table(
        ("a", "old", "top1", 10, 7, 0.7), ("b", "old", "top1", 10, 6, 0.6), ("a", "old", "top5", 10, 9, 0.9),
        ("a", "new", "top1", 5, 2, 0.4),
    )  # fmt: skip
    chosen = choose_set(table, "old")
    assert chosen.models == ("a", "b")
    assert {metric: rows.tolist() for metric, rows in chosen.counts.items()} == {"top1": [[7, 10], [6, 10]]}
    with pytest.raises(InputError, match="table has several sets: old, new; say which one is meant"):
        choose_set(table)


def test_sizes_fill_what_a_table_does_not_tell() -> None:
    table = make_table(("a", "old", "top1", None, None, 0.7004))
    assert choose_set(table, sizes={"top1": 1_000}).counts["top1"].tolist() == [[700, 1_000]]
    with pytest.raises(
        InputError, match="old does not tell for all models on how many images they were counted: add a column n"
    ):
        make_count_side(choose_set(table), settings=QUICK)


def test_models_that_were_counted_on_different_numbers_of_images_are_refused() -> None:
    table = make_table(("a", "old", "top1", 10, 7, 0.7), ("b", "old", "top1", 9, 6, 2 / 3))
    with pytest.raises(InputError, match="models were counted on 10 and on 9 images of old under top1"):
        choose_set(table)
