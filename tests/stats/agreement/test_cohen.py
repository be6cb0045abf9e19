from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from regauge.errors import InputError
from regauge.stats.agreement import cohen
from regauge.stats.agreement.cohen import cohen_kappa, compare_with_others, mean_pairwise_kappa
from regauge.stats.agreement.tables import AnswerCounts, count_answers
from regauge.stats.intervals import clopper_pearson


def draw_answers(rng: np.random.Generator, shape: tuple[int, int], n_labels: int = 3) -> np.ndarray:
    truth = rng.integers(0, n_labels, shape[1])
    return np.where(rng.random(shape) < 0.6, truth, rng.integers(0, n_labels, shape)).astype(np.int32)


def count(answers: np.ndarray) -> tuple[AnswerCounts, np.ndarray]:
    """Votes of all annotators on all tasks, except where the answer is below 0; and who gave them."""
    tasks, who = np.nonzero(answers.T >= 0)
    return count_answers(tasks, answers.T[tasks, who], n_tasks=answers.shape[1]), who.astype(np.int32)


def test_kappa_by_hand():
    # Equal on 4 of 5. Chance: 0 with 2/5 · 3/5, 1 with 3/5 · 2/5, together 0.48. (0.8 − 0.48)/0.52 = 8/13.
    found = cohen_kappa([0, 0, 1, 1, 1], [0, 0, 1, 1, 0])
    assert (found.n[0], found.n_equal[0]) == (5, 4)
    np.testing.assert_allclose(found.kappa, 8 / 13)


@pytest.mark.parametrize("n_labels", [2, 5])
def test_kappa_and_with_many_tasks_its_limits_are_those_of_statsmodels_and_scikit_learn(rng, n_labels):
    for _ in range(5):
        first, second = draw_answers(rng, (2, 20_000), n_labels)
        table = np.zeros((n_labels, n_labels))
        np.add.at(table, (first, second), 1)
        expected = cohens_kappa(table)
        found = cohen_kappa(first, second)
        np.testing.assert_allclose(found.kappa[0], cohen_kappa_score(first, second))
        np.testing.assert_allclose(found.kappa[0], expected.kappa)
        np.testing.assert_allclose(
            (found.limits.low[0], found.limits.high[0]), (expected.kappa_low, expected.kappa_upp), atol=1e-4
        )


def test_two_who_always_agree_on_few_tasks_are_not_taken_to_agree_always():
    # Ten tasks, five of either label, all equal: chance is ½ and no task moves it, so with t² = 2.2622² = 5.1174 the limit is
    # 1 − (t²/(10 + t²))/½ = 1 − 0.33851/0.5.
    found = cohen_kappa([0, 1] * 5, [0, 1] * 5)
    assert found.limits.low[0] == pytest.approx(1 - 0.33851 / 0.5, abs=1e-4)
    assert found.limits.high[0] == 1


def test_no_task_or_one_label_alone_gives_no_value():
    assert np.isnan(cohen_kappa([], []).kappa).all()
    assert np.isnan(cohen_kappa([1, 1], [1, 1]).kappa).all()
    with pytest.raises(InputError, match="task by task"):
        cohen_kappa([0, 1], [0])


def test_the_mean_over_pairs_is_lights_kappa(rng):
    answers = draw_answers(rng, (5, 60))
    counts, who = count(answers)
    found = mean_pairwise_kappa(counts, who, n_annotators=5)
    kappas = {pair: cohen_kappa_score(answers[pair[0]], answers[pair[1]]) for pair in combinations(range(5), 2)}
    assert found.n_pairs == 10
    np.testing.assert_allclose(found.value, np.mean(list(kappas.values())))


def test_pairs_are_compared_on_the_tasks_they_share_if_there_are_enough(rng):
    answers = draw_answers(rng, (3, 40))
    answers[0, 20:] = -1
    answers[2, :17] = -1
    counts, who = count(answers)
    found = mean_pairwise_kappa(counts, who, n_annotators=3)
    expected = [
        cohen_kappa_score(answers[0, :20], answers[1, :20]),
        cohen_kappa_score(answers[1, 17:], answers[2, 17:]),
    ]
    assert found.n_pairs == 2
    np.testing.assert_allclose(found.value, np.mean(expected))
    assert mean_pairwise_kappa(counts, who, n_annotators=3, min_shared=3).n_pairs == 3


