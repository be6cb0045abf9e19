from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.labels.simulated_votes import CROWD_KIT, DAWID_SKENE, ONE_COIN, draw_votes

from regauge.labels.votes.dawid_skene import fit_dawid_skene
from regauge.labels.votes.labels import fit_votes
from regauge.labels.votes.one_coin import fit_one_coin
from regauge.labels.votes.skills import count_known, find_class_skills, find_coin_skills, find_skills
from regauge.labels.votes.tables import make_vote_table
from regauge.records.labels.votes import VoteMethod
from regauge.stats.intervals import clopper_pearson


def test_accuracy_is_the_mean_over_labels_by_prevalence():
    # Known truths 0, 0, 1, 1 answered 0, 1, 1, 1: P(0 | 0) = 1/2, P(1 | 1) = 1, prevalences 1/2: accuracy 3/4.
    table = make_vote_table(range(4), [0, 1, 1, 1], annotators=np.zeros(4, int), sizes=(4, 1, 2), gold=[0, 0, 1, 1])
    fit = fit_dawid_skene(table, CROWD_KIT)
    coins = fit_one_coin(table, replace(ONE_COIN, prior=0))
    skills = find_skills(table, fit.confusions, coins=coins)
    np.testing.assert_allclose(skills.accuracy, 0.75, atol=1e-3)
    by_class = find_class_skills(fit.confusions, coins.accuracy)
    np.testing.assert_allclose(by_class.accuracy, [0.5, 1], atol=1e-3)
    np.testing.assert_allclose(by_class.n, [2, 2], atol=1e-6)


def test_of_known_truths_every_answer_is_known():
    table = make_vote_table(range(10), [0] * 8 + [1] * 2, annotators=np.zeros(10, int), sizes=(10, 1, 2), gold=[0] * 10)
    coins = fit_one_coin(table, replace(ONE_COIN, prior=0))
    np.testing.assert_allclose(count_known(table, coins), 10)
    skills = find_coin_skills(table, coins)
    np.testing.assert_allclose(skills.accuracy, 0.8)
    # Jeffreys' limits lie inside those of Clopper and Pearson.
    exact = clopper_pearson(8, 10)
    assert exact.low < skills.limits.low[0] < 0.8 < skills.limits.high[0] < exact.high


def test_an_annotator_without_votes_has_no_skill():
    table = make_vote_table([0, 0, 1, 1], [0, 0, 1, 1], annotators=[0, 2, 0, 2], sizes=(2, 3, 2))
    for method in (VoteMethod.ONE_COIN, VoteMethod.DAWID_SKENE):
        skills = fit_votes(table, replace(ONE_COIN, method=method)).skills
        assert skills is not None
        assert np.isnan(skills.accuracy).tolist() == [False, True, False]
        assert np.isnan(skills.limits.high).tolist() == [False, True, False]


def test_less_is_known_where_annotators_disagree(rng):
    known = []
    for accuracy in (0.95, 0.75, 0.6):
        drawn = draw_votes(rng, n_tasks=500, n_votes=5, skills=np.full((10, 2), accuracy))
        table = drawn.make_table()
        known.append(count_known(table, fit_one_coin(table, ONE_COIN)).mean() / 250)
    assert 1 > known[0] > known[1] > known[2] > 0


N_REPLICATES = 2_000


@pytest.mark.parametrize(("method", "n_labels"), [("one-coin", 2), ("dawid-skene", 2), ("dawid-skene", 3)])
def test_intervals_of_accuracy_cover_it(method, n_labels):
    rng = np.random.default_rng(11)
    settings = replace(DAWID_SKENE, method=VoteMethod(method))
    n_covered = 0
    for _ in range(N_REPLICATES):
        high = 1 if method == "one-coin" else n_labels
        skills = np.broadcast_to(rng.uniform(0.6, 0.95, (15, high)), (15, n_labels))
        table = draw_votes(rng, n_tasks=150, n_votes=9, skills=skills).make_table()
        found = fit_votes(table, settings).skills
        assert found is not None
        # One annotator per replicate, so that replicates are independent.
        accuracy = skills[0].mean()
        n_covered += bool(found.limits.low[0] <= accuracy <= found.limits.high[0])
    low, high = clopper_pearson(n_covered, N_REPLICATES, level=0.99)
    assert low <= 0.95 <= high, n_covered / N_REPLICATES


def test_annotators_who_copy_each_other_make_the_model_surer_than_it_may_be(rng):
    # METHODS: Dawid–Skene takes annotators for independent. Five of nine answer what the first of them does on a third of the
    # tasks; the model then believes its labels more than they deserve, and not so when all are independent.
    skills = np.full((9, 2), 0.7)
    drawn = draw_votes(rng, n_tasks=4_000, n_votes=9, skills=skills)
    honest = fit_dawid_skene(drawn.make_table(), DAWID_SKENE).posterior
    assert abs(honest.probabilities.mean() - (honest.labels == drawn.truth).mean()) < 0.02
    answers = drawn.answers.reshape(-1, 9).copy()
    order = np.argsort(drawn.annotators.reshape(-1, 9), axis=1)
    by_annotator = np.take_along_axis(answers, order, axis=1)
    is_copied = rng.random(4_000) < 1 / 3
    by_annotator[is_copied, 1:5] = by_annotator[is_copied, :1]
    copied = drawn._replace(annotators=np.tile(np.arange(9, dtype=np.int32), 4_000), answers=by_annotator.ravel())
    found = fit_dawid_skene(copied.make_table(), DAWID_SKENE).posterior
    assert found.probabilities.mean() - (found.labels == drawn.truth).mean() > 0.08
