"""Votes drawn with known truth and known annotators, and the same models written once more, plainly."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from regauge.arrays import FloatArray, IntArray
from regauge.labels.votes.confusions import ConfusionPrior
from regauge.labels.votes.tables import VoteTable, make_vote_table
from regauge.records.labels.votes import StopRule, VoteMethod, VoteSettings

DAWID_SKENE = VoteSettings(method=VoteMethod.DAWID_SKENE)
CROWD_KIT = VoteSettings(method=VoteMethod.DAWID_SKENE, prior=0, stop=StopRule.CROWD_KIT)
ONE_COIN = VoteSettings(method=VoteMethod.ONE_COIN)


class Drawn(NamedTuple):
    """Votes, and what they were drawn from."""

    tasks: IntArray
    annotators: IntArray
    answers: IntArray
    truth: IntArray
    skills: FloatArray
    n_truths: int | None = None

    def make_table(self, gold: IntArray | None = None) -> VoteTable:
        n_annotators, n_labels = self.skills.shape
        sizes = (self.truth.size, n_annotators, n_labels, self.n_truths or n_labels)
        return make_vote_table(self.tasks, self.answers, annotators=self.annotators, sizes=sizes, gold=gold)


def draw_votes(
    rng: np.random.Generator, *, n_tasks: int, n_votes: int, skills: FloatArray, prevalence: FloatArray | None = None
) -> Drawn:
    """n_votes distinct annotators per task; annotator w is right on truth k with probability skills[w, k], and errs evenly."""
    n_annotators, n_labels = skills.shape
    truth = rng.choice(n_labels, n_tasks, p=prevalence).astype(np.int32)
    tasks = np.repeat(np.arange(n_tasks, dtype=np.int32), n_votes)
    annotators = np.argsort(rng.random((n_tasks, n_annotators)), axis=1)[:, :n_votes].ravel().astype(np.int32)
    is_right = rng.random(tasks.size) < skills[annotators, truth[tasks]]
    other = (truth[tasks] + rng.integers(1, n_labels, tasks.size)) % n_labels
    return Drawn(tasks, annotators, np.where(is_right, truth[tasks], other).astype(np.int32), truth, skills)


NO, MAYBE, YES = range(3)


def draw_questions(rng: np.random.Generator, *, n_tasks: int, share_hard: float = 0.3) -> Drawn:
    """Five of 85 raters answer no, maybe or yes to questions whose truth is not an or, for a third, yes; some are hard for all.

    Raters differ in how readily they say yes and how often maybe, which is a little more common where the truth is yes.
    """
    n_raters = 85
    says_yes = np.stack([rng.beta(1.2, 14, n_raters), rng.beta(8, 2, n_raters)], axis=1)
    says_maybe = np.stack([rng.beta(1, 20, n_raters), rng.beta(1, 9, n_raters)], axis=1)
    tables = np.stack([(1 - says_maybe) * (1 - says_yes), says_maybe, (1 - says_maybe) * says_yes], axis=2)
    is_yes = rng.random(n_tasks) < 0.33
    share_of_work = rng.gamma(0.6, 1, n_raters)
    order = np.argsort(-np.log(share_of_work) - rng.gumbel(size=(n_tasks, n_raters)), axis=1)
    annotators, tasks = order[:, :5].ravel().astype(np.int32), np.repeat(np.arange(n_tasks, dtype=np.int32), 5)
    chances = tables[annotators, is_yes[tasks].astype(int)]
    is_hard = (rng.random(n_tasks) < share_hard)[tasks]
    chances = np.where(is_hard[:, np.newaxis], 0.5 * chances + 0.5 * np.array([0.45, 0.2, 0.35]), chances)
    answers = (rng.random((tasks.size, 1)) > np.cumsum(chances, axis=1)[:, :2]).sum(axis=1)
    return Drawn(
        tasks, annotators, answers.astype(np.int32), np.where(is_yes, YES, NO).astype(np.int32), np.ones((85, 3))
    )


def run_crowd_kit(drawn: Drawn, model: str = "DawidSkene", **options: Any) -> Any:
    """The model of crowd-kit, fitted to the votes; its use of pandas is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import crowdkit.aggregation
        import pandas as pd

        votes = pd.DataFrame({"task": drawn.tasks, "worker": drawn.annotators, "label": drawn.answers})
        known = options.pop("true_labels", None)
        fitted = getattr(crowdkit.aggregation, model)(**options)
        return fitted.fit(votes) if known is None else fitted.fit(votes, pd.Series(known))


