"""Answers that are no truth: tables of K truths and L answers, and what the other methods make of such votes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labels.simulated_votes import (
    DAWID_SKENE,
    MAYBE,
    NO,
    ONE_COIN,
    YES,
    Drawn,
    abstain,
    draw_questions,
    draw_votes,
    fit_plainly,
)

from regauge.errors import InputError
from regauge.labels.votes import dawid_skene
from regauge.labels.votes.confusions import BinaryLayout, DenseLayout, Layout, number_rows
from regauge.labels.votes.dawid_skene import DawidSkeneFit, choose_layout, fit_dawid_skene
from regauge.labels.votes.labels import accept, fit_votes
from regauge.labels.votes.one_coin import fit_one_coin
from regauge.labels.votes.sparse.layout import SparseLayout
from regauge.labels.votes.tables import TaskPosterior, make_vote_table
from regauge.records.labels.votes import Acceptance, StopRule, VoteMethod, VoteSettings

MAJORITY = VoteSettings()
LIKELIHOOD = replace(DAWID_SKENE, prior=0)


def draw(rng: np.random.Generator, n_truths: int, *, n_others: int = 1, n_tasks: int = 200) -> Drawn:
    skills = rng.uniform(0.4, 0.95, (12, n_truths))
    return abstain(rng, draw_votes(rng, n_tasks=n_tasks, n_votes=4, skills=skills), n_others=n_others)


def fit_with(layout: Layout, settings: VoteSettings) -> DawidSkeneFit:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dawid_skene, "choose_layout", lambda *_, **__: layout)
        return fit_dawid_skene(layout.table, settings)


@pytest.mark.parametrize("layout", [BinaryLayout, DenseLayout])
def test_an_answer_that_is_no_truth_is_evidence_by_hand(layout):
    # One annotator. Four tasks known to be no (0) are answered no, no, no, maybe; two known to be yes (1) are answered maybe
    # (2) twice; a seventh task is answered maybe. It says nothing at the start: prevalences 4/6 and 2/6, P(maybe | no) = 1/4,
    # P(maybe | yes) = 1. So P(yes) = (1/3·1) / (1/3·1 + 2/3·1/4) = 2/3.
    table = make_vote_table(
        range(7), [0, 0, 0, 2, 2, 2, 2], annotators=np.zeros(7, int), sizes=(7, 1, 3, 2), gold=[0, 0, 0, 0, 1, 1, -1]
    )
    fit = fit_with(layout(table, number_rows(table)), replace(LIKELIHOOD, max_iterations=1))
    assert fit.posterior.labels.tolist() == [0, 0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(fit.posterior.probabilities[-1], 2 / 3, atol=1e-9)
    expected = np.array([[1, 0], [0, 1], [1 / 3, 2 / 3]])
    np.testing.assert_allclose(fit.find_chances()[[0, 4, 6]], expected, atol=1e-9)


@pytest.mark.parametrize("prior", [0, 3])
@pytest.mark.parametrize(
    ("n_truths", "n_others", "layout"), [(2, 1, BinaryLayout), (2, 2, DenseLayout), (4, 2, DenseLayout)]
)
def test_rectangular_tables_are_those_of_the_plain_formulas(rng, n_truths, n_others, layout, prior):
    drawn = draw(rng, n_truths, n_others=n_others)
    table = drawn.make_table()
    settings = replace(DAWID_SKENE, prior=prior, max_iterations=10, tolerance=1e-300)
    fit = fit_with(layout(table, number_rows(table)), settings)
    posterior, path = fit_plainly(drawn, prior=fit.confusions.prior, n_iterations=10)
    np.testing.assert_allclose(fit.find_chances(), posterior, atol=1e-7)
    np.testing.assert_allclose(np.diff(fit.convergence.log_posterior), np.diff(path), atol=1e-6)
    np.testing.assert_allclose(fit.posterior.probabilities, posterior.max(axis=1), atol=1e-7)


def test_rectangular_tables_of_many_truths_are_those_of_the_plain_formulas_on_the_truths_voted_for(rng):
    drawn = draw(rng, 30, n_others=2, n_tasks=100)
    table = drawn.make_table()
    fit = fit_with(SparseLayout(table, number_rows(table)), replace(DAWID_SKENE, max_iterations=8, tolerance=1e-300))
    posterior, path = fit_plainly(drawn, prior=fit.confusions.prior, n_iterations=8, voted_only=True)
    has_label = fit.posterior.labels >= 0
    np.testing.assert_allclose(fit.find_chances()[has_label], posterior[has_label], atol=1e-9)
    np.testing.assert_allclose(np.diff(fit.convergence.log_posterior), np.diff(path), atol=1e-6)
    np.testing.assert_array_equal(has_label, table.decided.is_used)


@given(st.integers(0, 10_000), st.integers(2, 4), st.just(0.0) | st.floats(0.01, 5))
def test_with_answers_that_are_no_truth_the_log_posterior_never_falls(seed, n_truths, prior):
    drawn = draw(np.random.default_rng(seed), n_truths, n_tasks=40)
    table = drawn.make_table()
    for layout in (
        choose_layout(table, number_rows(table)),
        *(one(table, number_rows(table)) for one in (DenseLayout, SparseLayout)),
    ):
        fit = fit_with(layout, replace(DAWID_SKENE, prior=prior, max_iterations=60))
        assert np.diff(fit.convergence.log_posterior).min(initial=0) > -1e-7
        chances, has_label = fit.find_chances(), fit.posterior.labels >= 0
        np.testing.assert_allclose(chances[has_label].sum(axis=1), 1)
        np.testing.assert_allclose(chances[has_label].max(axis=1), fit.posterior.probabilities[has_label], atol=1e-8)
        assert (fit.posterior.listed[table.counts.labels >= n_truths] == 0).all()
        np.testing.assert_allclose(fit.confusions.prevalence.sum(), 1)


def test_where_all_answers_are_truths_nothing_changes(rng):
    drawn = draw_votes(rng, n_tasks=200, n_votes=5, skills=rng.uniform(0.5, 0.9, (10, 3)))
    square, named = drawn.make_table(), drawn._replace(n_truths=3).make_table()
    for method in VoteMethod:
        one, other = (fit_votes(table, VoteSettings(method=method)) for table in (square, named))
        np.testing.assert_array_equal(one.posterior.probabilities, other.posterior.probabilities)


@pytest.mark.parametrize("settings", [MAJORITY, ONE_COIN])
def test_majority_and_one_coin_take_other_answers_for_missing(rng, settings):
    drawn = draw(rng, 3, n_others=2)
    fit = fit_votes(drawn.make_table(), settings)
    kept = drawn.answers < 3
    without = Drawn(drawn.tasks[kept], drawn.annotators[kept], drawn.answers[kept], drawn.truth, np.ones((12, 3)))
    expected = fit_votes(without.make_table(), settings)
    np.testing.assert_array_equal(fit.posterior.labels, expected.posterior.labels)
    np.testing.assert_array_equal(fit.posterior.probabilities, expected.posterior.probabilities)
    np.testing.assert_array_equal(fit.majority.n_votes, np.bincount(without.tasks, minlength=200))


@pytest.mark.parametrize("settings", [MAJORITY, ONE_COIN])
def test_a_task_with_other_answers_only_has_no_label(settings):
    table = make_vote_table([0, 0, 1, 1], [0, 1, 2, 2], annotators=[0, 1, 0, 1], sizes=(2, 2, 3, 2))
    fit = fit_votes(table, settings)
    assert fit.posterior.labels[1] == -1
    assert np.isnan(fit.posterior.probabilities[1])
    assert np.isnan(fit.find_chances()[1]).all()
    assert np.isnan(fit.majority.shares[1])


def test_one_coin_chances_share_what_is_left_by_prevalence(rng):
    # P(k) ∝ prevalence_k · Π a_w or (1 − a_w)/(K − 1), with all labels written out.
    drawn = draw_votes(rng, n_tasks=60, n_votes=2, skills=np.full((6, 4), 0.6))
    table = drawn.make_table()
    fit = fit_one_coin(table, replace(ONE_COIN, tolerance=1e-15))
    logs = np.tile(np.log(fit.used_prevalence), (60, 1))
    for task, annotator, answer in zip(drawn.tasks, drawn.annotators, drawn.answers, strict=True):
        logs[task] += np.log(
            np.where(np.arange(4) == answer, fit.accuracy[annotator], (1 - fit.accuracy[annotator]) / 3)
        )
    shares = np.exp(logs)
    np.testing.assert_allclose(fit.find_chances(table), shares / shares.sum(axis=1, keepdims=True), atol=1e-6)


def test_annotators_without_a_vote_change_nothing(rng):
    # The second annotator only ever answers 1; rows are numbered by those that occur when most annotators have no vote.
    tasks, annotators = np.repeat(np.arange(60), 2), np.tile([3, 7], 60)
    answers = np.where(annotators == 7, 1, rng.integers(0, 2, 120))
    few = make_vote_table(tasks, answers, annotators=annotators == 7, sizes=(60, 2, 2))
    many = make_vote_table(tasks, answers, annotators=annotators, sizes=(60, 50, 2))
    one, other = (fit_dawid_skene(table, replace(LIKELIHOOD, max_iterations=1)) for table in (few, many))
    np.testing.assert_allclose(one.posterior.probabilities, other.posterior.probabilities)


def test_rectangular_tables_label_what_square_ones_leave_undecided(rng):
    drawn = draw_questions(rng, n_tasks=4_000)
    order = np.empty(3, np.int32)
    order[[NO, YES, MAYBE]] = range(3)
    square = drawn.make_table()
    table = drawn._replace(answers=order[drawn.answers], n_truths=2).make_table()
    as_label, as_answer = (fit_votes(votes, LIKELIHOOD) for votes in (square, table))
    right_as_label = (as_label.posterior.labels == drawn.truth).mean()
    right_as_answer = (as_answer.posterior.labels == order[drawn.truth]).mean()
    assert right_as_answer > right_as_label + 0.05
    assert right_as_answer > 0.9
    accepted = accept(as_answer.posterior, as_answer.find_chances(), truth=1, probability=0.8)
    is_yes = accepted.labels == 1
    assert (drawn.truth[is_yes] == YES).mean() > (drawn.truth[as_answer.posterior.labels == 1] == YES).mean()


CHANCES = np.array([[0.1, 0.6, 0.3], [0.3, 0.4, 0.3], [0.0, 0.2, 0.8], [np.nan] * 3, [0.25, 0.5, 0.25]])
BELIEVED = TaskPosterior(np.array([1, 1, 2, -1, 1], np.int32), np.nanmax(CHANCES[[0, 1, 2, 4, 4]], axis=1), np.empty(0))


@pytest.mark.parametrize(
    ("probability", "labels"),
    [(0.5, [1, 0, 2, -1, 1]), (0.55, [1, 0, 2, -1, 0]), (0.2, [1, 1, 1, -1, 1]), (1, [2, 0, 2, -1, 0])],
)
def test_below_its_threshold_a_truth_gives_way_to_the_most_probable_of_the_others(probability, labels):
    found = accept(BELIEVED, CHANCES, truth=1, probability=probability)
    assert found.labels.tolist() == labels
    known = np.flatnonzero(found.labels >= 0)
    np.testing.assert_array_equal(found.probabilities[known], CHANCES[known, found.labels[known]])
    assert np.isnan(found.probabilities[3])


@pytest.mark.parametrize("n_yes", range(1, 10))
def test_a_share_of_the_votes_that_equals_the_threshold_is_accepted(n_yes):
    chances = np.array([[1 - n_yes / 10, n_yes / 10]])
    believed = TaskPosterior(np.zeros(1, np.int32), chances[:, 0], np.empty(0))
    assert accept(believed, chances, truth=1, probability=float(f"0.{n_yes}")).labels.tolist() == [1]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"truths": ("yes",)}, "at least two answers"),
        ({"truths": ("yes", "")}, "at least two answers, each with a name"),
        ({"truths": ("yes", "no", "yes")}, "'yes' is named twice"),
        ({"truths": ("yes", "no"), "accept": Acceptance("maybe", 0.8)}, "'maybe' can only be accepted if it is one of"),
        ({"truths": ("yes", "no"), "stop": StopRule.CROWD_KIT, "prior": 0}, "crowd-kit's stopping rule goes with"),
    ],
)
def test_truths_that_cannot_be_are_refused(options, problem):
    with pytest.raises(InputError, match=problem):
        replace(DAWID_SKENE, **options)


@pytest.mark.parametrize("probability", [0, -0.1, 1.01, float("nan")])
def test_a_threshold_is_a_probability_above_0(probability):
    with pytest.raises(InputError, match="above 0 and up to 1"):
        Acceptance("yes", probability)
