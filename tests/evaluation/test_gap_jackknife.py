"""The gap by leaving annotators out: exact where accuracy is a line, sane where the counts say little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from tests.evaluation.judged_sets import simulate

from regauge.arrays import BoolArray, FloatArray
from regauge.evaluation.gap_jackknife import make_jackknife
from regauge.evaluation.gap_samples import GapSamples, Material, line_up_sets, take_whole
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet


def make_judged(counts: list[int], shown: list[int] | int, right: BoolArray | None = None) -> JudgedSet:
    n = np.broadcast_to(np.asarray(shown), (len(counts),))
    answers = np.zeros((1, len(counts)), np.bool_) if right is None else right
    return JudgedSet("set", np.arange(len(counts)).astype(str), n, np.asarray(counts), ("model",), answers)


def expect_samples(
    material: Material, *, of_original: FloatArray, of_pool: FloatArray, curve: FloatArray
) -> GapSamples:
    """Tables of an endless study: every count as often as it is expected among proportions in tenths."""
    tenths = np.arange(1, 10) / 10
    chances = [
        binom.pmf(pairs.n_selected, pairs.n_shown, tenths[:, np.newaxis])
        for pairs in (material.original_pairs, material.new_pairs)
    ]
    counts = 1e9 * of_original @ chances[0]
    correct = 1e9 * (of_original * curve) @ chances[0]
    candidates = 1e9 * of_pool @ chances[1]
    # The new set has the counts of the original one.
    return GapSamples(
        counts[np.newaxis],
        correct[np.newaxis, :, np.newaxis],
        counts[np.newaxis],
        np.zeros((1, 1, 1)),
        candidates[np.newaxis],
        *(np.ones((1, len(judged))) for judged in (material.original, material.new)),
    )


@pytest.mark.parametrize(("n_annotators", "share_left"), [(5, 0.1), (10, 0.05), (30, 0.02)])
def test_a_set_matched_by_votes_gets_the_accuracy_of_its_true_frequencies(n_annotators: int, share_left: float):
    all_counts = list(range(n_annotators + 1))
    shown = np.full(n_annotators + 1, n_annotators)
    pool = CandidateCounts(shown, np.array(all_counts))
    material = line_up_sets(make_judged(all_counts, n_annotators), make_judged(all_counts, n_annotators), pool=pool)
    tenths = np.arange(1, 10) / 10
    of_original, of_pool = tenths**3 / (tenths**3).sum(), (1 - tenths) / (1 - tenths).sum()
    curve = 0.1 + 0.7 * tenths
    samples = expect_samples(material, of_original=of_original, of_pool=of_pool, curve=curve)
    # By Bayes' rule in the pool, for every count.
    chances = binom.pmf(all_counts, n_annotators, tenths[:, np.newaxis]) * of_pool[:, np.newaxis]
    truth = samples.new_counts[0] / samples.new_counts.sum() @ (curve @ chances / chances.sum(axis=0))
    naive = of_original @ curve
    found = make_jackknife(material)(samples).accuracies[0, 0]
    assert naive > truth + 0.01
    assert abs(found - truth) < share_left * (naive - truth)


def test_candidates_that_were_not_up_for_choice_do_not_matter(rng: np.random.Generator):
    study = simulate(rng)
    few = CandidateCounts(np.append(study.pool.n_shown, [1, 3]), np.append(study.pool.n_selected, [1, 0]))
    found = []
    for pool in (study.pool, few):
        material = line_up_sets(study.original, study.new, pool=pool)
        found.append(make_jackknife(material)(take_whole(material)).accuracies)
    assert np.array_equal(found[0], found[1])


def test_less_spread_than_chance_does_not_turn_the_curve_round():
    # 4 and 5 of 5 in equal parts spread less than one true frequency of 0.9 would; corrected for chance, nothing is left.
    right = np.array([[True, False] * 50 + [True] * 90 + [False] * 10])
    old, new = make_judged([4] * 100 + [5] * 100, 5, right), replace(make_judged([5] * 100, 5), name="new")
    material = line_up_sets(old, new)
    assert 0.7 < make_jackknife(material)(take_whole(material)).accuracies[0, 0] <= 1


def test_endlessly_many_annotators_take_no_more_room_than_many():
    old, new = make_judged([10**9, 2 * 10**9], 2 * 10**9), replace(make_judged([10**9], 2 * 10**9), name="new")
    pool = CandidateCounts(np.full(2, 2 * 10**9), np.array([10**9, 10**8]))
    material = line_up_sets(old, new, pool=pool)
    assert 0 <= make_jackknife(material)(take_whole(material)).accuracies[0, 0] <= 1


def test_images_that_many_saw_are_corrected_as_well_when_few_saw_others():
    shown = np.repeat([4, 40], [5, 41])
    counts = np.append(np.arange(5), np.arange(41))
    judged = make_judged(counts.tolist(), shown.tolist())
    material = line_up_sets(judged, judged, pool=CandidateCounts(shown, counts))
    tenths = np.arange(1, 10) / 10
    of_original, of_pool = tenths**3 / (tenths**3).sum(), (1 - tenths) ** 2 / ((1 - tenths) ** 2).sum()
    curve = 0.1 + 0.7 * tenths
    samples = expect_samples(material, of_original=of_original, of_pool=of_pool, curve=curve)
    pairs = material.new_pairs
    # Of the candidates that many saw, those that most of them selected; next to none of the others.
    chosen = np.where((pairs.n_shown == 40) & (pairs.n_selected >= 28), samples.prior_counts, 0.0)
    samples = replace(samples, new_counts=chosen + 1e-9)
    chances = binom.pmf(pairs.n_selected, pairs.n_shown, tenths[:, np.newaxis]) * of_pool[:, np.newaxis]
    truth = chosen[0] / chosen.sum() @ (curve @ chances / chances.sum(axis=0))
    naive = chosen[0] / chosen.sum() @ (0.1 + 0.7 * pairs.n_selected / pairs.n_shown)
    found = make_jackknife(material)(samples).accuracies[0, 0]
    assert naive > truth + 0.01
    assert abs(found - truth) < 0.05 * (naive - truth)
