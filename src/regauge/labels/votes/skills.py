"""How good an annotator is: the probability of a right answer, with an interval that counts the doubt about the truth.

Where some answers are not truths ("cannot tell"), they are neither right nor wrong: an accuracy is the share of right ones among
the answers that are truths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from regauge.arrays import CountArray, FloatArray
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.labels.votes.confusions import Confusions
from regauge.labels.votes.one_coin import OneCoinFit
from regauge.labels.votes.tables import VoteTable, sum_right
from regauge.stats.intervals import Limits

# Without a prior, a label that the annotator has all but never met is taken at the annotator's accuracy over all labels.
_FAINT_PRIOR = 1e-3
_MIN_KNOWN = 0.5


class Skills(NamedTuple):
    """How good every annotator is, one entry each.

    Attributes:
        accuracy: the probability of a right answer to a task of the campaign; NaN without votes.
        limits: its interval.
        n_effective: so many answers to tasks of known truth would tell as much.
    """

    accuracy: FloatArray
    limits: Limits
    n_effective: FloatArray


class ClassSkills(NamedTuple):
    """Per annotator and true label, for those that occur.

    Attributes:
        annotators: the annotator.
        labels: the true label.
        n: how many tasks with this label the annotator is expected to have answered.
        accuracy: the probability of a right answer to them.
    """

    annotators: CountArray
    labels: CountArray
    n: FloatArray
    accuracy: FloatArray


def find_coin_skills(table: VoteTable, coins: OneCoinFit, *, level: float = DEFAULT_LEVEL) -> Skills:
    """The accuracies of the one-coin model, with Jeffreys limits on as many answers as are known to be right or wrong.

    Args:
        table: the votes.
        coins: the fitted model.
        level: the nominal coverage.
    """
    return _limit(table, coins.accuracy, n_effective=count_known(table, coins), level=level)


def find_skills(table: VoteTable, confusions: Confusions, *, coins: OneCoinFit, level: float = DEFAULT_LEVEL) -> Skills:
    """Accuracy = Σ_k prevalence_k · P(answer k | k is true), with the tables of Dawid–Skene.

    Its variance is that of independent beta distributions, one per true label, times n / n_known: of the n answers only
    n_known are known to be right or wrong. It is at least that of one share of n_known answers, for the tables make the
    model surer of the truth than it should be. Limits are Jeffreys', on the number of answers that has this variance.

    Args:
        table: the votes that are truths.
        confusions: what the fit found.
        coins: the one-coin model of the same votes, which tells how much is known.
        level: the nominal coverage.
    """
    n, prior = table.n_votes_by_annotator, confusions.prior
    centre = prior.right if prior.strength else coins.accuracy
    skills = find_class_skills(confusions, centre)
    weights = confusions.prevalence[skills.labels]
    rest = np.clip(1 - _sum(weights, skills.annotators, n.size), 0, 1)
    accuracy = _sum(weights * skills.accuracy, skills.annotators, n.size) + rest * centre
    strength = np.maximum(prior.n_decided, _FAINT_PRIOR)[skills.annotators]
    spread = skills.accuracy * (1 - skills.accuracy) / (skills.n + strength + 1)
    variance = _sum(weights**2 * spread, skills.annotators, n.size) + rest**2 * centre * (1 - centre) / (n + 1)
    n_known = count_known(table, coins)
    variance *= np.maximum(n, 1) / n_known
    binomial = accuracy * (1 - accuracy)
    n_effective = np.divide(binomial, variance, out=n_known.copy(), where=(variance > 0) & (binomial > 0))
    return _limit(table, accuracy, n_effective=np.minimum(n_effective, n_known), level=level)


def find_class_skills(confusions: Confusions, centre: FloatArray) -> ClassSkills:
    """The probability of a right answer per annotator and true label, shrunk towards the centre as the prior says.

    Args:
        confusions: what the fit found.
        centre: per annotator, what is believed of a label that the annotator has not met.
    """
    cells, n_labels = confusions.cells, max(confusions.prevalence.size, 1)
    is_truth = cells.answers < n_labels
    annotators, truths, counts = cells.annotators[is_truth], cells.truths[is_truth], cells.counts[is_truth]
    codes, column = np.unique(annotators.astype(np.int64) * n_labels + truths, return_inverse=True)
    n = _sum(counts, column, codes.size)
    n_right = _sum(counts * (truths == cells.answers[is_truth]), column, codes.size)
    who, labels = codes // n_labels, codes % n_labels
    strength = np.maximum(confusions.prior.n_decided, _FAINT_PRIOR)[who]
    return ClassSkills(who, labels, n, (n_right + strength * centre[who]) / (n + strength))


def count_known(table: VoteTable, coins: OneCoinFit) -> FloatArray:
    """How many of each annotator's n answers the votes tell to be right or wrong.

    With p the probability that an answer is right and a the annotator's accuracy, n − Σ p(1 − p)/(a(1 − a)) of them: the share
    of the information that is left when the truth itself is only believed. Where p = a for every answer nothing is known.

    Reference:
        Louis (1982), Finding the observed information matrix when using the EM algorithm.
    """
    doubt = sum_right(table, coins.posterior.listed)[1]
    binomial = np.maximum(coins.accuracy * (1 - coins.accuracy), 1e-12)
    n = table.n_votes_by_annotator
    return np.asarray(np.clip(n - doubt / binomial, _MIN_KNOWN, np.maximum(n, _MIN_KNOWN)), np.float64)


def _limit(table: VoteTable, accuracy: FloatArray, *, n_effective: FloatArray, level: float) -> Skills:
    """Jeffreys limits of accuracies that rest on so many answers; NaN for annotators without votes."""
    tail = (1 - check_level(level)) / 2
    n_right, n_wrong = accuracy * n_effective + 0.5, (1 - accuracy) * n_effective + 0.5
    low = np.minimum(betaincinv(n_right, n_wrong, tail), accuracy)
    high = np.maximum(betaincinv(n_right, n_wrong, 1 - tail), accuracy)
    has_votes = table.n_votes_by_annotator > 0
    value, low, high, n = (np.where(has_votes, column, np.nan) for column in (accuracy, low, high, n_effective))
    return Skills(value, Limits(low, high), n)


def _sum(values: FloatArray, groups: NDArray[np.integer], n_groups: int) -> FloatArray:
    return np.asarray(np.bincount(groups, values, n_groups), np.float64)
