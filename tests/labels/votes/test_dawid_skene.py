from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labels.simulated_votes import (
    CROWD_KIT,
    DAWID_SKENE,
    ONE_COIN,
    Drawn,
    draw_questions,
    draw_votes,
    fit_plainly,
    run_crowd_kit,
)

from regauge.errors import InputError
from regauge.labels.votes import confusions, dawid_skene
from regauge.labels.votes.confusions import DenseLayout, Layout, number_rows
from regauge.labels.votes.dawid_skene import DawidSkeneFit, choose_layout, fit_dawid_skene
from regauge.labels.votes.sparse import layout as sparse
from regauge.labels.votes.sparse.layout import SparseLayout
from regauge.labels.votes.tables import make_vote_table
from regauge.records.labels.votes import StopRule, VoteSettings

LIKELIHOOD = replace(CROWD_KIT, stop=StopRule.LIKELIHOOD)
LAYOUTS = (DenseLayout, SparseLayout)


def draw(
    rng: np.random.Generator,
    n_labels: int,
    *,
    n_tasks: int = 300,
    n_votes: int = 5,
    n_annotators: int = 15,
    low: float = 0.4,
    high: float = 0.95,
) -> Drawn:
    skills = rng.uniform(low, high, (n_annotators, n_labels))
    return draw_votes(rng, n_tasks=n_tasks, n_votes=n_votes, skills=skills)


def test_one_pass_by_hand():
    # One annotator; truths 0, 0, 1, 1 are known and answered 0, 1, 1, 1; a fifth task is answered 1. At the start the fifth
    # counts as 1: prevalences 2/5 and 3/5, P(1 | 0) = 1/2, P(1 | 1) = 3/3. Then P(1) = 0.6·1 / (0.6·1 + 0.4·0.5) = 0.75.
    table = make_vote_table(
        range(5), [0, 1, 1, 1, 1], annotators=np.zeros(5, int), sizes=(5, 1, 2), gold=[0, 0, 1, 1, -1]
    )
    fit = fit_dawid_skene(table, replace(CROWD_KIT, max_iterations=1))
    assert fit.posterior.labels.tolist() == [0, 0, 1, 1, 1]
    np.testing.assert_allclose(fit.posterior.probabilities, [1, 1, 1, 1, 0.75], atol=1e-9)


@pytest.mark.parametrize("n_labels", [2, 3, 10, 40])
def test_by_crowd_kits_rule_labels_probabilities_and_iterations_are_those_of_crowd_kit(rng, n_labels):
    for _ in range(3):
        drawn = draw(rng, n_labels, n_tasks=400)
        theirs = run_crowd_kit(drawn)
        fit = fit_dawid_skene(drawn.make_table(), CROWD_KIT)
        probabilities = theirs.probas_[list(range(n_labels))].sort_index().to_numpy()
        assert fit.convergence.n_iterations == len(theirs.loss_history_)
        assert (fit.posterior.labels == theirs.labels_.sort_index().to_numpy()).all()
        np.testing.assert_allclose(fit.posterior.probabilities, probabilities.max(axis=1), atol=1e-9)
        np.testing.assert_allclose(fit.confusions.prevalence, theirs.priors_.sort_index().to_numpy(), atol=1e-9)


@pytest.mark.parametrize(("n_votes", "low", "is_complete"), [(15, 0.8, False), (4, 0.4, True)])
def test_with_many_labels_labels_are_those_of_crowd_kit_even_where_unlisted_ones_matter(
    rng, monkeypatch, n_votes, low, is_complete
):
    monkeypatch.setattr(confusions, "MIN_CELLS", 0)
    monkeypatch.setattr(confusions, "MAX_CELLS_PER_VOTE", 0)
    drawn = draw(rng, 100, n_tasks=1_000, n_votes=n_votes, n_annotators=20, low=low)
    theirs = run_crowd_kit(drawn)
    fit = fit_dawid_skene(drawn.make_table(), CROWD_KIT)
    assert fit.is_complete == is_complete
    assert fit.convergence.n_iterations == len(theirs.loss_history_)
    assert (fit.posterior.labels == theirs.labels_.sort_index().to_numpy()).all()


def test_without_a_prior_a_fit_goes_on_while_the_likelihood_rises(rng):
    # crowd-kit's bound falls at the third pass, while a pass still raises the log-likelihood by a thousandth per vote.
    drawn = draw_questions(rng, n_tasks=3_000)
    table = drawn.make_table()
    early, fit = (fit_dawid_skene(table, settings) for settings in (CROWD_KIT, LIKELIHOOD))
    assert early.convergence.n_iterations == len(run_crowd_kit(drawn).loss_history_) <= 4
    assert early.convergence.last_gain / table.n_votes > 1e-4
    assert fit.convergence.n_iterations > 40
    assert fit.convergence.converged
    assert 0 <= fit.convergence.last_gain / table.n_votes < 1e-8
    assert fit.convergence.log_posterior[: early.convergence.n_iterations] == early.convergence.log_posterior
    assert (fit.posterior.labels != early.posterior.labels).mean() > 0.02


