from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labels.simulated_votes import ONE_COIN, draw_votes, run_crowd_kit

from regauge.labels.votes.one_coin import fit_one_coin
from regauge.labels.votes.tables import make_vote_table


def test_one_pass_by_hand():
    # Truths 0, 0, 1, 1 are known and answered 0, 1, 1, 1; a fifth task is answered 1. At the start the fifth counts as 1, so
    # 4 of 5 answers are right and the prevalences are 2/5 and 3/5. Then P(1) = 0.6·0.8 / (0.6·0.8 + 0.4·0.2) = 6/7.
    table = make_vote_table(
        range(5), [0, 1, 1, 1, 1], annotators=np.zeros(5, int), sizes=(5, 1, 2), gold=[0, 0, 1, 1, -1]
    )
    fit = fit_one_coin(table, replace(ONE_COIN, prior=0, max_iterations=1))
    np.testing.assert_allclose(fit.posterior.probabilities, [1, 1, 1, 1, 6 / 7])


def test_a_prior_adds_votes_at_the_mean_agreement():
    # Two annotators agree on all of four tasks: the mean agreement is held below 1 by 1/(8 + 2), and each has 4 right answers
    # of 4: (4 + 2·0.9)/(4 + 2) = 0.9667 in the limit, where the labels are all but certain.
    table = make_vote_table(np.repeat(range(4), 2), [0, 0, 0, 0, 1, 1, 1, 1], annotators=[0, 1] * 4, sizes=(4, 2, 2))
    fit = fit_one_coin(table, replace(ONE_COIN, prior=2))
    np.testing.assert_allclose(fit.accuracy, 5.8 / 6, atol=2e-3)


@pytest.mark.parametrize("n_labels", [2, 5])
def test_labels_and_accuracies_are_those_of_crowd_kit(rng, n_labels):
    drawn = draw_votes(rng, n_tasks=500, n_votes=5, skills=np.repeat(rng.uniform(0.5, 0.95, (20, 1)), n_labels, axis=1))
    theirs = run_crowd_kit(drawn, "OneCoinDawidSkene", n_iter=200, tol=1e-12)
    fit = fit_one_coin(drawn.make_table(), replace(ONE_COIN, prior=0, tolerance=1e-13))
    assert (fit.posterior.labels == theirs.labels_.sort_index().to_numpy()).mean() >= 0.998
    np.testing.assert_allclose(fit.accuracy, theirs.skills_.sort_index().to_numpy(), atol=1e-3)


@given(st.integers(0, 10_000), st.integers(2, 6), st.floats(0, 5))
def test_the_log_posterior_never_falls_and_what_is_listed_is_at_most_all(seed, n_labels, prior):
    rng = np.random.default_rng(seed)
    drawn = draw_votes(rng, n_tasks=40, n_votes=3, skills=rng.uniform(0.2, 0.9, (6, n_labels)))
    fit = fit_one_coin(drawn.make_table(), replace(ONE_COIN, prior=prior, max_iterations=100))
    assert np.diff(fit.convergence.log_posterior).min(initial=0) > -1e-6
    sums = np.add.reduceat(fit.posterior.listed, drawn.make_table().counts.list_starts[:-1])
    assert (sums <= 1 + 1e-9).all()
    np.testing.assert_allclose(fit.prevalence.sum(), 1, atol=1e-6)


def test_every_label_is_possible_for_every_task(rng):
    # The same model with all labels written out: P(k) ∝ prevalence_k · Π a_w or (1 − a_w)/(K − 1).
    drawn = draw_votes(rng, n_tasks=60, n_votes=3, skills=np.full((6, 4), 0.6))
    table = drawn.make_table()
    fit = fit_one_coin(table, replace(ONE_COIN, tolerance=1e-15))
    right = np.log(fit.accuracy)[drawn.annotators]
    wrong = np.log((1 - fit.accuracy) / 3)[drawn.annotators]
    logs = np.tile(np.log(fit.prevalence), (60, 1))
    for label in range(4):
        np.add.at(logs[:, label], drawn.tasks, np.where(drawn.answers == label, right, wrong))
    posterior = np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None])
    task_of = np.repeat(np.arange(60), np.diff(table.counts.list_starts))
    np.testing.assert_allclose(fit.posterior.listed, posterior[task_of, table.counts.labels], atol=1e-4)
    np.testing.assert_allclose(fit.posterior.probabilities, posterior.max(axis=1), atol=1e-4)


def test_annotators_known_to_be_wrong_are_believed_the_other_way_round(rng):
    # Half of the tasks are known, and everybody gets them wrong: on the others the label that nobody gave must win.
    truth = rng.integers(0, 2, 100)
    tasks = np.repeat(np.arange(100), 3)
    gold = np.where(np.arange(100) < 50, truth, -1)
    table = make_vote_table(tasks, 1 - truth[tasks], annotators=np.tile([0, 1, 2], 100), sizes=(100, 3, 2), gold=gold)
    fit = fit_one_coin(table, replace(ONE_COIN, prior=0.5))
    assert (fit.accuracy < 0.5).all()
    assert (fit.posterior.labels == truth).all()


def test_accuracies_and_prevalences_are_recovered(rng):
    skills = np.repeat(rng.uniform(0.4, 0.95, (30, 1)), 50, axis=1)
    prevalence = rng.dirichlet(np.full(50, 2))
    drawn = draw_votes(rng, n_tasks=20_000, n_votes=7, skills=skills, prevalence=prevalence)
    fit = fit_one_coin(drawn.make_table(), ONE_COIN)
    np.testing.assert_allclose(fit.accuracy, skills[:, 0], atol=0.03)
    np.testing.assert_allclose(fit.prevalence, prevalence, atol=0.006)
    assert (fit.posterior.labels == drawn.truth).mean() > 0.98
