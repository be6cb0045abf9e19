"""From votes to labels by any of the methods, with the majority beside it and a word about every annotator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, FloatArray
from regauge.labels.votes.confusions import Confusions
from regauge.labels.votes.dawid_skene import fit_dawid_skene
from regauge.labels.votes.majority import Majority, find_majority, make_posterior
from regauge.labels.votes.one_coin import fit_one_coin
from regauge.labels.votes.skills import Skills, find_coin_skills, find_skills
from regauge.labels.votes.tables import TaskPosterior, VoteTable, list_chances
from regauge.records.labels.votes import Convergence, VoteMethod, VoteSettings

MIN_VOTES = 3
"""With fewer votes on a task nobody can tell who of two is wrong."""

_TIE = 1e-9
_ROUNDING = 1e-12

MAX_DISAGREEMENT = 0.1
"""A model that differs from the majority on a larger share of the tasks has perhaps turned labels round."""


class Fit(NamedTuple):
    """What a method made of votes.

    Attributes:
        posterior: the labels of the tasks and their probabilities.
        majority: the most frequent votes.
        prevalence: per truth, the share of tasks that have it.
        find_chances: finds the probability of every truth [tasks, truths]; NaN for tasks without a label.
        skills: per annotator; None for the majority, which knows no annotators.
        confusions: with Dawid–Skene.
        convergence: how the fit went; None for the majority.
        coins: with Dawid–Skene, how the fit of the one-coin model went that its prior and the accuracies rest on.
        is_complete: whether every label was possible for every task, or only those that somebody gave it.
    """

    posterior: TaskPosterior
    majority: Majority
    prevalence: FloatArray
    find_chances: Callable[[], FloatArray]
    skills: Skills | None = None
    confusions: Confusions | None = None
    convergence: Convergence | None = None
    coins: Convergence | None = None
    is_complete: bool = True


def fit_votes(table: VoteTable, settings: VoteSettings) -> Fit:
    """Label the tasks by the method of the settings.

    The majority and the one-coin model look at the votes that are truths only, so that a task without such a vote has no label;
    Dawid–Skene looks at all of them.
    """
    decided = table.decided
    majority = find_majority(decided, level=settings.level)
    if settings.method is VoteMethod.MAJORITY:
        posterior = make_posterior(decided)
        return Fit(posterior, majority, _find_prevalence(decided, posterior), partial(list_chances, decided, posterior))
    coins = fit_one_coin(decided, settings.for_coins)
    if settings.method is VoteMethod.ONE_COIN:
        skills = find_coin_skills(decided, coins, level=settings.level)
        find_chances = partial(coins.find_chances, decided)
        return Fit(coins.posterior, majority, coins.prevalence, find_chances, skills, convergence=coins.convergence)
    found = fit_dawid_skene(table, settings, coins=coins)
    skills = find_skills(decided, found.confusions, coins=coins, level=settings.level)
    return Fit(
        posterior=found.posterior,
        majority=majority,
        prevalence=found.confusions.prevalence,
        find_chances=found.find_chances,
        skills=skills,
        confusions=found.confusions,
        convergence=found.convergence,
        coins=coins.convergence,
        is_complete=found.is_complete,
    )


def accept(posterior: TaskPosterior, chances: FloatArray, *, truth: int, probability: float) -> TaskPosterior:
    """The labels when a task has one truth from a probability of its own on, instead of where it is the most probable one.

    A task whose probability of that truth is at least the threshold has it; any other has the most probable of the other
    truths, which with two truths is the other one. Known labels stay, and so do tasks without a label.

    Args:
        posterior: what a method believes.
        chances: the probability of every truth [tasks, truths].
        truth: the truth that a threshold is set for.
        probability: the threshold.

    >>> believed = TaskPosterior(np.array([1, 1]), np.array([0.9, 0.6]), np.empty(0))
    >>> accept(believed, np.array([[0.1, 0.9], [0.4, 0.6]]), truth=1, probability=0.8).labels.tolist()
    [1, 0]
    """
    others = chances.copy()
    others[:, truth] = -1.0
    # Of truths that are equally likely but for rounding the first is taken.
    best = (others >= others.max(axis=1, keepdims=True) * (1 - _TIE)).argmax(axis=1)
    labels = np.where(chances[:, truth] >= probability - _ROUNDING, truth, best)
    probabilities = np.take_along_axis(chances, labels[:, np.newaxis], axis=1)[:, 0]
    kept = np.where(posterior.labels == NO_CLASS, NO_CLASS, labels).astype(np.int32)
    return TaskPosterior(kept, probabilities, posterior.listed)


def count_for(table: VoteTable, posterior: TaskPosterior) -> CountArray:
    """How many votes the label of each task has."""
    task_of = np.repeat(np.arange(table.counts.n_tasks), np.diff(table.counts.list_starts))
    places = np.flatnonzero(table.counts.labels == posterior.labels[task_of])
    n_for = np.zeros(table.counts.n_tasks, np.int64)
    n_for[task_of[places]] = table.counts.counts[places]
    return n_for


def find_warnings(table: VoteTable, fit: Fit) -> Iterator[str]:
    """What is probably wrong, a sentence each: too few votes, and what a model suggests."""
    n_votes = table.decided.counts.n_votes_by_task
    n_few = int(np.count_nonzero((n_votes < MIN_VOTES) & (table.gold == NO_CLASS)))
    if n_few:
        yield (
            f"{n_few:,} of {n_votes.size:,} tasks have fewer than {MIN_VOTES} votes{_name_truths(table)}; with so few no method "
            f"can tell who is right, so gather more{' or leave them out with `min_votes=…`' if table.is_square else ''}."
        )
    yield from find_model_warnings(table, fit)


def find_model_warnings(table: VoteTable, fit: Fit) -> Iterator[str]:
    """Annotators worse than chance, labels turned round, and no convergence."""
    if fit.skills is not None:
        yield from _warn_of_skills(table, fit.skills)
    n_votes = table.decided.counts.n_votes_by_task
    is_free = (table.gold == NO_CLASS) & ~fit.majority.is_tied & (n_votes > 0)
    n_other = int(np.count_nonzero(is_free & (fit.posterior.labels != fit.majority.labels)))
    if n_other > MAX_DISAGREEMENT * is_free.sum():
        yield (
            f"The model disagrees with the majority on {n_other:,} of {int(is_free.sum()):,} tasks without a tie; it may have "
            "turned labels round, so look at the annotators, raise `prior=…` or give known labels with `gold=…`."
        )
    if fit.convergence is not None and not fit.convergence.converged:
        yield (
            f"The fit has not converged after {fit.convergence.n_iterations:,} iterations, the most that it was given; its "
            "probabilities are preliminary."
        )
    if fit.coins is not None and not fit.coins.converged:
        yield (
            f"The one-coin model, on which accuracies of annotators rest, has not converged after {fit.coins.n_iterations:,} "
            "iterations, the most that it was given."
        )


def _warn_of_skills(table: VoteTable, skills: Skills) -> Iterator[str]:
    chance = 1 / max(table.n_truths, 2)
    has_votes = table.decided.n_votes_by_annotator > 0
    n_below = int(np.count_nonzero(has_votes & (skills.accuracy < chance * (1 - _TIE))))
    if 2 * n_below > has_votes.sum():
        yield (
            f"{n_below:,} of {int(has_votes.sum()):,} annotators are estimated to be right less often than chance "
            f"({100 * chance:.3g}%); the labels are probably turned round, so give known labels with `gold=…`."
        )


def _name_truths(table: VoteTable) -> str:
    return "" if table.is_square else " that are truths"


def _find_prevalence(table: VoteTable, posterior: TaskPosterior) -> FloatArray:
    """The mean of the shares of the votes over tasks that have any, or a known label; NaN without tasks."""
    sums = np.bincount(table.counts.labels, posterior.listed, table.counts.n_labels)
    if (table.gold != NO_CLASS).any():
        unlisted = np.flatnonzero((table.gold != NO_CLASS) & (count_for(table, posterior) == 0))
        sums += np.bincount(table.gold[unlisted], minlength=sums.size)
    n_tasks = int(table.is_used.sum())
    return sums / n_tasks if n_tasks else np.full(sums.size, np.nan)