def test_at_the_end_of_a_fit_more_passes_change_next_to_nothing(rng):
    table = draw_questions(rng, n_tasks=2_000).make_table()
    fit, further = (fit_dawid_skene(table, one) for one in (LIKELIHOOD, replace(LIKELIHOOD, tolerance=1e-11)))
    assert (fit.posterior.labels == further.posterior.labels).mean() > 0.99
    rest = further.convergence.log_posterior[-1] - fit.convergence.log_posterior[-1]
    assert 0 <= rest < 1e-5 * table.n_votes


@pytest.mark.parametrize("n_labels", [2, 3])
def test_without_a_prior_the_path_is_the_log_likelihood_of_the_plain_formulas(rng, n_labels):
    drawn = draw(rng, n_labels)
    fit = fit_dawid_skene(drawn.make_table(), replace(LIKELIHOOD, max_iterations=12, tolerance=1e-300))
    posterior, path = fit_plainly(drawn, prior=fit.confusions.prior, n_iterations=12)
    np.testing.assert_allclose(fit.convergence.log_posterior, path, rtol=1e-9)
    np.testing.assert_allclose(fit.posterior.probabilities, posterior.max(axis=1), atol=1e-7)


@pytest.mark.parametrize("settings", [DAWID_SKENE, ONE_COIN, replace(ONE_COIN, prior=0)])
def test_crowd_kits_rule_is_refused_where_the_model_is_not_crowd_kits(settings):
    with pytest.raises(InputError, match="crowd-kit's stopping rule goes with its model, dawid-skene at prior 0 "):
        replace(settings, stop=StopRule.CROWD_KIT)


def test_known_labels_are_clamped_as_in_crowd_kit(rng):
    drawn = draw(rng, 3)
    gold = np.where(np.arange(300) < 60, drawn.truth, -1).astype(np.int32)
    theirs = run_crowd_kit(drawn, true_labels=drawn.truth[:60])
    fit = fit_dawid_skene(drawn.make_table(gold), CROWD_KIT)
    assert (fit.posterior.labels == theirs.labels_.sort_index().to_numpy()).all()
    assert (fit.posterior.labels[:60] == drawn.truth[:60]).all()
    np.testing.assert_allclose(fit.posterior.probabilities[:60], 1)


def test_annotators_who_answer_once_or_twice_agree_with_crowd_kit_too(rng):
    for _ in range(5):
        drawn = draw(rng, 3, n_tasks=80, n_votes=3, n_annotators=150)
        theirs = run_crowd_kit(drawn)
        fit = fit_dawid_skene(drawn.make_table(), CROWD_KIT)
        probabilities = theirs.probas_[[0, 1, 2]].sort_index().to_numpy()
        is_clear = np.sort(probabilities, axis=1)[:, -1] - np.sort(probabilities, axis=1)[:, -2] > 1e-6
        assert (fit.posterior.labels == probabilities.argmax(axis=1))[is_clear].all()


def _fit_with(layout: Layout, drawn: Drawn, settings: VoteSettings) -> DawidSkeneFit:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dawid_skene, "choose_layout", lambda *_, **__: layout)
        return fit_dawid_skene(drawn.make_table(), settings)


@pytest.mark.parametrize("n_labels", [2, 6])
def test_with_a_prior_the_fit_is_that_of_the_plain_formulas(rng, n_labels):
    drawn = draw(rng, n_labels)
    fit = fit_dawid_skene(drawn.make_table(), replace(DAWID_SKENE, max_iterations=12, tolerance=1e-300))
    posterior, path = fit_plainly(drawn, prior=fit.confusions.prior, n_iterations=12)
    np.testing.assert_allclose(fit.posterior.probabilities, posterior.max(axis=1), atol=1e-9)
    np.testing.assert_allclose(np.diff(fit.convergence.log_posterior), np.diff(path), atol=1e-6)


def test_with_many_labels_the_fit_is_that_of_the_plain_formulas_on_the_labels_voted_for(rng):
    drawn = draw(rng, 30, n_tasks=100, n_annotators=8)
    table = drawn.make_table()
    settings = replace(DAWID_SKENE, max_iterations=8, tolerance=1e-300)
    fit = _fit_with(SparseLayout(table, number_rows(table)), drawn, settings)
    posterior, path = fit_plainly(drawn, prior=fit.confusions.prior, n_iterations=8, voted_only=True)
    task_of = np.repeat(np.arange(100), np.diff(table.counts.list_starts))
    np.testing.assert_allclose(fit.posterior.listed, posterior[task_of, table.counts.labels], atol=1e-9)
    np.testing.assert_allclose(np.diff(fit.convergence.log_posterior), np.diff(path), atol=1e-6)


