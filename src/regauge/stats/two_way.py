"""A table of accuracies, participants by test sets: what of its variance lies between sets and what between participants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.errors import InputError


class Squares(NamedTuple):
    """Sums of squares of a two-way table without repetitions; each a number, or one per replicate.

    Attributes:
        sets: between the means of the sets.
        participants: between the means of the participants.
        rest: what neither explains: some participants do better on some sets.
    """

    sets: FloatArray
    participants: FloatArray
    rest: FloatArray


def split_squares(accuracies: ArrayLike) -> Squares:
    """The sums of squares of tables [..., participants, sets]; they add up to that of all deviations from the mean.

    Reference:
        Fisher (1925), Statistical Methods for Research Workers, chapter VII.

    >>> [round(float(part), 4) for part in split_squares([[0.0, 0.2], [0.4, 0.6]])]
    [0.04, 0.16, 0.0]
    """
    table = np.asarray(accuracies, np.float64)
    if table.ndim < 2 or 0 in table.shape[-2:]:
        raise InputError(f"A table of accuracies is [participants, sets], not of shape {table.shape}.")
    n_participants, n_sets = table.shape[-2:]
    by_set, by_participant = table.mean(axis=-2, keepdims=True), table.mean(axis=-1, keepdims=True)
    mean = table.mean(axis=(-2, -1), keepdims=True)
    rest = table - by_set - by_participant + mean
    return Squares(
        sets=n_participants * _sum_squares(by_set - mean),
        participants=n_sets * _sum_squares(by_participant - mean),
        rest=_sum_squares(np.where(np.abs(rest) < _ROUNDING, 0, rest)),
    )


# Accuracies lie between 0 and 1, where a difference below this is what rounding leaves of 0.
_ROUNDING = 1e-14


def expect_image_squares(answers: Sequence[BoolArray], numbers: Sequence[CountArray] | None = None) -> Squares:
    """What the chance of the images alone adds to each sum of squares on average.

    Other images would give other accuracies, and all participants of a set see the same ones, so that their accuracies move
    together: with C the covariance of their answers over the n images of a set, that of their accuracies is C/n. Of these
    the sums of squares are quadratic forms, whose expectations follow. Sets that share images move together as well, by the
    covariance of the answers on shared images, and so add less to what differs between sets.

    Args:
        answers: per set, [participants, images], whether each is right.
        numbers: per set, a number for every image; equal numbers are the same image. None where no two sets share any.

    Raises:
        InputError: a set has fewer than two images.
    """
    if min(answer.shape[1] for answer in answers) < 2:
        raise InputError("The chance of images shows on two images at least.")
    spreads = [np.atleast_2d(np.cov(answer.astype(np.float32))) / answer.shape[1] for answer in answers]
    n_sets, n_participants = len(spreads), len(spreads[0])
    of_means = sum(float(spread.sum()) for spread in spreads) / n_participants**2
    traces = sum(float(np.trace(spread)) for spread in spreads)
    both_means, both_traces = (0.0, 0.0) if numbers is None else _add_up_shared(answers, numbers)
    # The variances of the mean of all accuracies, and of the means of participants summed up.
    of_mean = (of_means + both_means) / n_sets**2
    of_participants = (traces + both_traces) / n_sets**2
    sets = n_participants * (of_means - n_sets * of_mean)
    participants = n_sets * (of_participants - n_participants * of_mean)
    total = traces - n_sets * n_participants * of_mean
    return Squares(np.array(sets), np.array(participants), np.array(total - sets - participants))


def _add_up_shared(answers: Sequence[BoolArray], numbers: Sequence[CountArray]) -> tuple[float, float]:
    """Covariances between different sets, both ways: of the means of the sets, and of each participant's accuracies."""
    means = traces = 0.0
    for one, other in combinations(range(len(answers)), 2):
        _, rows, places = np.intersect1d(numbers[one], numbers[other], assume_unique=True, return_indices=True)
        x, y = (
            answers[place][:, own] - answers[place].mean(axis=1, keepdims=True)
            for place, own in ((one, rows), (other, places))
        )
        sizes = [answers[place].shape[1] for place in (one, other)]
        # As many degrees of freedom as in the variances, so that a set and its copy move as one.
        whole = math.sqrt(math.prod(size * (size - 1) for size in sizes))
        means += 2 * float(x.sum(axis=0) @ y.sum(axis=0)) / whole / len(x) ** 2
        traces += 2 * float((x * y).sum()) / whole
    return means, traces


def bootstrap_participant_squares(
    accuracies: ArrayLike, *, rng: np.random.Generator, n_resamples: int = 10_000
) -> Squares:
    """Sums of squares of tables whose participants are drawn with replacement.

    A sample repeats some of the m participants, so that they differ less than they should, by the factor 1 − 1/m, and the
    means of its sets differ more, by 1/m of the rest; both are put right, so that the mean of the replicates is the
    estimate.

    Returns:
        The replicates; all NaN with a single participant.
    """
    table = np.asarray(accuracies, np.float64)
    m = len(table)
    if m < 2:
        return Squares(*(np.full(n_resamples, np.nan) for _ in range(3)))
    drawn = split_squares(table[rng.integers(m, size=(n_resamples, m))])
    rest = drawn.rest * m / (m - 1)
    return Squares(drawn.sets - rest / m, drawn.participants * m / (m - 1), rest)


def _sum_squares(deviations: FloatArray) -> FloatArray:
    return np.asarray((deviations**2).sum(axis=(-2, -1)))