def abstain(rng: np.random.Generator, drawn: Drawn, *, n_others: int = 1) -> Drawn:
    """Some votes become answers that are no truth, numbered after the truths: the more readily the higher the truth."""
    n_truths = drawn.skills.shape[1]
    readiness = 0.05 + 0.15 * rng.random(len(drawn.skills))
    chance = readiness[drawn.annotators] * (1 + drawn.truth[drawn.tasks] / n_truths)
    other = n_truths + rng.integers(0, n_others, drawn.tasks.size)
    answers = np.where(rng.random(drawn.tasks.size) < chance, other, drawn.answers).astype(np.int32)
    skills = np.ones((drawn.skills.shape[0], n_truths + n_others))
    return drawn._replace(answers=answers, skills=skills, n_truths=n_truths)


def fit_plainly(
    drawn: Drawn, *, prior: ConfusionPrior, n_iterations: int, voted_only: bool = False
) -> tuple[FloatArray, list[float]]:
    """Dawid–Skene in a few lines of dense arrays: probabilities [tasks, truths], and the log-posterior of every pass."""
    n_tasks, (n_annotators, n_labels) = drawn.truth.size, drawn.skills.shape
    n_truths, strength = drawn.n_truths or n_labels, prior.strength
    tally = np.zeros((n_tasks, n_labels))
    np.add.at(tally, (drawn.tasks, drawn.answers), 1)
    posterior = tally[:, :n_truths]
    possible = posterior > 0 if voted_only else np.ones_like(posterior, bool)
    used = possible.any(axis=1)
    n_decided = posterior.sum(axis=1, keepdims=True)
    posterior = np.divide(posterior, n_decided, out=np.zeros_like(posterior), where=n_decided > 0)
    added = np.zeros((n_annotators, n_truths, n_labels))
    for annotator, (right, others) in enumerate(zip(prior.right, prior.others, strict=True)):
        decided = np.full((n_truths, n_truths), (1 - right) / (n_truths - 1))
        np.fill_diagonal(decided, right)
        added[annotator, :, :n_truths] = strength * (1 - others.sum()) * decided
        added[annotator, :, n_truths:] = strength * others
    path = []
    for _ in range(n_iterations):
        counts: FloatArray = np.zeros((n_annotators, n_truths, n_labels))
        for task, annotator, answer in zip(drawn.tasks, drawn.annotators, drawn.answers, strict=True):
            counts[annotator, :, answer] += posterior[task]
        counts = counts if strength else np.maximum(counts, 1e-10)
        tables = (counts + added) / (counts + added).sum(axis=2, keepdims=True)
        n_by_truth = posterior.sum(axis=0) * used.sum() / posterior.sum()
        shares = (n_by_truth + strength / n_truths) / (used.sum() + strength)
        logs = np.tile(np.log(shares), (n_tasks, 1))
        np.add.at(logs, drawn.tasks, np.log(tables[drawn.annotators, :, drawn.answers]))
        logs = np.where(possible, logs, -np.inf)
        total = np.logaddexp.reduce(logs[used], axis=1)
        log_prior = (added * np.log(tables)).sum() + (strength / n_truths * np.log(shares)).sum()
        path.append(float(total.sum() + log_prior))
        posterior[used] = np.exp(logs[used] - total[:, None])
    return posterior, path