def test_two_labels_give_the_same_in_a_table_of_all_labels(rng):
    drawn = draw(rng, 2)
    gold = np.where(np.arange(300) % 7 == 0, drawn.truth, -1).astype(np.int32)
    table = drawn.make_table(gold)
    quick = fit_dawid_skene(table, DAWID_SKENE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dawid_skene, "is_binary", lambda _: False)
        dense = fit_dawid_skene(table, DAWID_SKENE)
    assert quick.convergence.n_iterations == dense.convergence.n_iterations
    np.testing.assert_allclose(quick.posterior.listed, dense.posterior.listed, atol=1e-9)
    np.testing.assert_allclose(quick.convergence.log_posterior, dense.convergence.log_posterior, rtol=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 5), st.just(0.0) | st.floats(0.01, 5))
def test_the_log_posterior_never_falls_and_probabilities_are_probabilities(seed, n_labels, prior):
    rng = np.random.default_rng(seed)
    drawn = draw(rng, n_labels, n_tasks=40, n_votes=3, n_annotators=6, low=0.2)
    table = drawn.make_table()
    for layout in (choose_layout(table, number_rows(table)), *(one(table, number_rows(table)) for one in LAYOUTS)):
        fit = _fit_with(layout, drawn, replace(DAWID_SKENE, prior=prior, max_iterations=60))
        assert np.diff(fit.convergence.log_posterior).min(initial=0) > -1e-7
        sums = np.add.reduceat(fit.posterior.listed, table.counts.list_starts[:-1])
        assert (sums <= 1 + 1e-9).all()
        assert (fit.posterior.probabilities > 0).all()
        np.testing.assert_allclose(fit.confusions.prevalence.sum(), 1)


@given(st.integers(0, 1_000))
def test_the_order_of_votes_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    drawn = draw(rng, 3, n_tasks=50, n_annotators=8)
    order = rng.permutation(drawn.tasks.size)
    shuffled = drawn._replace(
        tasks=drawn.tasks[order], annotators=drawn.annotators[order], answers=drawn.answers[order]
    )
    one, other = (fit_dawid_skene(votes.make_table(), DAWID_SKENE) for votes in (drawn, shuffled))
    np.testing.assert_allclose(one.posterior.probabilities, other.posterior.probabilities, atol=1e-8)


def test_large_campaigns_give_the_same_bits_in_two_threads_every_time(rng):
    drawn = draw(rng, 4, n_tasks=30_000)
    fits = [fit_dawid_skene(drawn.make_table(), replace(DAWID_SKENE, max_iterations=5)) for _ in range(3)]
    assert all((one.posterior.listed == fits[0].posterior.listed).all() for one in fits)


def test_skills_and_prevalences_are_recovered(rng):
    prevalence = np.array([0.6, 0.3, 0.1])
    skills = rng.uniform(0.5, 0.95, (30, 3))
    drawn = draw_votes(rng, n_tasks=20_000, n_votes=9, skills=skills, prevalence=prevalence)
    fit = fit_dawid_skene(drawn.make_table(), DAWID_SKENE)
    np.testing.assert_allclose(fit.confusions.prevalence, prevalence, atol=0.012)
    assert (fit.posterior.labels == drawn.truth).mean() > 0.97
    cells = fit.confusions.cells
    right = cells.truths == cells.answers
    found, n = np.zeros((2, 30, 3))
    np.add.at(found, (cells.annotators[right], cells.truths[right]), cells.counts[right])
    np.add.at(n, (cells.annotators, cells.truths), cells.counts)
    np.testing.assert_allclose(found / n, skills, atol=0.1)


def test_of_very_many_labels_of_a_task_the_most_frequent_are_possible():
    n_labels = sparse.MAX_LABELS_PER_TASK + 8
    answers = np.array([*range(n_labels), n_labels - 1, n_labels - 1])
    tasks, annotators = np.zeros(answers.size, int), np.arange(answers.size)
    table = make_vote_table(tasks, answers, annotators=annotators, sizes=(1, answers.size, n_labels))
    layout = SparseLayout(table, number_rows(table))
    assert layout.kept.tolist() == [*range(sparse.MAX_LABELS_PER_TASK - 1), n_labels - 1]


def test_a_task_without_votes_has_no_label():
    table = make_vote_table([0, 0, 2, 2], [0, 0, 1, 1], annotators=[0, 1, 0, 1], sizes=(3, 2, 2))
    fit = fit_dawid_skene(table, DAWID_SKENE)
    assert fit.posterior.labels.tolist() == [0, -1, 1]
    assert np.isnan(fit.posterior.probabilities[1])


def test_memory_does_not_grow_with_votes_times_labels(rng):
    drawn = draw(rng, 2_000, n_tasks=3_000, n_votes=5, n_annotators=60)
    table = drawn.make_table()
    layout = choose_layout(table, number_rows(table))
    assert isinstance(layout, SparseLayout)
    assert layout.pairs.size <= 5 * drawn.tasks.size
    assert layout.truths.size <= layout.pairs.size
