from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from regauge.errors import InputError
from regauge.stats.agreement.coefficients import (
    MAX_CLASS_ALPHAS,
    agreement_limits,
    bootstrap_agreement,
    measure_agreement,
)
from regauge.stats.agreement.tables import AnswerCounts, count_answers
from regauge.stats.intervals import clopper_pearson

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve units, missing data.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def read(table: list[list[int | None]]) -> AnswerCounts:
    votes = [(unit, label) for row in table for unit, label in enumerate(row) if label is not None]
    tasks, labels = zip(*votes, strict=True)
    return count_answers(tasks, labels)


def draw_table(rng: np.random.Generator, *, missing: float, n_labels: int = 4) -> np.ndarray:
    """Answers [annotators, tasks]; −1 where there is none."""
    truth = rng.integers(0, n_labels, 60)
    answers = np.where(rng.random((5, 60)) < 0.6, truth, rng.integers(0, n_labels, (5, 60)))
    answers[rng.random((5, 60)) < missing] = -1
    return answers


def count(answers: np.ndarray, n_labels: int = 4) -> AnswerCounts:
    tasks, who = np.nonzero(answers.T >= 0)
    return count_answers(tasks, answers.T[tasks, who], n_tasks=answers.shape[1], n_labels=n_labels)


def test_both_coefficients_by_hand():
    # Three tasks with two votes: 00, 11, 01. Alpha: N = 6, three votes each; 1 − (6 − 1)·2/(36 − 18) = 4/9.
    # Kappa: two of three pairs agree, chance ½² + ½²: (2/3 − 1/2)/(1/2) = 1/3.
    found = measure_agreement(count_answers([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 0, 1]))
    np.testing.assert_allclose([found.alpha, found.kappa], [4 / 9, 1 / 3])
    np.testing.assert_allclose(found.class_alphas, 4 / 9)


def test_krippendorffs_own_example_with_missing_data():
    # Printed there for nominal data: 0.743.
    assert round(float(measure_agreement(read(KRIPPENDORFF)).alpha), 3) == 0.743


@pytest.mark.parametrize("missing", [0, 0.3, 0.7])
def test_alpha_is_that_of_the_package_krippendorff(rng, missing):
    for _ in range(5):
        answers = draw_table(rng, missing=missing)
        expected = krippendorff.alpha(np.where(answers < 0, np.nan, answers), level_of_measurement="nominal")
        np.testing.assert_allclose(measure_agreement(count(answers)).alpha, expected)


def test_alpha_of_a_label_is_that_of_the_label_against_the_rest(rng):
    answers = draw_table(rng, missing=0.3)
    found = measure_agreement(count(answers))
    for label in range(4):
        binary = np.where(answers < 0, np.nan, answers == label)
        expected = krippendorff.alpha(binary, level_of_measurement="nominal")
        np.testing.assert_allclose(found.class_alphas[label], expected)


def test_kappa_is_that_of_statsmodels(rng):
    answers = draw_table(rng, missing=0)
    table, _ = aggregate_raters(answers.T)
    np.testing.assert_allclose(measure_agreement(count(answers)).kappa, fleiss_kappa(table))


def test_with_missing_votes_kappa_averages_over_tasks():
    # Votes 000, 01, 1. Agreeing pairs: 1 and 0 of the two tasks that have pairs: ½. Shares of label 1: 0, ½, 1: mean ½.
    found = measure_agreement(count_answers([0, 0, 0, 1, 1, 2], [0, 0, 0, 0, 1, 1]))
    np.testing.assert_allclose(found.kappa, (1 / 2 - 1 / 2) / (1 / 2))


@pytest.mark.parametrize("votes", [([], []), ([0, 1, 2], [0, 1, 0]), ([0, 0, 1, 1], [1, 1, 1, 1])])
def test_without_pairs_or_with_a_single_label_there_is_no_value(votes):
    found = measure_agreement(count_answers(*votes))
    assert np.isnan(found.alpha)
    assert np.isnan(found.kappa)


@given(st.integers(0, 10_000))
def test_names_of_labels_and_order_of_votes_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    tasks, labels = rng.integers(0, 8, 30), rng.integers(0, 3, 30)
    order, names = rng.permutation(30), rng.permutation(3)
    one = measure_agreement(count_answers(tasks, labels, n_labels=3))
    other = measure_agreement(count_answers(tasks[order], names[labels[order]], n_labels=3))
    np.testing.assert_allclose([one.alpha, one.kappa], [other.alpha, other.kappa])
    np.testing.assert_allclose(one.class_alphas, other.class_alphas[names])
    assert np.isnan(one.alpha) or one.alpha <= 1


def test_a_replicate_is_the_coefficient_of_drawn_tasks(rng, draw_by_hand):
    answers = draw_table(rng, missing=0.4)
    counts = count(answers)
    replicates = bootstrap_agreement(counts, seed=5, n_resamples=70, with_classes=True)
    for replicate in (0, 1, 69):
        drawn = draw_by_hand(60, seed=5, stream=0, replicate=replicate)
        expected = measure_agreement(count(answers[:, drawn]))
        np.testing.assert_allclose(replicates.alpha[replicate], expected.alpha)
        np.testing.assert_allclose(replicates.kappa[replicate], expected.kappa)
        np.testing.assert_allclose(replicates.class_alphas[replicate], expected.class_alphas)


def test_there_are_replicates_per_label_only_when_asked_for_and_not_too_many(rng):
    counts = count(draw_table(rng, missing=0))
    assert bootstrap_agreement(counts, seed=0, n_resamples=3).class_alphas.shape == (3, 0)
    many = count_answers([0, 0], [0, MAX_CLASS_ALPHAS])
    assert bootstrap_agreement(many, seed=0, n_resamples=3, with_classes=True).class_alphas.shape == (3, 0)


def test_no_task_gives_no_replicate_and_a_bad_seed_is_refused():
    nothing = count_answers([], [])
    assert np.isnan(bootstrap_agreement(nothing, seed=0, n_resamples=5).alpha).all()
    with pytest.raises(InputError, match="seed"):
        bootstrap_agreement(nothing, seed=-1)


def test_replicates_without_a_value_are_left_out_of_limits_unless_they_are_most():
    few = np.array([np.nan, *np.linspace(0, 1, 101)])
    np.testing.assert_allclose(agreement_limits(few, level=0.9), (0.05, 0.95))
    assert np.isnan(agreement_limits(np.array([np.nan, np.nan, 0.5])).low)


def test_limits_of_alpha_cover_it():
    # Two annotators, right with probability a, two labels equally common: they disagree with probability 2a(1 − a) and two
    # random votes with probability 1/2, so alpha of all tasks is 1 − 4a(1 − a).
    rng = np.random.default_rng(3)
    a, n_covered, n_replicates = 0.8, 0, 2_000
    for replicate in range(n_replicates):
        truth = rng.integers(0, 2, 200)
        answers = np.where(rng.random((2, 200)) < a, truth, 1 - truth)
        replicates = bootstrap_agreement(count(answers, 2), seed=replicate, n_resamples=400)
        low, high = agreement_limits(replicates.alpha)
        n_covered += bool(low <= 1 - 4 * a * (1 - a) <= high)
    low, high = clopper_pearson(n_covered, n_replicates, level=0.99)
    assert low <= 0.95 <= high, n_covered / n_replicates
