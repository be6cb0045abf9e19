"""The compiled loops of the one-coin model: labels that nobody gave a task are weighed together, not one by one."""

from __future__ import annotations

import numpy as np
from numba import njit

from regauge.arrays import CountArray, FloatArray, IntArray


@njit(cache=True, nogil=True)
def step_one_coin(
    starts: CountArray,
    annotators: IntArray,
    slots: IntArray,
    list_starts: CountArray,
    labels: IntArray,
    gold: IntArray,
    gains: FloatArray,
    prior: FloatArray,
    right: FloatArray,
    totals: FloatArray,
    probabilities: FloatArray,
) -> tuple[float, float]:
    """One pass of the one-coin model: fill the probability of every label voted for.

    Relative to an annotator who is wrong, one who is right is worth `gains`. A label that nobody gave a task keeps its
    prevalence, so all such labels together weigh 1 − the prevalences of those given, and need not be listed.

    Args:
        starts: where the votes of each task start.
        annotators: who gave each vote.
        slots: the place of each vote's label in `labels`.
        list_starts: where the labels of each task start.
        labels: the distinct labels of the tasks.
        gold: the known label of each task, else −1.
        gains: per annotator, log P(right answer) − log P(a particular wrong one).
        prior: the prevalences.
        right: filled: how many of each annotator's votes are right.
        totals: [2, labels], filled: sums of probabilities where the label was given, and of 1/weight of those tasks.
        probabilities: filled, like `labels`.

    Returns:
        The sum of the logarithms of the weights of all labels, and the sum of 1/weight.
    """
    right[:] = 0.0
    totals[:] = 0.0
    likelihood = 0.0
    inverse = 0.0
    for task in range(starts.size - 1):
        begin, end = list_starts[task], list_starts[task + 1]
        if gold[task] >= 0:
            totals[0, gold[task]] += 1
            likelihood += np.log(prior[gold[task]])
            for spot in range(begin, end):
                probabilities[spot] = 1.0 if labels[spot] == gold[task] else 0.0
            for vote in range(starts[task], starts[task + 1]):
                right[annotators[vote]] += probabilities[slots[vote]]
                likelihood += gains[annotators[vote]] * probabilities[slots[vote]]
            continue
        if begin == end:
            continue
        probabilities[begin:end] = 0.0
        for vote in range(starts[task], starts[task + 1]):
            probabilities[slots[vote]] += gains[annotators[vote]]
        top = 0.0
        rest = 1.0
        for spot in range(begin, end):
            top = max(top, probabilities[spot])
            rest -= prior[labels[spot]]
        rest = max(rest, 0.0) * np.exp(-top)
        total = rest
        for spot in range(begin, end):
            probabilities[spot] = prior[labels[spot]] * np.exp(probabilities[spot] - top)
            total += probabilities[spot]
        likelihood += top + np.log(total)
        unlisted = np.exp(-top) / total
        inverse += unlisted
        for spot in range(begin, end):
            probabilities[spot] /= total
            totals[0, labels[spot]] += probabilities[spot]
            totals[1, labels[spot]] += unlisted
        for vote in range(starts[task], starts[task + 1]):
            right[annotators[vote]] += probabilities[slots[vote]]
    return likelihood, inverse


@njit(cache=True, nogil=True)
def prefer_unlisted(
    list_starts: CountArray,
    labels: IntArray,
    probabilities: FloatArray,
    prior: FloatArray,
    by_prevalence: IntArray,
    best: IntArray,
    shares: FloatArray,
) -> None:
    """Where a label that nobody gave a task is the most probable one, put it and its probability in the place of the best."""
    for task in range(best.size):
        begin, end = list_starts[task], list_starts[task + 1]
        rest = 1.0
        unlisted = 1.0
        for spot in range(begin, end):
            rest -= probabilities[spot]
            unlisted -= prior[labels[spot]]
        if begin == end or rest <= shares[task]:
            continue
        for label in by_prevalence:
            is_listed = False
            for spot in range(begin, end):
                is_listed |= labels[spot] == label
            if not is_listed:
                share = rest * prior[label] / unlisted
                if share > shares[task]:
                    best[task] = label
                    shares[task] = share
                break
