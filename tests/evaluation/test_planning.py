"""Simulated studies: drawn as real ones are, and as precise as they would be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from regauge.evaluation.planning import (
    Simulator,
    fill_rows,
    find_intercept,
    fit_slope,
    measure_adjusted,
    plan_points,
    scale_rows,
)
from regauge.records.evaluation.gaps import GapMethod
from regauge.records.evaluation.planning import FrequencySpread, PlanSettings, StudyDesign
from regauge.records.testsets.sampling import PoolCandidates, SamplingPlan
from regauge.testsets.quotas import scale_counts
from regauge.testsets.sampling import Original, sample

DESIGN = StudyDesign(n_classes=20, original_per_class=20, n_candidates=40)
TINY = PlanSettings(annotators=(5,), per_class=(10,), n_studies=4, target=0.2)


@given(st.lists(st.lists(st.integers(0, 30), min_size=5, max_size=5), min_size=1, max_size=4), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_rows_are_scaled_as_single_histograms_are(rows, total):
    histograms = np.array(rows, np.int64)
    histograms[:, 4] += 1
    assert scale_rows(histograms, total).tolist() == [scale_counts(row, total).tolist() for row in histograms]


@given(
    st.lists(st.integers(0, 12), min_size=5, max_size=5),
    st.lists(st.integers(0, 12), min_size=5, max_size=5),
    st.integers(1, 12),
)
@settings(max_examples=60, deadline=None)
def test_bins_are_filled_as_a_draw_fills_them(histogram, members, per_class):
    """The draw itself is the oracle: candidates with 5 votes whose share lies in the middle of each bin."""
    histogram[4] += 1
    members[4] += 1
    bins = np.repeat(np.arange(5), members)
    ids = np.array([f"i{number}" for number in range(bins.size)])
    blank = np.full(bins.size, "")
    pool = PoolCandidates(ids, np.zeros(bins.size, np.int32), np.full(bins.size, 10), 2 * bins, blank, blank)
    plan = SamplingPlan(per_class=per_class, min_original=1)
    made = sample(pool, plan, original=Original({0: np.array(histogram)}))
    filled = fill_rows(scale_rows(np.array([histogram]), per_class), np.array([members]))
    assert filled.n_taken[0].tolist() == np.bincount(made.n_selected // 2, minlength=5).tolist()
    assert filled.n_upward.sum() == made.is_upward.sum()
    assert filled.n_short[0] == sum(one.n_missing for one in made.shortfalls)


def test_what_a_bin_lacks_comes_from_the_next_higher_one():
    # Three of bin 0 and one of bin 1 are wanted; bin 0 has one, bin 1 two and bin 2 one: 1 + (1 own, 1 stand-in) + 1 stand-in.
    filled = fill_rows(np.array([[3, 1, 0, 0, 0]]), np.array([[1, 2, 1, 0, 0]]))
    assert filled.n_taken.tolist() == [[1, 2, 1, 0, 0]]
    assert filled.n_upward.tolist() == [[0, 1, 1, 0, 0]]
    assert filled.n_short.tolist() == [0]


@pytest.mark.parametrize("slope", [-4.0, 0.0, 6.0])
def test_the_accuracy_on_original_images_is_the_one_expected(slope):
    design = StudyDesign(accuracy=0.6, slope=slope, original=FrequencySpread(2.0, 1.5))
    frequencies = np.random.default_rng(0).beta(2.0, 1.5, 200_000)
    assert expit(find_intercept(design) + slope * frequencies).mean() == pytest.approx(0.6, abs=0.003)


def test_the_slope_comes_back_from_outcomes():
    rng = np.random.default_rng(1)
    frequencies = rng.beta(2, 1, 40_000)
    # The standard error of the slope is about 0.06.
    assert fit_slope(frequencies, rng.random(40_000) < expit(-1 + 2.5 * frequencies)) == pytest.approx(2.5, abs=0.25)


def test_outcomes_that_frequency_tells_apart_give_a_finite_slope():
    assert np.isfinite(fit_slope(np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True])))


def test_a_study_has_as_many_images_as_were_wanted():
    study = Simulator.make(DESIGN, 10).run(10, 40, rng=np.random.default_rng(0))
    assert study.original_selected.size == 400
    assert study.new_selected.size == 200
    assert study.pool_selected.size == 800
    assert study.new_selected.max() <= 10


def test_new_images_have_the_observed_frequencies_of_original_ones():
    study = Simulator.make(replace(DESIGN, n_classes=50, n_candidates=200), 10).run(
        20, 200, rng=np.random.default_rng(0)
    )
    original, new = (
        np.bincount(np.minimum(votes // 2, 4), minlength=5) / votes.size
        for votes in (study.original_selected, study.new_selected)
    )
    assert np.abs(original - new).max() < 0.01


def test_matching_observed_frequencies_leaves_a_bias_that_falls_with_annotators():
    """The candidates are poorer than the original images, so those with equal votes are (Engstrom et al. 2020)."""
    biases = []
    for n in (3, 10, 40):
        simulator, rng = Simulator.make(replace(DESIGN, n_classes=50, n_candidates=100), n), np.random.default_rng(n)
        biases.append(np.mean([simulator.run(10, 60, rng=rng).naive_gap for _ in range(20)]) - DESIGN.gap)
    assert biases[0] > biases[1] > biases[2]
    assert biases[0] > 0.02


def test_half_widths_fall_with_the_root_of_the_number_of_classes():
    """Four times as many classes make half the width; a hundred bootstrap samples and 12 studies leave about 3%."""
    widths = {}
    for n_classes in (12, 48):
        simulator, rng = Simulator.make(replace(DESIGN, n_classes=n_classes), 10), np.random.default_rng(n_classes)
        found = [
            measure_adjusted(simulator.run(10, 40, rng=rng), replace(TINY, method=GapMethod.BETA_BINOMIAL), rng=rng)
            for _ in range(12)
        ]
        widths[n_classes] = np.median(found)
    assert widths[12] / widths[48] == pytest.approx(2.0, rel=0.15)


def test_scaling_brings_half_widths_to_all_classes():
    simulator = Simulator.make(replace(DESIGN, n_classes=5_000), 5)
    # 50 of 5,000 classes: a tenth of the width, and a tenth of its spread around that.
    assert simulator.scale(np.array([0.1, 0.2, 0.3])).tolist() == pytest.approx([0.019, 0.02, 0.021])


def test_the_half_width_is_that_of_the_spread_between_studies():
    """What an interval promises: 95% of studies lie within the half-width of their mean."""
    simulator, rng = Simulator.make(replace(DESIGN, n_classes=50, slope=0.0), 10), np.random.default_rng(5)
    studies = [simulator.run(10, 40, rng=rng) for _ in range(60)]
    raw = np.array([study.original_right.mean() - study.new_right.mean() for study in studies])
    (point,) = plan_points(simulator.design, replace(TINY, annotators=(10,)))
    assert point.raw_half_width == pytest.approx(1.96 * raw.std(ddof=1), rel=0.3)


def test_points_come_by_annotators_and_images_and_depend_on_the_seed_alone():
    tried = replace(TINY, annotators=(4, 8), per_class=(5, 10), n_studies=2)
    first = list(plan_points(DESIGN, tried))
    assert [(one.annotators, one.per_class) for one in first] == [(4, 5), (4, 10), (8, 5), (8, 10)]
    assert first == list(plan_points(DESIGN, tried))
    assert first != list(plan_points(DESIGN, replace(tried, seed=1)))
    assert all(one.n_new == 20 * one.per_class and one.n_original == 400 for one in first)


def test_more_candidates_are_taken_where_few_are_good():
    poor = replace(DESIGN, pool=FrequencySpread(0.3, 2.0), n_candidates=400)
    (rich_point,), (poor_point,) = (list(plan_points(design, TINY)) for design in (DESIGN, poor))
    assert poor_point.candidates > rich_point.candidates
    assert rich_point.share_short <= TINY.max_short


def test_a_pool_that_is_too_small_falls_short():
    (point,) = plan_points(replace(DESIGN, pool=FrequencySpread(0.3, 3.0), n_candidates=12), TINY)
    assert point.candidates == 12
    assert point.share_short > 0.5