def test_with_two_annotators_limits_are_those_of_one_kappa(rng):
    answers = draw_answers(rng, (2, 70))
    counts, who = count(answers)
    found = mean_pairwise_kappa(counts, who, n_annotators=2)
    expected = cohen_kappa(*answers)
    np.testing.assert_allclose((found.limits.low, found.limits.high), (expected.limits.low[0], expected.limits.high[0]))


def test_without_a_pair_or_with_too_many_there_is_no_mean(rng, monkeypatch):
    answers = draw_answers(rng, (2, 4))
    counts, who = count(answers)
    assert np.isnan(mean_pairwise_kappa(counts, who, n_annotators=2).value)
    counts, who = count(draw_answers(rng, (2, 40)))
    monkeypatch.setattr(cohen, "MAX_PAIRS_OF_VOTES", 39)
    found = mean_pairwise_kappa(counts, who, n_annotators=2)
    assert np.isnan(found.value)
    assert np.isnan(found.limits.high)


def test_an_annotator_is_compared_with_the_others_without_the_own_vote():
    # Task 0: 0, 0, 1: the first two each see 0 and 1 among the others, a tie; the third sees 0 twice. Task 1: 1, 1, 1: each
    # sees 1 twice. Task 2: one vote, nobody to compare with.
    counts = count_answers([0, 0, 0, 1, 1, 1, 2], [0, 0, 1, 1, 1, 1, 0])
    found = compare_with_others(counts, np.array([0, 1, 2, 0, 1, 2, 0], np.int32), n_annotators=4)
    assert found.n.tolist() == [1, 1, 2, 0]
    assert found.n_equal.tolist() == [1, 1, 1, 0]


def test_kappa_with_others_is_that_of_the_two_columns(rng):
    answers = draw_answers(rng, (5, 60))
    counts, who = count(answers)
    found = compare_with_others(counts, who, n_annotators=5)
    for one in range(5):
        votes = np.stack([(np.delete(answers, one, axis=0) == label).sum(axis=0) for label in range(3)])
        is_clear = (votes == votes.max(axis=0)).sum(axis=0) == 1
        expected = cohen_kappa_score(answers[one, is_clear], votes.argmax(axis=0)[is_clear])
        np.testing.assert_allclose(found.kappa[one], expected)


@pytest.mark.parametrize(("n_tasks", "a"), [(20, 0.95), (50, 0.98), (300, 0.85)])
def test_limits_of_kappa_cover_it(n_tasks, a):
    # Two annotators, right with probability a, two labels equally common: kappa of all tasks is 1 − 4a(1 − a).
    rng = np.random.default_rng(5)
    n_replicates = 4_000
    truth = rng.integers(0, 2, (n_replicates, n_tasks))
    answers = np.where(rng.random((2, *truth.shape)) < a, truth, 1 - truth)
    limits = [cohen_kappa(*answers[:, replicate]).limits for replicate in range(n_replicates)]
    kappa = 1 - 4 * a * (1 - a)
    n_covered = sum(bool(one.low[0] <= kappa <= one.high[0]) for one in limits)
    low, high = clopper_pearson(n_covered, n_replicates, level=0.99)
    assert high >= 0.95, n_covered / n_replicates
    assert low <= 0.98, n_covered / n_replicates


def test_limits_of_the_mean_over_pairs_cover_it():
    rng = np.random.default_rng(7)
    a, n_replicates, n_covered = 0.8, 2_000, 0
    for _ in range(n_replicates):
        truth = rng.integers(0, 2, 200)
        answers = np.where(rng.random((4, 200)) < a, truth, 1 - truth)
        found = mean_pairwise_kappa(*count(answers), n_annotators=4)
        n_covered += bool(found.limits.low <= 1 - 4 * a * (1 - a) <= found.limits.high)
    low, high = clopper_pearson(n_covered, n_replicates, level=0.99)
    assert low <= 0.95 <= high, n_covered / n_replicates
