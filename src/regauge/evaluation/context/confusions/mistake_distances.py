"""Distances of wrong answers from the dataset label, and those of random wrong answers, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import CountArray, FloatArray, IntArray, divide
from regauge.evaluation.context.confusions.answers import GivenAnswers
from regauge.evaluation.context.confusions.tallies import add_parts, sum_parts, tally, tell_shares
from regauge.taxonomy.hierarchy import NO_WAY

N_MEANS = 3
_N_AT_ONCE, _N_DRAWS_AT_ONCE = 64, 250


@dataclass(frozen=True, slots=True, eq=False)
class WeighedMistakes:
    """What a predictor answers wrongly, pair by pair, and how often it answers each class wrongly.

    Attributes:
        name: who.
        rows: rows of images.
        labels: their dataset labels.
        classes: what is answered.
        weights: the part of the image.
        marginal: the share of each class among all wrong answers [classes]; 0 throughout without any.
    """

    name: str
    rows: CountArray
    labels: IntArray
    classes: IntArray
    weights: FloatArray
    marginal: FloatArray


class MeanDistances(NamedTuple):
    """Of every array the first column is the value, the others are redrawn images.

    Attributes:
        n: per predictor, how many wrong answers have a distance.
        n_apart: how many have none, as nothing joins the two classes.
        means: [3, predictors, 1 + redraws], the mean distance of these answers, and what it would be if each were drawn from
            all wrong classes alike, or from the predictor's own wrong answers.
    """

    n: FloatArray
    n_apart: FloatArray
    means: FloatArray


def find_wrong(one: GivenAnswers, *, labels: IntArray, n_classes: int) -> WeighedMistakes:
    """The pairs whose class is not the dataset label."""
    is_wrong = one.classes != labels[one.rows]
    rows, classes, weights = one.rows[is_wrong], one.classes[is_wrong], one.weights[is_wrong]
    sums = np.bincount(classes, weights, n_classes)
    return WeighedMistakes(one.name, rows, labels[rows], classes, weights, sums / max(sums.sum(), 1e-300))


def expect_distances(distances: NDArray[np.int16], marginals: FloatArray) -> FloatArray:
    """Per distribution over classes and per label the expected distance of a wrong class that is drawn by it.

    Classes that nothing joins with the label are not drawn, nor is the label itself; NaN where nothing is left.

    Args:
        distances: between all classes.
        marginals: [distributions, classes].

    Returns:
        [distributions, labels].
    """
    is_wrong = distances != NO_WAY
    np.fill_diagonal(is_wrong, val=False)
    return divide(marginals @ np.where(is_wrong, distances, 0.0).T, marginals @ is_wrong.T.astype(np.float64))


def measure_means(
    wrong: Sequence[WeighedMistakes], distances: NDArray[np.int16], *, drawn: NDArray[np.uint8]
) -> MeanDistances:
    """Mean distances of everybody's wrong answers beside those of random ones, on all images and on redrawn ones.

    The distribution of a predictor's own wrong answers is taken as it is, and not redrawn.

    Args:
        wrong: everybody's wrong answers.
        distances: between all classes.
        drawn: how often each image is drawn [1 + redraws, images], once each in the first row.
    """
    (uniform,) = expect_distances(distances, np.ones((1, len(distances))))
    n, n_apart, means = np.zeros(len(wrong)), np.zeros(len(wrong)), np.full((N_MEANS, len(wrong), len(drawn)), np.nan)
    for start in range(0, len(wrong), _N_AT_ONCE):
        block = wrong[start : start + _N_AT_ONCE]
        marginals = expect_distances(distances, np.array([one.marginal for one in block]))
        sums = np.zeros((1 + N_MEANS, len(block), drawn.shape[1]), np.float32)
        for place, one in enumerate(block):
            found = distances[one.labels, one.classes]
            is_joined = found != NO_WAY
            n[start + place] = one.weights[is_joined].sum()
            n_apart[start + place] = one.weights[~is_joined].sum()
            columns = np.ones(found.size), found, uniform[one.labels], marginals[place, one.labels]
            for at, column in enumerate(columns):
                parts = (one.weights * np.asarray(column, np.float64))[is_joined]
                sums[at, place] = np.bincount(one.rows[is_joined], parts, drawn.shape[1])
        means[:, start : start + len(block)] = average_draws(sums, drawn)
    return MeanDistances(n, n_apart, means)


def average_draws(sums: NDArray[np.float32], drawn: NDArray[np.uint8]) -> FloatArray:
    """Sums over drawn images, divided by the first of them [sums − 1, predictors, draws]; NaN where that is 0.

    Args:
        sums: [sums, predictors, images], what each image adds.
        drawn: how often each image is drawn [draws, images].
    """
    flat = sums.reshape(-1, sums.shape[2])
    parts = []
    for start in range(0, len(drawn), _N_DRAWS_AT_ONCE):
        totals = flat @ drawn[start : start + _N_DRAWS_AT_ONCE].T.astype(np.float32)
        totals = totals.reshape(*sums.shape[:2], totals.shape[1])
        parts.append(divide(totals[1:], totals[:1]))
    return np.concatenate(parts, axis=2)


def tell_shares_at(one: WeighedMistakes, distances: NDArray[np.int16], *, level: float) -> Iterator[dict[str, Any]]:
    """Per distance how many wrong answers are so far off, and which share of random wrong answers would be."""
    found = distances[one.labels, one.classes].astype(np.int64)
    is_joined = found != NO_WAY
    if not is_joined.any():
        return
    size = int(distances.max()) + 1
    n = np.unique(one.rows[is_joined]).size
    keys, parts = add_parts(one.rows[is_joined] * size + found[is_joined], one.weights[is_joined])
    shares = tell_shares("mistakes", tally(keys % size, parts, size=size), n=np.full(size, n), level=level)
    used, places = np.unique(one.labels[is_joined], return_inverse=True)
    weights = sum_parts(places, one.weights[is_joined], size=used.size)
    even = np.ones(len(distances))
    expected = [_expect_shares(distances[used], used, by, weights) for by in (even, one.marginal)]
    expected = [np.pad(random, (0, size - random.size)) for random in expected]
    for distance in range(1, size):
        share = shares[distance]
        if share["n_mistakes"] or any(random[distance] > 0 for random in expected):
            yield {
                "predictor": one.name,
                "distance": distance,
                **{name: share[name] for name in ("n_mistakes", "n_tied", "n")},
                **{name: share[name.replace("share", "mistakes")] for name in ("share", "share_low", "share_high")},
                "uniform": float(expected[0][distance]),
                "marginal": float(expected[1][distance]),
            }


def _expect_shares(
    distances: NDArray[np.int16], labels: IntArray, marginal: FloatArray, weights: FloatArray
) -> FloatArray:
    """The share at each distance of random wrong answers to images of these labels, so many of each."""
    chances = np.where(distances == NO_WAY, 0.0, marginal)
    chances[np.arange(labels.size), labels] = 0
    chances *= divide(weights, chances.sum(axis=1) * weights.sum())[:, np.newaxis]
    return sum_parts(np.maximum(distances, 0).ravel(), chances.ravel(), size=int(distances.max()) + 1)
